package backend

import (
	"context"
	"sync/atomic"
	"time"
)

// Waiter is somebody in the queue for a connection. A type becomes one by embedding Waiting, which keeps its place in the queue, and by a
// Granted method.
type Waiter interface {
	// Granted ends the wait, with a connection for the waiter's sole use or with an error that a client may read: the node is down or was
	// removed, a connection could not be opened, the wait took too long. It is called exactly once for every call of Cluster.Queue, unless
	// CancelWait said true: from any goroutine, even from within Queue or from within somebody else's Conn.Release, so it must not block.
	Granted(k *Conn, err error)
	waiting() *Waiting
}

// Waiting is a place in the queue, embedded in a Waiter. It can be used again once the wait has ended; the zero value is ready.
type Waiting struct {
	next, prev *Waiting
	owner      Waiter
	shard      atomic.Pointer[shard]
	kind       int
	settings   *Settings
	since      int64 // when the wait began, by Cluster.now
	queued     bool  // guarded by shard.mu
	waited     bool  // likewise: it was not served at once
	raw        bool  // the owner may block: it makes the connection ready itself

	// What is granted, between leaving the queue and the call of Granted.
	conn *Conn
	err  error
}

func (w *Waiting) waiting() *Waiting { return w }

// CancelWait leaves the queue. True means that nothing was granted and nothing will be; false that Granted was called, or will be at once, or
// that w does not wait. Safe to call from any goroutine.
func (w *Waiting) CancelWait() bool {
	sh := w.shard.Load()
	if sh == nil {
		return false
	}
	sh.mu.Lock()
	if w.shard.Load() != sh || !w.queued { // it may have begun to wait somewhere else
		sh.mu.Unlock()
		return false
	}
	sh.drop(w)
	out := sh.pump(sh.node.cluster.now())
	sh.mu.Unlock()
	sh.node.metrics.waitErrors.Inc()
	sh.deliver(out.head)
	return true
}

// queue is a list of waiters, first in, first out. It owns no memory.
type queue struct {
	head, tail *Waiting
	n          int
}

func (q *queue) push(w *Waiting) {
	w.prev, w.next = q.tail, nil
	if q.tail == nil {
		q.head = w
	} else {
		q.tail.next = w
	}
	q.tail = w
	q.n++
}

func (q *queue) pushFront(w *Waiting) {
	w.prev, w.next = nil, q.head
	if q.head == nil {
		q.tail = w
	} else {
		q.head.prev = w
	}
	q.head = w
	q.n++
}

