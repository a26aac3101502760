package backend_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/router/backend"
	"ballast/router/routertest"
	"ballast/rules/catalog"
	"ballast/sqlfront/wire"
)

// grant is what a waiter was told.
type grant struct {
	k   *backend.Conn
	err error
}

// caller waits in the queue without a goroutine.
type caller struct {
	backend.Waiting
	told chan grant
}

func newCaller() *caller { return &caller{told: make(chan grant, 2)} }

// Granted takes down what the wait ended with.
func (w *caller) Granted(k *backend.Conn, err error) { w.told <- grant{k, err} }

// within gives what the waiter is told, if that is soon.
func (w *caller) within(tb testing.TB, limit time.Duration) grant {
	tb.Helper()
	if limit == 0 && len(w.told) == 0 {
		tb.Fatal("nothing granted at once")
	}
	select {
	case g := <-w.told:
		return g
	case <-time.After(limit + time.Second):
		tb.Fatalf("nothing granted within %s", limit)
		return grant{}
	}
}

func on(tb testing.TB, c *backend.Cluster, shard int) *backend.Conn {
	tb.Helper()
	k, err := c.Acquire(tb.Context(), shard, 0, 0, c.Settings())
	if err != nil {
		tb.Fatal(err)
	}
	if k.Shard() != shard {
		tb.Fatalf("a connection of shard %d for shard %d", k.Shard(), shard)
	}
	return k
}

func TestTryAcquire(t *testing.T) {
	n := routertest.Start(t, nil)
	c := overFakes(t, backend.Config{MaxPerNode: 2}, n)
	s := c.Settings()
	if c.TryAcquire(0, 0, 0, s) != nil || c.TryAcquire(0, 7, 0, s) != nil {
		t.Error("a connection out of nothing")
	}
	a, b := on(t, c, 0), on(t, c, 0)
	exec(t, a, "SELECT 1")
	other := s.With("sql_mode", "''")
	b.Apply(other)
	exec(t, b, "SELECT 1")
	a.Release()
	b.Release()
	if k := c.TryAcquire(0, 0, 0, s); k != a {
		t.Error("not the one with the same settings")
	}
	if k := c.TryAcquire(0, 0, 0, s); k != b {
		t.Error("not the one that is left")
	}
	w := newCaller()
	c.Queue(0, 0, 0, s, w)
	b.Taint()
	b.Release()
	if g := w.within(t, 3*time.Second); g.k != b || g.err != nil {
		t.Errorf("%+v", g)
	}
	b.Taint()
	b.Release()
	if k := c.TryAcquire(0, 0, 0, s); k != nil {
		t.Error("one that has an answer to a reset to read")
	}
	a.Apply(s.With("@a", "1"))
	exec(t, a, "SELECT 1")
	a.Release()
	if k := c.TryAcquire(0, 0, 0, s); k != nil {
		t.Error("one that has another session's variables")
	}
	c.Queue(0, 0, 0, s, w)
	g := w.within(t, 3*time.Second)
	if g.err != nil {
		t.Fatal(g.err)
	}
	exec(t, g.k, "SELECT 1")
	g.k.Release()
}

func TestTryAcquireFindsTheDead(t *testing.T) {
	n := routertest.Start(t, nil)
	c := overFakes(t, backend.Config{ProbeInterval: time.Hour}, n)
	a, b := on(t, c, 0), on(t, c, 0)
	a.Release()
	b.Release()
	n.CutAll()
	<-time.After(150 * time.Millisecond) // trusted for a while
	if c.TryAcquire(0, 0, 0, c.Settings()) != nil {
		t.Error("a dead connection")
	}
	w := newCaller()
	c.Queue(0, 0, 0, c.Settings(), w)
	g := w.within(t, 3*time.Second)
	if g.err != nil {
		t.Fatal(g.err)
	}
	exec(t, g.k, "UPDATE t SET a = 1")
	g.k.Release()
	if st := c.Stats()[0]; st.Open != 1 || st.Idle != 1 {
		t.Errorf("%+v", st)
	}
}

