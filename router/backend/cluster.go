package backend

import (
	"context"
	"crypto/tls"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"ballast/rules/catalog"
	"ballast/sqlfront/netloop"
)

// The keys of this package's log lines.
const (
	logNode  = "node"
	logError = "error"
	logAddr  = "addr"
)

// Credential is the account that the router uses on every node: made by the master for this incarnation of the router.
type Credential struct{ User, Password string }

// Cluster is the router's side of all db nodes: a pool and a health state for each. Safe for concurrent use.
type Cluster struct {
	cfg     Config
	log     *slog.Logger
	metrics *metrics
	buffers *buffers
	base    *Settings
	// sleepers are waiters of goroutines, for use again.
	sleepers sync.Pool
	nodes    atomic.Pointer[[]*node] // by place; replaced as a whole
	mu       sync.Mutex              // serializes Update
	epoch    time.Time               // where now begins
	changed  chan struct{}           // tells Run that nodes has new entries
}

// New checks the configuration and makes a cluster without nodes; it starts nothing.
func New(cfg Config) (*Cluster, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	c := &Cluster{cfg: cfg, log: cfg.Logger, buffers: newBuffers(), epoch: time.Now(), base: newInterner().intern("", nil), changed: make(chan struct{}, 1)}
	c.sleepers.New = newSleeper
	c.nodes.Store(&[]*node{})
	var err error
	if c.metrics, err = newMetrics(c, cfg.Registry); err != nil {
		return nil, err
	}
	return c, nil
}

// Settings gives the empty set: no database, every variable at the server's global value, character set utf8mb4.
func (c *Cluster) Settings() *Settings { return c.base }

// Update says which nodes there are, by place, and which account to use. A node whose address, identity or account changed gets a new
// pool: connections of the old one are closed when their user gives them back, the idle ones at once.
func (c *Cluster) Update(nodes []catalog.Node, cred Credential) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := *c.nodes.Load()
	next := make([]*node, len(nodes))
	var gone []*node
	for i := range nodes {
		target := target{info: nodes[i], cred: cred, tls: c.cfg.TLS}
		switch {
		case i < len(old) && old[i].target.same(target):
			next[i] = old[i]
		default:
			next[i] = newNode(c, i, target)
			if i < len(old) {
				gone = append(gone, old[i])
			}
		}
	}
	if len(old) > len(nodes) {
		gone = append(gone, old[len(nodes):]...)
	}
	c.nodes.Store(&next)
	for _, n := range gone {
		n.retire(errRemoved.New(n.name))
	}
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Run keeps an eye on the nodes until ctx ends: probes, closing of idle connections. It then closes all connections, used ones too, and
// returns when its goroutines have ended.
func (c *Cluster) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	watched := map[*node]bool{}
	for {
		for _, n := range *c.nodes.Load() {
			if !watched[n] && !n.target.info.Removed {
				watched[n] = true
				wg.Go(func() {
					n.watch(ctx)
					<-n.done
					n.workers.Wait()
				})
			}
		}
		for n := range watched {
			if n.isRetired() {
				delete(watched, n) // its goroutine ends by itself
			}
		}
		select {
		case <-c.changed:
			continue
		case <-ctx.Done():
		}
		break
	}
	for _, n := range *c.nodes.Load() {
		n.retire(errStopping.New())
		n.severAll()
	}
	wg.Wait()
	return nil
}

// Loop is the event loop of a shard; nil without loops.
func (c *Cluster) Loop(shard int) *netloop.Loop {
	if shard < len(c.cfg.Loops) {
		return c.cfg.Loops[shard]
	}
	return nil
}

// loopOf is the loop of a connection that is to be; one outside the pool has none.
func (c *Cluster) loopOf(k *Conn) *netloop.Loop {
	if k.shard == nil {
		return nil
	}
	return c.Loop(k.shard.index)
}

// node gives the node at a place.
func (c *Cluster) node(i int) (*node, error) {
	nodes := *c.nodes.Load()
	if i < 0 || i >= len(nodes) {
		return nil, errNoNode.New(i)
	}
	return nodes[i], nil
}

// target is where a node's connections go and as whom.
type target struct {
	info catalog.Node
	cred Credential
	tls  *tls.Config
}

// same tells whether connections made for one target serve the other.
func (t target) same(o target) bool {
	return t.cred == o.cred && t.info.Name == o.info.Name && t.info.Addr == o.info.Addr && t.info.UUID == o.info.UUID &&
		t.info.Promotion == o.info.Promotion && t.info.Removed == o.info.Removed
}