func (q *queue) remove(w *Waiting) {
	if w.prev == nil {
		q.head = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		q.tail = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.next, w.prev = nil, nil
	q.n--
}

// sleeper is a waiter whose goroutine sleeps meanwhile.
type sleeper struct {
	Waiting
	wake chan struct{}
	k    *Conn
	why  error
}

func newSleeper() any { return &sleeper{wake: make(chan struct{}, 1)} }

// Granted wakes the goroutine.
func (w *sleeper) Granted(k *Conn, err error) {
	w.k, w.why = k, err
	w.wake <- struct{}{}
}

// sleep waits in the queue of a shard until a connection is granted or ctx ends.
func (sh *shard) sleep(ctx context.Context, kind int, s *Settings) (*Conn, error) {
	pool := &sh.node.cluster.sleepers
	w := pool.Get().(*sleeper)
	w.kind, w.settings, w.raw = kind, s, true
	sh.enqueue(w)
	select {
	case <-w.wake:
	case <-ctx.Done():
		if w.CancelWait() {
			w.settings = nil
			pool.Put(w)
			return nil, errInterrupted.Wrap(context.Cause(ctx))
		}
		<-w.wake // granted meanwhile
	}
	k, err := w.k, w.why
	w.k, w.why, w.settings = nil, nil, nil
	pool.Put(w)
	return k, err
}

// tickEvery is how often a queue with somebody in it is looked after: for waits that took too long, and for connections to be had elsewhere.
const tickEvery = 5 * time.Millisecond

// enqueue puts a waiter at the end of its queue, or grants at once what it waits for.
func (sh *shard) enqueue(owner Waiter) {
	n, w := sh.node, owner.waiting()
	w.owner, w.since = owner, n.cluster.now()
	w.shard.Store(sh)
	if n.waiting.Add(1) > int64(n.cfg.MaxWaiting) {
		n.waiting.Add(-1)
		n.metrics.waitErrors.Inc()
		w.err = errQueueFull.New(n.cfg.MaxWaiting, n.name)
		sh.hand(w)
		return
	}
	sh.mu.Lock()
	sh.line(w, false)
}

// requeue puts a waiter back whose connection turned out to be dead, before all others.
func (sh *shard) requeue(w *Waiting) {
	sh.node.waiting.Add(1)
	sh.mu.Lock()
	sh.line(w, true)
}

// line is enqueue with mu held; it gives mu back.
func (sh *shard) line(w *Waiting, front bool) {
	if err := sh.node.refusal(); err != nil {
		sh.mu.Unlock()
		sh.node.waiting.Add(-1)
		w.err = err
		sh.hand(w)
		return
	}
	if front {
		sh.queues[w.kind].pushFront(w)
	} else {
		sh.queues[w.kind].push(w)
	}
	sh.waiting++
	w.queued, w.waited = true, front
	now := sh.node.cluster.now()
	out := sh.pump(now)
	if w.queued && !front {
		w.waited = true
	}
	if sh.waiting > 0 && !sh.ticking {
		sh.ticking = true
		sh.ticker.Reset(tickEvery)
	}
	rob := sh.starvedSince.Load() != 0
	sh.mu.Unlock()
	sh.deliver(out.head)
	if rob {
		sh.rob(now)
	}
}

// drop takes a waiter out of the queue; the caller holds mu.
func (sh *shard) drop(w *Waiting) {
	sh.queues[w.kind].remove(w)
	sh.waiting--
	sh.node.waiting.Add(-1)
	w.queued = false
}

// tick looks after the queue.
func (sh *shard) tick() {
	n := sh.node
	now := n.cluster.now()
	sh.mu.Lock()
	late := sh.expire(now)
	if sh.waiting > 0 {
		sh.using.passOver(now)
	}
	out := sh.pump(now)
	if sh.ticking = sh.waiting > 0; sh.ticking {
		sh.ticker.Reset(tickEvery)
	}
	rob := sh.starvedSince.Load() != 0
	sh.mu.Unlock()
	sh.deliver(late.head)
	sh.deliver(out.head)
	if rob {
		sh.rob(now)
	}
}

// expire ends the waits that took too long; the caller holds mu and delivers.
func (sh *shard) expire(now int64) (out queue) {
	n := sh.node
	for i := range sh.queues {
		limit := n.cfg.WaitTimeout
		if sh.opening[i] > 0 {
			limit += n.cfg.ConnectTimeout // one is coming
		}
		for w := sh.queues[i].head; w != nil && now-w.since >= int64(limit); w = sh.queues[i].head {
			sh.drop(w)
			n.metrics.waitErrors.Inc()
			w.err = errBusy.New(n.places(), n.name, time.Duration(now-w.since).Round(time.Millisecond))
			out.push(w)
		}
	}
	return out
}

// failWaiting ends all waits with an error.
func (sh *shard) failWaiting(err error) {
	var out queue
	sh.mu.Lock()
	for i := range sh.queues {
		for w := sh.queues[i].head; w != nil; w = sh.queues[i].head {
			sh.drop(w)
			w.err = err
			out.push(w)
		}
	}
	sh.flag()
	sh.mu.Unlock()
	sh.deliver(out.head)
}

// deliver tells waiters what they were granted. The caller holds no lock.
func (sh *shard) deliver(w *Waiting) {
	for w != nil {
		next := w.next
		w.next, w.prev = nil, nil
		sh.hand(w)
		w = next
	}
}

// hand tells one waiter what it was granted. Who may not block gets a connection that is ready: one that is not is made so elsewhere.
func (sh *shard) hand(w *Waiting) {
	k, err := w.conn, w.err
	w.conn, w.err = nil, nil
	switch {
	case k == nil || w.raw:
	case k.needsWork(w.settings):
		if sh.readyElsewhere(w, k) {
			return
		}
		k.close()
		k, err = nil, sh.node.refusal()
	default:
		sh.ready(w, k)
		return
	}
	w.owner.Granted(k, err)
}

// readyElsewhere is ready on a goroutine of its own; false means that the node is retired.
func (sh *shard) readyElsewhere(w *Waiting, k *Conn) bool {
	return sh.node.spawn(func() { sh.ready(w, k) })
}

// ready makes a connection ready for a waiter and hands it over; if it turns out to be dead, the wait goes on.
func (sh *shard) ready(w *Waiting, k *Conn) {
	if k.makeReady(w.settings) {
		w.owner.Granted(k, nil)
		return
	}
	if !sh.node.spawn(func() { // closing and looking for others may take a while
		k.bury()
		sh.requeue(w)
	}) {
		k.close()
		sh.requeue(w) // which says why
	}
}