// Those who block and those who are called back stand in one queue.
func TestQueueIsOne(t *testing.T) {
	n := routertest.Start(t, nil)
	c := overFakes(t, backend.Config{MaxPerNode: 1, MaxWaiting: 6}, n)
	k := on(t, c, 0)
	var mu sync.Mutex
	var order []int
	var wg sync.WaitGroup
	served := func(i int, g grant) {
		if g.err != nil {
			t.Error(g.err)
			return
		}
		mu.Lock()
		order = append(order, i)
		mu.Unlock()
		g.k.Release()
	}
	for i := range 6 {
		if i%2 == 0 {
			wg.Go(func() {
				k, err := c.Acquire(context.Background(), 0, 0, 0, c.Settings())
				served(i, grant{k, err})
			})
		} else {
			w := newCaller()
			c.Queue(0, 0, 0, c.Settings(), w)
			wg.Go(func() { served(i, <-w.told) })
		}
		eventually(t, 3*time.Second, func() error {
			if c.Stats()[0].Waiting != i+1 {
				return errors.New("not waiting yet")
			}
			return nil
		})
	}
	w := newCaller()
	c.Queue(0, 0, 0, c.Settings(), w)
	if g := w.within(t, 0); number(g.err) != 1040 {
		t.Errorf("the queue is full: %+v", g)
	}
	if c.TryAcquire(0, 0, 0, c.Settings()) != nil {
		t.Error("past the queue")
	}
	k.Release()
	wg.Wait()
	for i := range order {
		if order[i] != i {
			t.Fatalf("served in the order %v", order)
		}
	}
}

func TestQueueCancelled(t *testing.T) {
	n := routertest.Start(t, nil)
	c := overFakes(t, backend.Config{MaxPerNode: 1}, n)
	k := on(t, c, 0)
	first, second := newCaller(), newCaller()
	if first.CancelWait() {
		t.Error("cancelled what never waited")
	}
	for range 3 {
		c.Queue(0, 0, 0, c.Settings(), first)
		c.Queue(0, 0, 0, c.Settings(), second)
		if !first.CancelWait() || first.CancelWait() {
			t.Error("not cancelled once")
		}
		k.Release()
		k = second.within(t, 3*time.Second).k
		if second.CancelWait() || len(first.told) > 0 {
			t.Error("cancelled and granted")
		}
	}
	k.Release()
}

func TestQueueFails(t *testing.T) {
	n, next := routertest.Start(t, nil), routertest.Start(t, nil)
	c := overFakes(t, backend.Config{MaxPerNode: 1, WaitTimeout: 50 * time.Millisecond, RetryInterval: 10 * time.Millisecond}, n)
	k := on(t, c, 0)
	w := newCaller()
	c.Queue(0, 0, 0, c.Settings(), w)
	if g := w.within(t, 3*time.Second); number(g.err) != 1040 {
		t.Errorf("out of time: %+v", g)
	}
	c.Queue(0, 5, 0, c.Settings(), w)
	if g := w.within(t, 0); g.err == nil {
		t.Error("a node that is not there")
	}
	n.Down(true)
	k.Discard()
	c.Queue(0, 0, 0, c.Settings(), w)
	if g := w.within(t, 3*time.Second); number(g.err) != 1429 {
		t.Errorf("a node that is down: %+v", g)
	}
	n.Down(false)
	eventually(t, 3*time.Second, func() error { return selectOne(c) })
	k = on(t, c, 0)
	c.Queue(0, 0, 0, c.Settings(), w)
	c.Update([]catalog.Node{{Name: "n0", Addr: next.Addr()}}, root)
	if g := w.within(t, 0); number(g.err) != 1429 {
		t.Errorf("a node that is gone: %+v", g)
	}
	k.Release()
}

// A place moves to the shard where it is needed: from idle connections, from ones given back, and even if their own shard never rests.
func TestPlacesMoveBetweenShards(t *testing.T) {
	n := routertest.Start(t, nil)
	c := overFakes(t, backend.Config{MaxPerNode: 2, Shards: 2}, n)
	a, b := on(t, c, 0), on(t, c, 0)
	a.Release()
	b.Release()
	a, b = on(t, c, 1), on(t, c, 1) // the idle ones of shard 0 make room
	w := newCaller()
	c.Queue(0, 0, 0, c.Settings(), w)
	a.Release()
	a = w.within(t, 3*time.Second).k
	if a == nil || a.Shard() != 0 || c.TryAcquire(1, 0, 0, c.Settings()) != nil {
		t.Fatal("the place has not moved")
	}
	c.Queue(1, 0, 0, c.Settings(), w)
	a.Discard() // a free place
	k := w.within(t, 3*time.Second).k
	if k.Shard() != 1 {
		t.Fatal("the place has not moved")
	}
	k.Release()
	b.Release()

	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				k, err := c.Acquire(context.Background(), 0, 0, 0, c.Settings())
				if err != nil {
					t.Error(err)
					return
				}
				exec(t, k, "SELECT 1")
				k.Release()
			}
		})
	}
	eventually(t, 3*time.Second, func() error {
		if c.Stats()[0].Waiting < 4 {
			return errors.New("not busy yet")
		}
		return nil
	})
	for range 5 {
		on(t, c, 1).Release()
	}
	close(stop)
	wg.Wait()
	if st := c.Stats()[0]; st.Open > 2 || st.Open != st.Idle || st.Waiting != 0 {
		t.Errorf("%+v", st)
	}
}

