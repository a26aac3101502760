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
	waits      *prometheus.CounterVec // statements that had to wait for a connection
	waitErrors *prometheus.CounterVec // of these, those that waited in vain
	kills      *prometheus.CounterVec // statements interrupted by KILL QUERY
	down       *prometheus.GaugeVec   // 1 while a node is down
	conns      *prometheus.GaugeVec   // connections by state: idle, used
}

// nodeMetrics is metrics for one node, looked up once.
type nodeMetrics struct {
	statements, dials, dialErrors, lost, stale, settings, resets, waits, waitErrors, kills prometheus.Counter
	down, idle, used                                                                       prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	var all []prometheus.Collector
	counter := func(name, help string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "ballast", Subsystem: "backend", Name: name, Help: help}, []string{"node"})
		all = append(all, v)
		return v
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "ballast", Subsystem: "backend", Name: name, Help: help}, labels)
		all = append(all, v)
		return v
	}
	m := &metrics{
		statements: counter("statements_total", "Statements sent to a node."),
		dials:      counter("connects_total", "Connections opened to a node."),
		dialErrors: counter("connect_errors_total", "Connections to a node that could not be opened."),
		lost:       counter("lost_total", "Connections lost while a statement used them."),
		stale:      counter("stale_total", "Pooled connections found dead before they were used."),
		settings:   counter("settings_changes_total", "Statements that first had to change the settings of their connection."),
		resets:     counter("resets_total", "Connections reset because session state was left on them."),
		waits:      counter("waits_total", "Statements that waited for a connection."),
		waitErrors: counter("wait_errors_total", "Statements that waited for a connection in vain."),
		kills:      counter("kills_total", "Running statements interrupted on a node."),
		down:       gauge("node_down", "1 while a node is down.", "node"),
		conns:      gauge("connections", "Open connections to a node: idle in the pool, or used.", "node", "state"),
	}
	if reg == nil {
		return m, nil
	}
	for _, c := range all {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("register backend metrics: %w", err)
		}
	}
	return m, nil
}

func (m *metrics) of(node string) nodeMetrics {
	return nodeMetrics{
		statements: m.statements.WithLabelValues(node), dials: m.dials.WithLabelValues(node), dialErrors: m.dialErrors.WithLabelValues(node),
		lost: m.lost.WithLabelValues(node), stale: m.stale.WithLabelValues(node), settings: m.settings.WithLabelValues(node),
		resets: m.resets.WithLabelValues(node), waits: m.waits.WithLabelValues(node), waitErrors: m.waitErrors.WithLabelValues(node),
		kills: m.kills.WithLabelValues(node), down: m.down.WithLabelValues(node),
		idle: m.conns.WithLabelValues(node, "idle"), used: m.conns.WithLabelValues(node, "used"),
	}
}
