package main

import (
	"fmt"
	"runtime"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"ballast/sqlfront/netloop"
)

// The values of the setting io.
const (
	ioLoop      = "loop"
	ioGoroutine = "goroutine"
)

// maxLoops bounds the setting loops.
const maxLoops = 256

func defaultIO() string {
	if netloop.Supported {
		return ioLoop
	}
	return ioGoroutine
}

// makeLoops makes the router's event loops; none where goroutines serve the clients.
func (c *RouterConfig) makeLoops(reg prometheus.Registerer) ([]*netloop.Loop, error) {
	if c.IO != ioLoop {
		return nil, nil
	}
	n := c.Loops
	if n == 0 {
		n = max(runtime.GOMAXPROCS(0)/2, 1)
	}
	if runtime.GOMAXPROCS(0) <= n {
		runtime.GOMAXPROCS(n + 1) // loops wait inside system calls, which the scheduler does not take from them at once
	}
	loops := make([]*netloop.Loop, n)
	for i := range loops {
		l, err := netloop.New()
		if err != nil {
			return nil, fmt.Errorf("make event loop %d: %w", i, err)
		}
		loops[i] = l
	}
	return loops, reg.Register(loopMetrics(loops))
}

// loopMetrics shows what the loops count themselves.
type loopMetrics []*netloop.Loop

var (
	loopWaits   = loopDesc("waits_total", "Waits of an event loop for its sockets (epoll_wait).")
	loopReads   = loopDesc("reads_total", "Reads that an event loop has done itself.")
	loopWrites  = loopDesc("writes_total", "Writes that an event loop has done itself.")
	loopEvents  = loopDesc("events_total", "Events of sockets that an event loop was told of.")
	loopSockets = loopDesc("sockets", "Sockets that an event loop watches: clients, and connections to nodes.")
)

func loopDesc(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("ballast_loop_"+name, help, []string{"loop"}, nil)
}

// Describe implements prometheus.Collector.
func (m loopMetrics) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{loopWaits, loopReads, loopWrites, loopEvents, loopSockets} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (m loopMetrics) Collect(ch chan<- prometheus.Metric) {
	for i, l := range m {
		s, name := l.Stats(), strconv.Itoa(i)
		counter := func(d *prometheus.Desc, v uint64) {
			ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), name)
		}
		counter(loopWaits, s.Waits)
		counter(loopReads, s.Reads)
		counter(loopWrites, s.Writes)
		counter(loopEvents, s.Events)
		ch <- prometheus.MustNewConstMetric(loopSockets, prometheus.GaugeValue, float64(s.Conns), name)
	}
}
