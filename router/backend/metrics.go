package backend

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts what happens towards the nodes. Every vector has the node's name as its label.
type metrics struct {
	statements *prometheus.CounterVec // commands sent, settings and probes not counted
	dials      *prometheus.CounterVec // connections opened
	dialErrors *prometheus.CounterVec // connections that could not be opened
	lost       *prometheus.CounterVec // connections lost while they were in use
	stale      *prometheus.CounterVec // pooled connections found dead before use
	settings   *prometheus.CounterVec // SET or database changes needed before a statement
	resets     *prometheus.CounterVec // connections reset because something pinned them
	waitErrors *prometheus.CounterVec // statements that waited for a connection in vain
	kills      *prometheus.CounterVec // statements interrupted by KILL QUERY
	down       *prometheus.GaugeVec   // 1 while a node is down

	// What is read from the pools when somebody asks.
	conns, waiting, limit, waits *prometheus.Desc
}

// nodeMetrics is metrics for one node, looked up once.
type nodeMetrics struct {
	statements, dials, dialErrors, lost, stale, settings, resets, waitErrors, kills prometheus.Counter
	down                                                                            prometheus.Gauge
}

func newMetrics(c *Cluster, reg prometheus.Registerer) (*metrics, error) {
	var all []prometheus.Collector
	counter := func(name, help string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "ballast", Subsystem: "backend", Name: name, Help: help}, []string{"node"})
		all = append(all, v)
		return v
	}
	gauge := func(name, help string) *prometheus.GaugeVec {
		v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "ballast", Subsystem: "backend", Name: name, Help: help}, []string{"node"})
		all = append(all, v)
		return v
	}
	read := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(prometheus.BuildFQName("ballast", "backend", name), help, append([]string{"node"}, labels...), nil)
	}
	m := &metrics{
		statements: counter("statements_total", "Statements sent to a node."),
		dials:      counter("connects_total", "Connections opened to a node."),
		dialErrors: counter("connect_errors_total", "Connections to a node that could not be opened."),
		lost:       counter("lost_total", "Connections lost while a statement used them."),
		stale:      counter("stale_total", "Pooled connections found dead before they were used."),
		settings:   counter("settings_changes_total", "Statements that first had to change the settings of their connection."),
		resets:     counter("resets_total", "Connections reset because session state was left on them."),
		waitErrors: counter("wait_errors_total", "Statements that waited for a connection in vain."),
		kills:      counter("kills_total", "Running statements interrupted on a node."),
		down:       gauge("node_down", "1 while a node is down."),
		conns:      read("connections", "Open connections to a node: idle in the pool, used by a statement, or kept by a transaction or named locks.", "state"),
		waiting:    read("waiting", "Statements that wait for a connection now."),
		limit:      read("limit", "Statements outside transactions that a node is given at a time: it follows how fast the node answers."),
		waits:      read("wait_seconds", "How long statements waited for a connection, for one to be opened included, of those that had to and got one. Buckets from 0.1 ms to 10 s."),
	}
	if reg == nil {
		return m, nil
	}
	for _, v := range append(all, poolCollector{c, m}) {
		if err := reg.Register(v); err != nil {
			return nil, fmt.Errorf("register backend metrics: %w", err)
		}
	}
	return m, nil
}

func (m *metrics) of(node string) nodeMetrics {
	return nodeMetrics{
		statements: m.statements.WithLabelValues(node), dials: m.dials.WithLabelValues(node), dialErrors: m.dialErrors.WithLabelValues(node),
		lost: m.lost.WithLabelValues(node), stale: m.stale.WithLabelValues(node), settings: m.settings.WithLabelValues(node),
		resets: m.resets.WithLabelValues(node), waitErrors: m.waitErrors.WithLabelValues(node),
		kills: m.kills.WithLabelValues(node), down: m.down.WithLabelValues(node),
	}
}
