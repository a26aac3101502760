package master

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics are this master's figures.
type metrics struct {
	leading     prometheus.Gauge
	metaUp      prometheus.Gauge
	metaSeconds prometheus.Histogram
	streams     prometheus.Gauge
	nodeUp      *prometheus.GaugeVec
	refused     *prometheus.CounterVec
	ddl         *prometheus.CounterVec
	ddlSeconds  prometheus.Histogram
	ids         prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) *metrics {
	m := &metrics{
		leading:     prometheus.NewGauge(prometheus.GaugeOpts{Name: "ballast_master_leading", Help: "1 while this master leads."}),
		metaUp:      prometheus.NewGauge(prometheus.GaugeOpts{Name: "ballast_master_metadata_up", Help: "1 while the metadata server answers."}),
		metaSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "ballast_master_metadata_transaction_seconds", Help: "Time of a metadata transaction; its commit is durable.", Buckets: prometheus.ExponentialBuckets(0.001, 2, 13)}),
		streams:     prometheus.NewGauge(prometheus.GaugeOpts{Name: "ballast_master_router_streams", Help: "Router streams that are open."}),
		nodeUp:      prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "ballast_master_node_up", Help: "1 while the db node answers the leader."}, []string{"node"}),
		refused:     prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ballast_master_refused_total", Help: "Calls refused, by the failure's id (empty for a db node's own error)."}, []string{"id"}),
		ddl:         prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ballast_master_ddl_total", Help: "Definition jobs that ended."}, []string{"kind", "state"}),
		ddlSeconds:  prometheus.NewHistogram(prometheus.HistogramOpts{Name: "ballast_master_ddl_seconds", Help: "Time of a definition job from request to end.", Buckets: prometheus.ExponentialBuckets(0.01, 3, 10)}),
		ids:         prometheus.NewCounter(prometheus.CounterOpts{Name: "ballast_master_sequence_ids_total", Help: "Sequence ids handed out in blocks."}),
	}
	reg.MustRegister(m.leading, m.metaUp, m.metaSeconds, m.streams, m.nodeUp, m.refused, m.ddl, m.ddlSeconds, m.ids,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}
