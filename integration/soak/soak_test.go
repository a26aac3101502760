//go:build linux

package soak

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/integration/cluster"
)

var (
	pool = cluster.NewPool()
	long = flag.Duration("soak", 10*time.Second, "how long the router is mistreated")
)

func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }

// stage is what visitors share.
type stage struct {
	ballast *cluster.Ballast
	next    atomic.Int64 // ids of new rows
	turns   sync.Map     // by a habit's name, *atomic.Int64

	mu        sync.Mutex
	committed map[int64]bool
}

func (s *stage) commit(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.committed[id] = true
}

// mistreat lets all habits go on for that long, or until one meets an error; a turn that was begun is finished.
func (s *stage) mistreat(ctx context.Context, d time.Duration, seed uint64) error {
	ctx, cancel := context.WithTimeout(ctx, d+2*time.Minute)
	defer cancel()
	until := time.Now().Add(d)
	var stop atomic.Bool
	var wait sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for _, h := range habits {
		count, _ := s.turns.LoadOrStore(h.name, new(atomic.Int64))
		for i := range h.crowd {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			wait.Go(func() {
				for !stop.Load() && time.Now().Before(until) {
					if err := h.turn(ctx, s, r); err != nil {
						stop.Store(true)
						mu.Lock()
						errs = append(errs, fmt.Errorf("%s: %w", h.name, err))
						mu.Unlock()
						return
					}
					count.(*atomic.Int64).Add(1) //nolint:forcetypeassert // stored above
				}
			})
		}
	}
	wait.Wait()
	return errors.Join(errs...)
}

func TestRouterHoldsNothing(t *testing.T) {
	// Unused connections to the nodes are closed soon, so that what the router holds does not depend on when it last needed many.
	b := pool.Ballast(t, cluster.Shape{Nodes: 4}, cluster.Size{Direct: true, Router: "nodes: {idle_timeout: 1s}\n"})
	router := b.Routers[0]
	db, err := b.Open("")
	if err != nil {
		t.Fatal(err)
	}
	if err := prepare(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := &stage{ballast: b, committed: map[int64]bool{}}
	if err := s.mistreat(t.Context(), min(*long/2, time.Minute), 1); err != nil {
		t.Fatalf("warm-up: %v; the router said last: %s", err, router.LastWords())
	}
	calm, last := 0, hold{}
	base, err := settle(t.Context(), router.Admin, router.PID(), func(h hold) bool {
		if h.clients == 0 && h.goroutines <= last.goroutines && h.descriptors <= last.descriptors {
			calm++
		} else {
			calm = 0
		}
		last = h
		return calm >= 6
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("after the warm-up: %s", base)
	if err := s.mistreat(t.Context(), *long, 2); err != nil {
		t.Errorf("%v; the router said last: %s", err, router.LastWords())
	}
	s.turns.Range(func(name, n any) bool {
		t.Logf("%s: %d times", name, n.(*atomic.Int64).Load())
		return true
	})
	end, err := settle(t.Context(), router.Admin, router.PID(), func(h hold) bool { return h.beyond(base) == "" })
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("at the end: %s", end)
	if more := end.beyond(base); more != "" {
		stacks, err := page(t.Context(), router.Admin, "/debug/pprof/goroutine?debug=1")
		t.Errorf("the router holds %s; its goroutines (error %v):\n%s", more, err, stacks)
	}
	if db, err = b.Open(""); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := db.ExecContext(context.WithoutCancel(t.Context()), "DROP DATABASE "+schema); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := checkPairs(t.Context(), db, s.committed); err != nil {
		t.Error(err)
	}
}
