package backend

import (
	"context"
	"sync/atomic"
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
