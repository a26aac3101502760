package backend

import "time"

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
	if k.makeReady(w.settings, sh.node.cluster.now()) {
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
