package router

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ballast/router/plan"
)

// metrics are the router's own numbers. Labels are bounded: no table, user or statement text is one.
type metrics struct {
	// statements is indexed by verb and by where it ran, so that counting takes no lookup.
	statements [verbs][places]prometheus.Counter
	errors     prometheus.Counter
	seconds    [places]prometheus.Observer
	sessions   prometheus.Gauge
	slow       prometheus.Counter
}

// place says where a statement ran.
type place uint8

const (
	placeRouter place = iota
	placeSingle
	placeScatter
	placeWrites
	places
)

var placeNames = [places]string{"router", "single", "scatter", "writes"}

const verbs = int(plan.Other) + 1

var verbNames = [verbs]string{
	"none", "select", "insert", "replace", "update", "delete", "set", "use", "begin", "commit", "rollback", "savepoint", "rollback_to",
	"release", "show", "explain", "ddl", "prepare", "execute", "deallocate", "kill", "do", "lock_tables", "unlock_tables", "show_ballast",
	"admin", "call", "load_data", "other",
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	statements := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "ballast_router_statements_total",
		Help: "Statements answered, by verb and by where they ran: router (by itself), single (one node), scatter (several, reading), writes (several, writing).",
	}, []string{"verb", "place"})
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "ballast_router_statement_seconds",
		Help:    "Time from a statement's arrival to the last byte of its answer. Buckets from 0.1 ms (a point select) to 10 s.",
		Buckets: prometheus.ExponentialBuckets(0.0001, 3.2, 11),
	}, []string{"place"})
	m := &metrics{
		errors:   prometheus.NewCounter(prometheus.CounterOpts{Name: "ballast_router_errors_total", Help: "Statements answered by an error."}),
		sessions: prometheus.NewGauge(prometheus.GaugeOpts{Name: "ballast_router_sessions", Help: "Sessions that are open."}),
		slow:     prometheus.NewCounter(prometheus.CounterOpts{Name: "ballast_router_slow_statements_total", Help: "Statements over limits.slow_statement."}),
	}
	for v := range verbs {
		for p := range places {
			m.statements[v][p] = statements.WithLabelValues(verbNames[v], placeNames[p])
		}
	}
	for p := range places {
		m.seconds[p] = seconds.WithLabelValues(placeNames[p])
	}
	for _, c := range []prometheus.Collector{statements, seconds, m.errors, m.sessions, m.slow} {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("register the router's metrics: %w", err)
		}
	}
	return m, nil
}

func (m *metrics) observe(v plan.Verb, p place, took time.Duration, failed bool) {
	m.statements[v][p].Inc()
	m.seconds[p].Observe(took.Seconds())
	if failed {
		m.errors.Inc()
	}
}
