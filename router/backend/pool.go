package backend

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// poolKinds is the number of stacks of a node: connections with and without a default database are kept apart, since a database once
// selected can't be unselected.
const poolKinds = 2 * classes

// lookBack is how many idle connections are looked at to find one whose settings fit already.
const lookBack = 8

// trustIdle is how long a pooled connection is used again without a look whether it still lives.
const trustIdle = 100 * time.Millisecond

// node is the pool and the health of one db node. Its mutex is held for moments only, never over I/O.
type node struct {
	cluster *Cluster
	cfg     *Config
	index   int
	name    string
	target  target
	metrics nodeMetrics
	kick    chan struct{} // wakes the watcher at once
	done    chan struct{} // closed by retire
	heard   atomic.Uint64 // grows whenever the server sends something

	mu      sync.Mutex
	idle    [poolKinds][]*Conn // last in, first out
	open    int                // connections and dials going on; never above limit
	limit   int                // MaxPerNode, or less for a while when the server has no room for so many
	waiting []*waiter          // first in, first out; idle is empty while somebody waits
	all     []*Conn            // every open connection, for severAll
	down    error              // why the node is down; nil while it is up
	retired error              // set once the node takes no more requests
}

// waiter is a request in the queue; it gets exactly one grant, unless it leaves the queue first.
type waiter struct {
	kind  int
	grant chan grant
}

// grant ends a wait: a connection, an error, or (neither) the permission to open one.
type grant struct {
	conn *Conn
	err  error
}

func newNode(c *Cluster, index int, t target) *node {
	n := &node{
		cluster: c, cfg: &c.cfg, index: index, name: t.info.Name, target: t, metrics: c.metrics.of(t.info.Name),
		kick: make(chan struct{}, 1), done: make(chan struct{}), limit: c.cfg.MaxPerNode,
	}
	if t.info.Removed {
		n.retired = errRemoved.New(t.info.Name)
		close(n.done)
	}
	return n
}

func kindOf(class Class, withDB bool) int {
	if withDB {
		return int(class) + classes
	}
	return int(class)
}

func (k *Conn) kind() int { return kindOf(k.class, k.selected) }

// Acquire gives a connection to a node for the sole use of the caller, who must call Release or Discard. The settings are put in force
// together with the first statement. It fails at once while the node is down, and after Config.WaitTimeout when every connection stays
// in use.
func (c *Cluster) Acquire(ctx context.Context, node int, class Class, s *Settings) (*Conn, error) {
	n, err := c.node(node)
	if err != nil {
		return nil, err
	}
	for {
		k, err := n.take(ctx, class, s)
		if err != nil {
			return nil, err
		}
		k.want = s
		if !k.inForce.leavesVariables(s) {
			return k, nil
		}
		// Another session's user variables: a variable set to NULL is not quite one that was never set.
		if k.sendReset() && k.finishReset() == nil {
			return k, nil
		}
		k.close()
	}
}

// take finds, opens or waits for a connection.
func (n *node) take(ctx context.Context, class Class, s *Settings) (*Conn, error) {
	kind := kindOf(class, s.db != "")
	for {
		n.mu.Lock()
		if k := n.pop(kind, s); k != nil {
			n.mu.Unlock()
			if k.reusable() {
				return k, nil
			}
			n.metrics.stale.Inc()
			k.close()
			n.sweep()
			continue
		}
		if err := n.refusal(); err != nil {
			n.mu.Unlock()
			return nil, err
		}
		if n.open < n.limit {
			n.open++
			n.mu.Unlock()
			k, again, err := n.tryDial(ctx, class)
			if again {
				continue
			}
			return k, err
		}
		if k := n.popOldest(); k != nil { // an idle one of another kind makes room
			n.open++ // its place is kept: close gives one back
			n.mu.Unlock()
			k.close()
			k, again, err := n.tryDial(ctx, class)
			if again {
				continue
			}
			return k, err
		}
		if len(n.waiting) >= n.cfg.MaxWaiting {
			n.mu.Unlock()
			n.metrics.waitErrors.Inc()
			return nil, errBusy.New(n.cfg.MaxPerNode, n.name)
		}
		w := &waiter{kind: kind, grant: make(chan grant, 1)}
		n.waiting = append(n.waiting, w)
		n.mu.Unlock()
		g := n.wait(ctx, w)
		switch {
		case g.err != nil:
			return nil, g.err
		case g.conn == nil:
			k, again, err := n.tryDial(ctx, class)
			if again {
				continue
			}
			return k, err
		case g.conn.reusable():
			return g.conn, nil
		}
		g.conn.close()
	}
}

// tryDial opens a connection in a place that the caller has taken. again means that the server has no room, or is too busy for logins, and
// that the request should wait for one of the connections that there are.
func (n *node) tryDial(ctx context.Context, class Class) (k *Conn, again bool, err error) {
	heard := n.heard.Load()
	if k, err = n.dial(ctx, class); err == nil {
		return k, false, nil
	}
	busy := errors.Is(err, errFull.New("")) || isTimeout(err) && n.heard.Load() != heard
	if !busy || ctx.Err() != nil {
		return nil, false, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.limit = len(n.all)
	return nil, n.limit > 0, err
}

// widen lets the pool grow again, step by step, after the server had no room.
func (n *node) widen() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.limit >= n.cfg.MaxPerNode {
		return
	}
	n.limit = min(n.limit+1+n.limit/8, n.cfg.MaxPerNode)
	if len(n.waiting) > 0 && n.open < n.limit && n.down == nil && n.retired == nil {
		n.open++
		n.shift().grant <- grant{}
	}
}

