package backend_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/router/backend"
	"ballast/router/routertest"
	"ballast/sqlfront/wire"
)

// Statements that wait for each other are all let in, soon, although many more are under way then than a limit begins with: a limit that
// follows the node's speed must not make a deadlock.
func TestManyThatWaitForEachOther(t *testing.T) {
	for _, shards := range []int{1, 2} {
		t.Run(fmt.Sprint(shards, " shards"), func(t *testing.T) {
			const many = 80
			var inside atomic.Int32
			all := make(chan struct{})
			n := routertest.Start(t, func(q *routertest.Query) {
				if q.SQL == "SELECT everybody" {
					if inside.Add(1) == many {
						close(all)
					}
					<-all
				}
				q.OK(wire.OK{})
			})
			c := overFakes(t, backend.Config{MaxPerNode: many, Shards: shards}, n)
			began := time.Now()
			var wg sync.WaitGroup
			for i := range many {
				wg.Go(func() {
					k, err := c.Acquire(context.Background(), i, 0, 0, c.Settings())
					if err != nil {
						t.Error(err)
						return
					}
					exec(t, k, "SELECT everybody")
					k.Release()
				})
			}
			wg.Wait()
			t.Logf("took %s", time.Since(began))
		})
	}
}

// Connections that transactions keep leave the count of those that the limit is for.
func TestPinnedConnectionsDoNotCount(t *testing.T) {
	n := routertest.Start(t, nil)
	c := overFakes(t, backend.Config{MaxPerNode: 40}, n)
	var held []*backend.Conn
	for range 39 {
		k := on(t, c, 0)
		k.Pin()
		k.Pin() // changes nothing
		held = append(held, k)
	}
	began := time.Now()
	for range 100 {
		on(t, c, 0).Release()
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("100 statements took %s beside transactions", took)
	}
	if st := c.Stats()[0]; st.Open != 40 || st.Idle != 1 {
		t.Errorf("%+v", st)
	}
	for _, k := range held {
		k.Release()
	}
	if st := c.Stats()[0]; st.Open != 40 || st.Idle != 40 {
		t.Errorf("%+v", st)
	}
}
