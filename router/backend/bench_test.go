package backend_test

import (
	"context"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"ballast/router/backend"
)

type null struct{}

func (null) Relay([]byte) error { return nil }

// BenchmarkRelay is one statement over a pooled connection. cpu-us/op is this process's processor time for it.
func BenchmarkRelay(b *testing.B) {
	s := startServer(b)
	c := startCluster(b, s, backend.Config{}, root)
	for _, clients := range []int{1, 64} {
		b.Run(map[int]string{1: "one", 64: "many"}[clients], func(b *testing.B) { benchRelay(b, c, clients) })
	}
}

func benchRelay(b *testing.B, c *backend.Cluster, clients int) {
	cmd := query("SELECT 1")
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	b.ReportAllocs()
	before := cpuTime(b)
	b.ResetTimer()
	for range clients {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				k, err := c.Acquire(context.Background(), 0, 0, 0, c.Settings())
				if err != nil {
					b.Error(err)
					return
				}
				if _, err := k.Relay(context.Background(), cmd, null{}, false); err != nil {
					b.Error(err)
				}
				k.Release()
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N)/1e3, "cpu-us/op")
}

// cpuTime is this process's processor time, in nanoseconds.
func cpuTime(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
