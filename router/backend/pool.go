package backend

import (
	"context"
	"time"
)

// trustIdle is how long a pooled connection is used again without a look whether it still lives.
const trustIdle = int64(100 * time.Millisecond)

// Acquire gives a connection to a node, out of a shard of its pool, for the sole use of the caller, who must call Release or Discard. The
// settings are put in force together with the first statement. It fails at once while the node is down and there is no connection left to
// it, and after Config.WaitTimeout when every connection stays in use.
func (c *Cluster) Acquire(ctx context.Context, shard, node int, class Class, s *Settings) (*Conn, error) {
	n, err := c.node(node)
	if err != nil {
		return nil, err
	}
	sh, kind := n.shard(shard), kindOf(class, s.db != "")
	for {
		now := c.now()
		k := sh.try(kind, s, false, now)
		if k == nil {
			if k, err = sh.sleep(ctx, kind, s); err != nil {
				return nil, err
			}
			now = c.now()
		}
		if k.makeReady(s, now) {
			return k, nil
		}
		k.bury()
	}
}

// TryAcquire is Acquire for those who may not block: it gives an idle connection that is ready at once, or nil when there is none, or when
// others wait already. It sends and reads nothing; an idle connection that was not used for a while is looked at, whether it still lives. Where
// shards have loops it must be called on the shard's own.
func (c *Cluster) TryAcquire(shard, node int, class Class, s *Settings) *Conn {
	n, err := c.node(node)
	if err != nil {
		return nil
	}
	sh, kind := n.shard(shard), kindOf(class, s.db != "")
	now := c.nowOn(c.Loop(shard))
	k := sh.try(kind, s, true, now)
	if k == nil || k.makeReady(s, now) {
		return k
	}
	if !n.spawn(k.bury) {
		k.close()
	}
	return nil
}

// Queue is Acquire for those who may not block: w waits together with all others and its Granted is told the end of the wait, which may be
// before Queue returns. What is granted is ready at once. It allocates nothing, unless a connection has to be opened or cleaned.
func (c *Cluster) Queue(shard, node int, class Class, s *Settings, w Waiter) {
	n, err := c.node(node)
	if err != nil {
		w.Granted(nil, err)
		return
	}
	q := w.waiting()
	q.kind, q.settings, q.raw = kindOf(class, s.db != ""), s, false
	n.shard(shard).enqueue(w)
}

// needsWork tells whether a connection must speak to its server before it can be used under s.
func (k *Conn) needsWork(s *Settings) bool { return k.resetSent || k.inForce.leavesVariables(s) }

// makeReady makes a connection out of the pool ready for s; false means that it is dead. Only one that needsWork blocks.
func (k *Conn) makeReady(s *Settings, now int64) bool {
	switch {
	case k.severed.Load():
		return false
	case k.resetSent:
		if k.finishReset() != nil {
			return false
		}
	case now-k.idleSince >= trustIdle && !k.alive():
		return false
	}
	// Another session's user variables: a variable set to NULL is not quite one that was never set.
	if k.inForce.leavesVariables(s) && (!k.sendReset() || k.finishReset() != nil) {
		return false
	}
	k.want = s
	return true
}

// bury closes a connection that was found dead in the pool, and looks for others.
func (k *Conn) bury() {
	k.node.metrics.stale.Inc()
	k.close()
	k.node.sweep()
}

// Pin says that the connection stays with its user for longer than a statement: a transaction, or named locks. It then no longer counts
// among those whose number follows from how fast the node answers, until it is released; its place stays taken.
func (k *Conn) Pin() {
	sh := k.shard
	sh.mu.Lock()
	sh.using.pin(k)
	out := sh.pump(sh.node.cluster.now())
	sh.mu.Unlock()
	sh.deliver(out.head)
}
