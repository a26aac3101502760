package backend

import (
	"sync"
	"sync/atomic"
	"time"
)

// poolKinds is the number of stacks of a shard: connections with and without a default database are kept apart, since a database once
// selected can't be unselected.
const poolKinds = 2 * classes

// lookBack is how many idle connections are looked at to find one whose settings fit already.
const lookBack = 8

// shard is one loop's part of a node's pool: connections belong to a shard for their life, and so do waiters. The places, of which there
// are Config.MaxPerNode, belong to the node and move between its shards. The mutex is held for moments only, never over I/O; of other locks
// only node.mu is taken under it.
type shard struct {
	node  *node
	index int

	mu      sync.Mutex
	idle    [poolKinds][]*Conn // last in, first out
	queues  [poolKinds]queue   // who waits
	opening [poolKinds]int     // connections being opened
	waiting int                // in all queues
	opens   int                // being opened, of all kinds
	using   load               // connections in use
	waited  waits
	ticker  *time.Timer
	ticking bool

	// Read without mu by other shards.
	idleCount    atomic.Int32
	share        atomic.Uint64 // while somebody lacks a place: what demand gives, the first number in the upper half
	starvedSince atomic.Int64  // since when the first waiter lacks a place, by Cluster.now; 0 when none does
}

func newShard(n *node, index int) *shard {
	sh := &shard{node: n, index: index, using: newLoad(n.cfg.MaxPerNode, n.cfg.Shards)}
	sh.ticker = time.AfterFunc(time.Hour, sh.tick)
	sh.ticker.Stop()
	return sh
}

func kindOf(class Class, withDB bool) int {
	if withDB {
		return int(class) + classes
	}
	return int(class)
}

func (k *Conn) kind() int { return kindOf(k.class, k.selected) }

// pop takes an idle connection, one of the last used: one with these settings, else one that is ready at once, else, unless only a ready one
// will do, another. The caller holds mu.
func (sh *shard) pop(kind int, s *Settings, ready bool) *Conn {
	stack := sh.idle[kind]
	last := len(stack) - 1
	pick, pickWorks := -1, false
	for i := last; i >= 0 && i > last-lookBack; i-- {
		k := stack[i]
		if k.inForce == s {
			pick = i
			break
		}
		works := k.needsWork(s)
		if works && ready {
			continue
		}
		if pick < 0 || pickWorks && !works {
			pick, pickWorks = i, works
		}
	}
	if pick < 0 {
		return nil
	}
	return sh.remove(kind, pick)
}

// popOldest takes the connection that has been idle for longest, of any kind, if that is minIdle nanoseconds; the caller holds mu.
func (sh *shard) popOldest(now, minIdle int64) *Conn {
	oldest := -1
	for kind, stack := range sh.idle {
		if len(stack) > 0 && (oldest < 0 || stack[0].idleSince < sh.idle[oldest][0].idleSince) {
			oldest = kind
		}
	}
	if oldest < 0 || now-sh.idle[oldest][0].idleSince < minIdle {
		return nil
	}
	return sh.remove(oldest, 0)
}

func (sh *shard) remove(kind, i int) *Conn {
	stack := sh.idle[kind]
	k := stack[i]
	last := len(stack) - 1
	copy(stack[i:], stack[i+1:])
	stack[last] = nil
	sh.idle[kind] = stack[:last]
	sh.idleCount.Add(-1)
	return k
}

func (sh *shard) push(k *Conn) {
	kind := k.kind()
	sh.idle[kind] = append(sh.idle[kind], k)
	sh.idleCount.Add(1)
}

// try takes an idle connection unless others wait already.
func (sh *shard) try(kind int, s *Settings, ready bool, now int64) *Conn {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.waiting > 0 || sh.using.full() {
		return nil
	}
	k := sh.pop(kind, s, ready)
	if k != nil {
		sh.using.take(k, now)
	}
	return k
}

