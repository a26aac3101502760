package backend

import "time"

// stealAfter is how long a connection must be idle, or somebody must have waited, before a place moves to another kind or shard: opening a
// connection costs more than a short wait for one's own.
const stealAfter = int64(10 * time.Millisecond)

// starvedAfter is by how much somebody in another shard must have waited longer to be served first in any case.
const starvedAfter = int64(time.Second)

// takePlace reserves a place for a connection, if there is one.
func (n *node) takePlace() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.open >= n.limit {
		return false
	}
	n.open++
	return true
}

// places is how many connections there may be.
func (n *node) places() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.limit
}

// freePlace gives a place back, and serves those who lack one. The caller holds no lock.
func (n *node) freePlace() {
	n.mu.Lock()
	n.open--
	n.mu.Unlock()
	n.feed()
}

// feed serves the shards that lack places.
func (n *node) feed() {
	for range n.shards {
		if n.starving.Load() == 0 {
			return
		}
		var needy *shard
		var since int64
		for _, sh := range n.shards {
			if s := sh.starvedSince.Load(); s != 0 && (needy == nil || s < since) {
				needy, since = sh, s
			}
		}
		if needy == nil {
			return
		}
		needy.kick()
		if needy.starvedSince.Load() == since {
			return // no place for the first: none for the others
		}
	}
}

// narrow bounds the connections to those that there are, since the server has no room, or is too busy for logins. False means that there
// are none.
func (n *node) narrow() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.limit = len(n.all)
	return n.limit > 0
}

// widen lets the pool grow again, step by step, after the server had no room.
func (n *node) widen() {
	n.mu.Lock()
	full := n.limit < n.cfg.MaxPerNode
	if full {
		n.limit = min(n.limit+1+n.limit/8, n.cfg.MaxPerNode)
	}
	n.mu.Unlock()
	if full {
		n.feed()
	}
}

// flag says to the other shards whether somebody here lacks a place; the caller holds mu.
func (sh *shard) flag() {
	since := int64(0)
	if sh.waiting > 0 && sh.mayOpen() {
		if _, lacking := sh.heads(); lacking >= 0 && sh.opening[lacking] == 0 {
			since = sh.queues[lacking].head.since
		}
	}
	was := sh.starvedSince.Load()
	if since != 0 {
		has, wants := sh.demand()
		sh.share.Store(uint64(has)<<32 | uint64(wants))
	}
	if since == was {
		return
	}
	sh.starvedSince.Store(since)
	switch {
	case was == 0 && since != 0:
		sh.node.starving.Add(1)
	case was != 0 && since == 0:
		sh.node.starving.Add(-1)
	}
}

// needier gives a shard that deserves a connection given back here more than those who wait here do. The caller holds mu.
func (sh *shard) needier(now int64) *shard {
	own := now
	for i := range sh.queues {
		if w := sh.queues[i].head; w != nil {
			own = min(own, w.since)
		}
	}
	has, wants := sh.demand()
	var needy *shard
	for _, o := range sh.node.shards {
		since := o.starvedSince.Load()
		if o == sh || since == 0 {
			continue
		}
		share := o.share.Load()
		if deserves(since, int(share>>32), int(uint32(share)), own, has, wants) {
			needy, own = o, since
		}
	}
	return needy
}

// deserves tells whether a place should move to those who lack one, from those who would be served otherwise. Of each it is said when the first
// began to wait, how many connections serve them, and how many statements there are for these. Places move only so far that nobody would
// soon have to move them back, since opening a connection takes its time.
func deserves(since int64, theirs, theyWant int, own int64, has, wants int) bool {
	return since+stealAfter < own && (theirs == 0 || (theirs+1)*wants <= (has-1)*theyWant) || since+starvedAfter < own
}

// demand is how many connections serve the statements of the shard, those left out that are kept by transactions or stuck, and how many
// statements there are for them; the caller holds mu.
func (sh *shard) demand() (has, wants int) {
	return sh.using.busy + sh.opens + int(sh.idleCount.Load()), sh.using.busy + sh.waiting
}

// demandOf is demand for one kind.
func (sh *shard) demandOf(kind int) (has, wants int) {
	busy := sh.using.byKind[kind]
	return busy + sh.opening[kind] + len(sh.idle[kind]), busy + sh.queues[kind].n
}

// rob takes an idle connection's place from another shard for somebody who lacks one here. The caller holds no lock.
func (sh *shard) rob(now int64) {
	minIdle := stealAfter
	if since := sh.starvedSince.Load(); since != 0 && now-since >= stealAfter {
		minIdle = 0
	}
	for i := range sh.node.shards {
		o := sh.node.shards[(sh.index+i+1)%len(sh.node.shards)]
		if o == sh || o.idleCount.Load() == 0 {
			continue
		}
		o.mu.Lock()
		victim := o.popOldest(now, minIdle)
		o.mu.Unlock()
		if victim == nil {
			continue
		}
		if !sh.accept(victim) {
			o.putBack(victim)
		}
		return
	}
}
