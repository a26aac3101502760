package backend_test

import (
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ballast/router/backend"
	"ballast/router/routertest"
)

// What the pools say of themselves is what is the case.
func TestPoolMetrics(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	n := routertest.Start(t, nil)
	c := overFakes(t, backend.Config{MaxPerNode: 3, Shards: 2, Registry: reg}, n)
	kept, used, idle := on(t, c, 0), on(t, c, 0), on(t, c, 0) // which wait until they are opened
	kept.Pin()
	idle.Release()
	read := func() map[string]float64 {
		t.Helper()
		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]float64{}
		for _, f := range families {
			for _, m := range f.Metric {
				name := f.GetName()
				for _, l := range m.Label {
					if l.GetName() == "state" {
						name += " " + l.GetValue()
					}
				}
				switch {
				case m.Histogram != nil:
					out[name] = float64(m.Histogram.GetSampleCount())
				case m.Gauge != nil:
					out[name] = m.Gauge.GetValue()
				default:
					out[name] = m.Counter.GetValue()
				}
			}
		}
		return out
	}
	check := func(want map[string]float64) {
		t.Helper()
		got := read()
		for name, v := range want {
			if got["ballast_backend_"+name] != v {
				t.Errorf("%s is %v, want %v", name, got["ballast_backend_"+name], v)
			}
		}
	}
	check(map[string]float64{"connections kept": 1, "connections used": 1, "connections idle": 1, "waiting": 0, "limit": 3, "wait_seconds": 3, "connects_total": 3})
	idle = on(t, c, 0)
	w := newCaller()
	c.Queue(0, 0, 0, c.Settings(), w)
	check(map[string]float64{"connections used": 2, "connections idle": 0, "waiting": 1, "wait_errors_total": 0})
	idle.Release()
	g := w.within(t, 3*time.Second)
	check(map[string]float64{"waiting": 0, "wait_seconds": 4})
	g.k.Release()
	used.Release()
	kept.Release()
	eventually(t, 3*time.Second, func() error {
		if read()["ballast_backend_connections idle"] != 3 {
			return errors.New("not all idle")
		}
		return nil
	})
}