// put takes a clean connection back: the first waiter gets it, or its place goes to a shard that lacks one, else it becomes idle.
func (sh *shard) put(k *Conn, now int64) {
	n := sh.node
	k.idleSince = now
	sh.mu.Lock()
	sh.using.answered(k, now)
	if n.starving.Load() > 0 {
		if needy := sh.needier(now); needy != nil {
			sh.mu.Unlock()
			if needy.accept(k) {
				sh.kick()
				return
			}
			sh.mu.Lock()
		}
	}
	if n.isRetired() || k.severed.Load() {
		sh.mu.Unlock()
		k.close()
		return
	}
	sh.push(k)
	out := sh.pump(now)
	sh.mu.Unlock()
	sh.deliver(out.head)
}

// left gives back the place of a connection that was closed.
func (sh *shard) left(k *Conn) {
	sh.mu.Lock()
	sh.using.give(k)
	sh.mu.Unlock()
	sh.node.freePlace()
	sh.kick()
}

// kick serves the queue after something has changed.
func (sh *shard) kick() {
	sh.mu.Lock()
	out := sh.pump(sh.node.cluster.now())
	sh.mu.Unlock()
	sh.deliver(out.head)
}

// pump serves the queue as far as idle connections and places go. The caller holds mu, and delivers what comes out when it has let go of it.
func (sh *shard) pump(now int64) (out queue) {
	for sh.waiting > 0 && !sh.using.full() {
		ready, lacking := sh.heads()
		if lacking >= 0 && sh.openFor(lacking, ready, now) {
			continue
		}
		if ready < 0 {
			break
		}
		w := sh.queues[ready].head
		sh.drop(w)
		w.conn = sh.pop(ready, w.settings, false)
		sh.using.take(w.conn, now)
		if w.waited {
			sh.waited.add(now - w.since)
		}
		out.push(w)
	}
	if sh.waiting > 0 && sh.using.full() {
		sh.using.limiter.short = true
	}
	sh.flag()
	return out
}

// heads finds whose turn it is, over all kinds: the one that waits for longest among those for whom there is an idle connection, and among
// those for whom there is none and none is coming. They are kinds, -1 without any; the caller holds mu.
func (sh *shard) heads() (ready, lacking int) {
	ready, lacking = -1, -1
	for kind := range sh.queues {
		q := &sh.queues[kind]
		switch {
		case q.head == nil:
		case len(sh.idle[kind]) > 0:
			if ready < 0 || q.head.since < sh.queues[ready].head.since {
				ready = kind
			}
		case q.n > sh.opening[kind]:
			if lacking < 0 || q.head.since < sh.queues[lacking].head.since {
				lacking = kind
			}
		}
	}
	return ready, lacking
}

// putBack makes idle again what was taken out and not used.
func (sh *shard) putBack(conns ...*Conn) {
	sh.mu.Lock()
	if sh.node.isRetired() {
		sh.mu.Unlock()
		for _, k := range conns {
			k.close()
		}
		return
	}
	for _, k := range conns {
		kind := k.kind()
		stack := append(sh.idle[kind], nil)
		at := len(stack) - 1
		for ; at > 0 && stack[at-1].idleSince > k.idleSince; at-- {
			stack[at] = stack[at-1]
		}
		stack[at] = k
		sh.idle[kind] = stack
		sh.idleCount.Add(1)
	}
	out := sh.pump(sh.node.cluster.now())
	sh.mu.Unlock()
	sh.deliver(out.head)
}

// takeIdle takes out all idle connections for which f holds.
func (sh *shard) takeIdle(f func(*Conn) bool) []*Conn {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	var out []*Conn
	for kind, stack := range sh.idle {
		kept := stack[:0]
		for _, k := range stack {
			if f(k) {
				out = append(out, k)
			} else {
				kept = append(kept, k)
			}
		}
		clear(stack[len(kept):])
		sh.idle[kind] = kept
	}
	sh.idleCount.Add(-int32(len(out)))
	return out
}
