package backend_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/router/backend"
	"ballast/router/routertest"
)

// Clients of two kinds, or of two shards, share the places without connections being closed and opened all the time.
func TestPlacesSettleDown(t *testing.T) {
	for name, at := range map[string]func(i int) (shard int, class backend.Class){
		"kinds":        func(i int) (int, backend.Class) { return 0, backend.Class(i % 2) },
		"shards":       func(i int) (int, backend.Class) { return i % 2, 0 },
		"uneven kinds": func(i int) (int, backend.Class) { return 0, backend.Class(min(i%8, 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			n := routertest.Start(t, nil)
			c := overFakes(t, backend.Config{MaxPerNode: 8, Shards: 2, ProbeInterval: time.Hour}, n)
			var wg sync.WaitGroup
			var done, worst [8]atomic.Int64
			ctx, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer stop()
			for i := range 160 {
				wg.Go(func() {
					shard, class := at(i)
					for ctx.Err() == nil {
						began := time.Now()
						k, err := c.Acquire(context.Background(), shard, 0, class, c.Settings())
						if err != nil {
							t.Error(err)
							return
						}
						worst[i%8].Store(max(worst[i%8].Load(), int64(time.Since(began))))
						exec(t, k, "SELECT 1")
						k.Release()
						done[i%8].Add(1)
					}
				})
			}
			wg.Wait()
			for i := range done {
				t.Logf("%d: %d statements, worst wait %s", i, done[i].Load(), time.Duration(worst[i].Load()))
			}
			if opened := n.Connections(); opened > 60 {
				t.Errorf("%d connections were opened for 8 places", opened)
			}
		})
	}
}
