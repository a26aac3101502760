package backend

import (
	"sort"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// NodeStats is one node as SHOW BALLAST prints it.
type NodeStats struct {
	Index int
	Name  string
	// Open connections, those being opened included; those of them that are idle, that statements use, and that transactions or named locks
	// keep.
	Open, Idle, InUse, Kept int
	// Limit is how many statements outside transactions are sent to the node at a time. It follows how fast the node answers.
	Limit int
	// Waiting is the number of statements that wait for a connection.
	Waiting int
	// Down is why the node is down; nil while it is up.
	Down error
}

// Stats describes all nodes, by place.
func (c *Cluster) Stats() []NodeStats {
	nodes := *c.nodes.Load()
	out := make([]NodeStats, len(nodes))
	for i, n := range nodes {
		out[i] = n.stats(nil)
	}
	return out
}

// stats describes the node; the waits are added to into, unless that is nil.
func (n *node) stats(into *waits) NodeStats {
	n.mu.Lock()
	s := NodeStats{Index: n.index, Name: n.name, Open: n.open, Down: n.refusal()}
	n.mu.Unlock()
	for _, sh := range n.shards {
		sh.mu.Lock()
		s.Idle += int(sh.idleCount.Load())
		s.InUse += sh.using.busy + sh.using.stuck
		s.Kept += sh.using.pinned
		s.Waiting += sh.waiting
		s.Limit += sh.using.limiter.allowed(sh.using.stuck)
		if into != nil {
			into.merge(&sh.waited)
		}
		sh.mu.Unlock()
	}
	s.Limit = min(s.Limit, n.cfg.MaxPerNode)
	return s
}

// waitBounds are the upper bounds of the buckets of waits, in nanoseconds.
var waitBounds = [...]int64{1e5, 3.2e5, 1e6, 3.2e6, 1e7, 3.2e7, 1e8, 3.2e8, 1e9, 3.2e9, 1e10}

// waits counts how long was waited for connections, in a shard whose mutex guards it.
type waits struct {
	count, nanos uint64
	buckets      [len(waitBounds)]uint64 // each counts its own only
}

func (w *waits) add(d int64) {
	w.count++
	w.nanos += uint64(d)
	if i := sort.Search(len(waitBounds), func(i int) bool { return d <= waitBounds[i] }); i < len(waitBounds) {
		w.buckets[i]++
	}
}

func (w *waits) merge(o *waits) {
	w.count += o.count
	w.nanos += o.nanos
	for i := range w.buckets {
		w.buckets[i] += o.buckets[i]
	}
}

// cumulative gives the buckets as Prometheus wants them.
func (w *waits) cumulative() map[float64]uint64 {
	out := make(map[float64]uint64, len(waitBounds))
	sum := uint64(0)
	for i, bound := range waitBounds {
		sum += w.buckets[i]
		out[time.Duration(bound).Seconds()] = sum
	}
	return out
}

// poolCollector reads the pools when the metrics are asked for.
type poolCollector struct {
	c *Cluster
	m *metrics
}

// Describe implements prometheus.Collector.
func (p poolCollector) Describe(out chan<- *prometheus.Desc) {
	m := p.m
	for _, d := range []*prometheus.Desc{m.conns, m.waiting, m.limit, m.waits} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (p poolCollector) Collect(out chan<- prometheus.Metric) {
	m := p.m
	seen := map[string]bool{}
	for _, n := range *p.c.nodes.Load() {
		if n.target.info.Removed || seen[n.name] {
			continue
		}
		seen[n.name] = true
		var w waits
		s := n.stats(&w)
		gauge := func(d *prometheus.Desc, v int, labels ...string) {
			out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v), append([]string{n.name}, labels...)...)
		}
		gauge(m.conns, s.Idle, "idle")
		gauge(m.conns, s.InUse, "used")
		gauge(m.conns, s.Kept, "kept")
		gauge(m.waiting, s.Waiting)
		gauge(m.limit, s.Limit)
		out <- prometheus.MustNewConstHistogram(m.waits, w.count, time.Duration(w.nanos).Seconds(), w.cumulative(), n.name)
	}
}