// A shard whose connections are all held up gets another, however much there is to do in the others.
func TestHeldUpShardGetsAPlace(t *testing.T) {
	held := make(chan struct{})
	n := routertest.Start(t, func(q *routertest.Query) {
		if q.SQL == "SELECT held" {
			<-held
		}
		q.OK(wire.OK{})
	})
	c := overFakes(t, backend.Config{MaxPerNode: 6, Shards: 2}, n)
	var wg sync.WaitGroup
	for range 2 {
		k := on(t, c, 1)
		wg.Go(func() {
			exec(t, k, "SELECT held")
			k.Release()
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	for range 40 {
		wg.Go(func() {
			for ctx.Err() == nil {
				k, err := c.Acquire(context.Background(), 0, 0, 0, c.Settings())
				if err != nil {
					t.Error(err)
					return
				}
				exec(t, k, "SELECT 1")
				k.Release()
			}
		})
	}
	eventually(t, 3*time.Second, func() error {
		if c.Stats()[0].Waiting < 20 {
			return errors.New("not busy yet")
		}
		return nil
	})
	began := time.Now()
	for range 3 {
		on(t, c, 1).Release()
	}
	t.Logf("3 statements took %s", time.Since(began))
	stop()
	close(held)
	wg.Wait()
}

// Neither taking a connection nor waiting for one allocates anything.
func TestPoolAllocatesNothing(t *testing.T) {
	n := routertest.Start(t, nil)
	c := overFakes(t, backend.Config{MaxPerNode: 1, ProbeInterval: time.Hour}, n)
	s := c.Settings()
	k := on(t, c, 0)
	exec(t, k, "SELECT 1")
	k.Release()
	if got := testing.AllocsPerRun(1000, func() {
		c.TryAcquire(0, 0, 0, s).Release()
	}); got > 0 {
		t.Errorf("taking one: %v allocations", got)
	}
	w := newCaller()
	k = on(t, c, 0)
	if got := testing.AllocsPerRun(1000, func() {
		c.Queue(0, 0, 0, s, w)
		k.Release()
		k = (<-w.told).k
	}); got > 0 {
		t.Errorf("waiting for one: %v allocations", got)
	}
	k.Release()
}

// Everybody is served, and no place is lost or made up, whatever is done at once.
func TestShardsUnderLoad(t *testing.T) {
	n := routertest.Start(t, nil)
	const limit = 5
	c := overFakes(t, backend.Config{MaxPerNode: limit, Shards: 3, WaitTimeout: 20 * time.Second}, n)
	sets := []*backend.Settings{c.Settings(), c.Settings().WithDB("d"), c.Settings().With("sql_mode", "''"), c.Settings().With("@a", "1")}
	var inUse, granted, cancelled atomic.Int64
	use := func(rnd *rand.Rand, k *backend.Conn) {
		if inUse.Add(1) > limit {
			t.Error("more connections than places")
		}
		if rnd.IntN(4) > 0 {
			exec(t, k, "UPDATE t SET a = 1")
		}
		granted.Add(1)
		inUse.Add(-1)
		switch rnd.IntN(20) {
		case 0:
			k.Discard()
		case 1:
			k.Taint()
			k.Release()
		default:
			k.Release()
		}
	}
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(i)))
			w := newCaller()
			for range 60 {
				shard, class, s := i%3, backend.Class(rnd.IntN(2)), sets[rnd.IntN(len(sets))]
				switch rnd.IntN(4) {
				case 0:
					if k := c.TryAcquire(shard, 0, class, s); k != nil {
						use(rnd, k)
					}
				case 1:
					k, err := c.Acquire(context.Background(), shard, 0, class, s)
					if err != nil {
						t.Error(err)
						return
					}
					use(rnd, k)
				case 2:
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rnd.IntN(2000))*time.Microsecond)
					if k, err := c.Acquire(ctx, shard, 0, class, s); err == nil {
						use(rnd, k)
					} else {
						cancelled.Add(1)
					}
					cancel()
				default:
					c.Queue(shard, 0, class, s, w)
					if rnd.IntN(4) == 0 && w.CancelWait() {
						cancelled.Add(1)
						continue
					}
					g := w.within(t, 20*time.Second)
					if g.err != nil {
						t.Error(g.err)
						return
					}
					use(rnd, g.k)
				}
			}
		})
	}
	wg.Wait()
	eventually(t, 3*time.Second, func() error { // connections may still be opened for those who have left
		if st := c.Stats()[0]; st.Open != st.Idle || st.Waiting != 0 || st.Open > limit {
			t.Logf("%+v", st)
			return errors.New("not at rest")
		}
		return nil
	})
	t.Logf("%d granted, %d cancelled, %+v", granted.Load(), cancelled.Load(), c.Stats()[0])
}
