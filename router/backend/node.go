package backend

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ballast/sqlfront/netloop"
)

// node is one db node: its health, its places for connections, and the shards of its pool. Its mutex is held for moments only, never over
// I/O, and no other lock is taken under it.
type node struct {
	cluster *Cluster
	cfg     *Config
	index   int
	name    string
	target  target
	metrics nodeMetrics
	shards  []*shard
	kick    chan struct{} // wakes the watcher at once
	done    chan struct{} // closed by retire
	heard   atomic.Uint64 // grows whenever the server sends something
	refused atomic.Pointer[refusal]
	waiting atomic.Int64 // in the queues of all shards
	// starving counts the shards in which somebody waits who could be served if there were a place.
	starving atomic.Int32

	life    context.Context //nolint:containedctx // ends with the node's service; for connections being opened
	end     context.CancelFunc
	workers sync.WaitGroup // goroutines that open connections or make them ready

	mu      sync.Mutex
	open    int     // connections and those being opened; never above MaxPerNode
	limit   int     // MaxPerNode, or less for a while when the server has no room for so many
	all     []*Conn // every open connection, for severAll
	down    error   // why the node is down; nil while it is up
	retired error   // set once the node takes no more requests
}

// refusal is why no new connection may be opened.
type refusal struct{ err error }

func newNode(c *Cluster, index int, t target) *node {
	n := &node{
		cluster: c, cfg: &c.cfg, index: index, name: t.info.Name, target: t, metrics: c.metrics.of(t.info.Name),
		kick: make(chan struct{}, 1), done: make(chan struct{}), limit: c.cfg.MaxPerNode,
	}
	n.life, n.end = context.WithCancel(context.Background())
	n.shards = make([]*shard, c.cfg.Shards)
	for i := range n.shards {
		n.shards[i] = newShard(n, i)
	}
	if t.info.Removed {
		n.retire(errRemoved.New(t.info.Name))
	}
	return n
}

// shard gives the shard of a number; numbers beyond Config.Shards begin again.
func (n *node) shard(i int) *shard { return n.shards[uint(i)%uint(len(n.shards))] }

// refusal is why no new connection may be opened; nil when one may.
func (n *node) refusal() error {
	if r := n.refused.Load(); r != nil {
		return r.err
	}
	return nil
}

// restate publishes what refusal gives; the caller holds mu.
func (n *node) restate() {
	switch {
	case n.retired != nil:
		n.refused.Store(&refusal{n.retired})
	case n.down != nil:
		n.refused.Store(&refusal{n.down})
	default:
		n.refused.Store(nil)
	}
}

// spawn runs f on a goroutine that retire's caller can wait for; false when the node is retired.
func (n *node) spawn(f func()) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.retired != nil {
		return false
	}
	n.workers.Go(f)
	return true
}

// sweep closes idle connections that died; called after one was found dead, since a restarted server leaves all of them so.
func (n *node) sweep() {
	for _, sh := range n.shards {
		live := sh.takeIdle(func(*Conn) bool { return true })
		kept := live[:0]
		var dead []*Conn
		for _, k := range live {
			if k.alive() {
				kept = append(kept, k)
			} else {
				dead = append(dead, k)
			}
		}
		sh.putBack(kept...)
		for _, k := range dead {
			n.metrics.stale.Inc()
			k.close()
		}
	}
}

// shrink closes what has been idle for too long.
func (n *node) shrink() {
	now := n.cluster.now()
	for _, sh := range n.shards {
		for _, k := range sh.takeIdle(func(k *Conn) bool { return now-k.idleSince > int64(n.cfg.IdleTimeout) }) {
			k.close()
		}
	}
}

// retire ends the node's service: requests fail with why, idle connections are closed, used ones when they are given back.
func (n *node) retire(why error) {
	n.mu.Lock()
	if n.retired != nil {
		n.mu.Unlock()
		return
	}
	n.retired = why
	n.restate()
	close(n.done)
	n.mu.Unlock()
	n.end()
	for _, sh := range n.shards {
		sh.failWaiting(why)
		for _, k := range sh.takeIdle(func(*Conn) bool { return true }) {
			k.close()
		}
	}
}

func (n *node) isRetired() bool {
	select {
	case <-n.done:
		return true
	default:
		return false
	}
}

// adopt and disown keep the list of open connections.
func (n *node) adopt(k *Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	k.place = len(n.all)
	n.all = append(n.all, k)
}

func (n *node) disown(k *Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	last := len(n.all) - 1
	n.all[k.place] = n.all[last]
	n.all[k.place].place = k.place
	n.all[last] = nil
	n.all = n.all[:last]
}

// severAll breaks all open connections, used ones included: whoever waits on one gets an error.
func (n *node) severAll() {
	n.mu.Lock()
	conns := append([]*Conn(nil), n.all...)
	n.mu.Unlock()
	for _, k := range conns {
		k.sever()
	}
}

// now is the time since the cluster was made, in nanoseconds.
func (c *Cluster) now() int64 { return int64(time.Since(c.epoch)) }

// nowOn is now as of the beginning of the turn of the loop on which it is called; nil is no loop.
func (c *Cluster) nowOn(l *netloop.Loop) int64 {
	if l == nil {
		return c.now()
	}
	return int64(l.Now().Sub(c.epoch))
}
