package sqlfront

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"ballast/sqlfront/wire"
)

// metrics counts what clients do. No label depends on what a client sends, beside the command's byte.
type metrics struct {
	open       prometheus.Gauge
	accepted   prometheus.Counter
	refused    *prometheus.CounterVec // by reason
	ended      *prometheus.CounterVec // by reason
	logins     *prometheus.CounterVec // by result
	bytesIn    prometheus.Counter
	bytesOut   prometheus.Counter
	statements prometheus.Gauge
	commands   [wire.ComClone + 2]prometheus.Counter // by command byte; the last counts bytes that are no command
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "ballast", Subsystem: "sqlfront", Name: name, Help: help})
	}
	vec := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "ballast", Subsystem: "sqlfront", Name: name, Help: help}, []string{label})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "ballast", Subsystem: "sqlfront", Name: name, Help: help})
	}
	m := &metrics{
		open:       gauge("connections", "Client connections open now, those still in their handshake included."),
		accepted:   counter("connections_total", "Client connections accepted."),
		refused:    vec("connections_refused_total", "Client connections turned away before their handshake, by reason.", "reason"),
		ended:      vec("connections_ended_total", "Client connections that ended, by reason.", "reason"),
		logins:     vec("logins_total", "Finished handshakes and user changes, by result.", "result"),
		bytesIn:    counter("received_bytes_total", "Bytes of commands received from clients."),
		bytesOut:   counter("sent_bytes_total", "Bytes of answers sent to clients."),
		statements: gauge("prepared_statements", "Prepared statements that clients hold."),
	}
	commands := vec("commands_total", "Commands received, by command.", "command")
	for i := range m.commands {
		m.commands[i] = commands.WithLabelValues(wire.Command(i).String())
	}
	if reg == nil {
		return m, nil
	}
	var faults []error
	for _, c := range []prometheus.Collector{m.open, m.accepted, m.refused, m.ended, m.logins, m.bytesIn, m.bytesOut, m.statements, commands} {
		if err := reg.Register(c); err != nil {
			faults = append(faults, fmt.Errorf("register a metric: %w", err))
		}
	}
	return m, errors.Join(faults...)
}

func (m *metrics) command(c wire.Command) {
	m.commands[min(int(c), len(m.commands)-1)].Inc()
}