// refusal is why no new connection may be opened; the caller holds mu.
func (n *node) refusal() error {
	if n.retired != nil {
		return n.retired
	}
	return n.down
}

// wait blocks until w gets its grant, the time is up or ctx ends.
func (n *node) wait(ctx context.Context, w *waiter) grant {
	n.metrics.waits.Inc()
	timer := time.NewTimer(n.cfg.WaitTimeout)
	defer timer.Stop()
	var err error
	select {
	case g := <-w.grant:
		return g
	case <-timer.C:
		err = errBusy.New(n.cfg.MaxPerNode, n.name)
	case <-ctx.Done():
		err = errInterrupted.Wrap(context.Cause(ctx))
	}
	n.metrics.waitErrors.Inc()
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, x := range n.waiting {
		if x == w {
			n.waiting = append(n.waiting[:i], n.waiting[i+1:]...)
			return grant{err: err}
		}
	}
	return <-w.grant // granted meanwhile; the channel has room for it, so it is there
}

// pop takes an idle connection: near the top, one with these settings, else one that is not busy resetting itself; the caller holds mu.
func (n *node) pop(kind int, s *Settings) *Conn {
	stack := n.idle[kind]
	last := len(stack) - 1
	if last < 0 {
		return nil
	}
	pick := last
	for i := last; i >= 0 && i > last-lookBack; i-- {
		if stack[i].inForce == s {
			pick = i
			break
		}
		if stack[pick].resetSent && !stack[i].resetSent {
			pick = i
		}
	}
	k := stack[pick]
	copy(stack[pick:], stack[pick+1:])
	stack[last] = nil
	n.idle[kind] = stack[:last]
	return k
}

// popOldest takes the connection that has been idle for longest, of any kind; the caller holds mu.
func (n *node) popOldest() *Conn {
	oldest := -1
	for kind, stack := range n.idle {
		if len(stack) > 0 && (oldest < 0 || stack[0].idleSince.Before(n.idle[oldest][0].idleSince)) {
			oldest = kind
		}
	}
	if oldest < 0 {
		return nil
	}
	stack := n.idle[oldest]
	k := stack[0]
	copy(stack, stack[1:])
	stack[len(stack)-1] = nil
	n.idle[oldest] = stack[:len(stack)-1]
	return k
}

// put takes a clean connection back: the first waiter gets it, else it becomes idle.
func (n *node) put(k *Conn) {
	k.idleSince = time.Now()
	n.mu.Lock()
	if n.retired != nil || k.severed.Load() {
		n.mu.Unlock()
		k.close()
		return
	}
	if len(n.waiting) == 0 {
		n.idle[k.kind()] = append(n.idle[k.kind()], k)
		n.mu.Unlock()
		return
	}
	if w := n.waiting[0]; w.kind == k.kind() {
		n.shift().grant <- grant{conn: k}
		n.mu.Unlock()
		return
	}
	n.mu.Unlock()
	k.close() // its place goes to the waiter
}

// leave gives back the place of a connection that was closed or could not be opened.
func (n *node) leave() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.waiting) > 0 && n.down == nil && n.retired == nil && n.open <= n.limit {
		n.shift().grant <- grant{} // the place goes on to the waiter
		return
	}
	n.open--
}

// shift takes the first waiter out of the queue; the caller holds mu and sends it a grant.
func (n *node) shift() *waiter {
	w := n.waiting[0]
	n.waiting[0] = nil
	n.waiting = n.waiting[1:]
	return w
}

// failWaiting ends all waits with an error; the caller holds mu.
func (n *node) failWaiting(err error) {
	for len(n.waiting) > 0 {
		n.shift().grant <- grant{err: err}
	}
}

// takeIdle removes all idle connections for which f holds.
func (n *node) takeIdle(f func(*Conn) bool) []*Conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []*Conn
	for kind, stack := range n.idle {
		kept := stack[:0]
		for _, k := range stack {
			if f(k) {
				out = append(out, k)
			} else {
				kept = append(kept, k)
			}
		}
		clear(stack[len(kept):])
		n.idle[kind] = kept
	}
	return out
}

// sweep closes idle connections that died; called after one was found dead, since a restarted server leaves all of them so.
func (n *node) sweep() {
	for _, k := range n.takeIdle(func(k *Conn) bool { return !k.alive() }) {
		n.metrics.stale.Inc()
		k.close()
	}
}

// shrink closes what has been idle for too long.
func (n *node) shrink(now time.Time) {
	for _, k := range n.takeIdle(func(k *Conn) bool { return now.Sub(k.idleSince) > n.cfg.IdleTimeout }) {
		k.close()
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
	n.failWaiting(why)
	close(n.done)
	n.mu.Unlock()
	for _, k := range n.takeIdle(func(*Conn) bool { return true }) {
		k.close()
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
