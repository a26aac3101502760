package plan

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"ballast/rules/catalog"
)

func testKey(text string) cacheKey { return cacheKey{digest: digestOf([]byte(text)), db: "app"} }

func fillWith(t *testing.T, c *cache, key cacheKey, snap *catalog.Snapshot) *Plan {
	t.Helper()
	p, err := c.fill(context.Background(), key, snap, func() (*Plan, error) { return &Plan{Norm: "select ?"}, nil })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCacheBuildsOnce(t *testing.T) {
	c, snap := newCache(1<<20), &catalog.Snapshot{}
	var built, begun atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			begun.Add(1)
			if _, err := c.fill(context.Background(), testKey("x"), snap, func() (*Plan, error) {
				for begun.Load() < 20 { // nobody came too late to meet this one
					runtime.Gosched()
				}
				built.Add(1)
				return &Plan{}, nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if c.get(new(testKey("x")), snap) == nil {
		t.Error("the plan was not kept")
	}
	if n := built.Load(); n != 1 {
		t.Errorf("built %d times", n)
	}
	broken := errors.New("broken")
	if _, err := c.fill(context.Background(), testKey("y"), snap, func() (*Plan, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if c.get(new(testKey("y")), snap) != nil {
		t.Error("a failure was kept")
	}
}

// TestCacheWaitersAreIndependent ends one waiter's ctx while the plan that it waits for is being made, and the builder's, too.
func TestCacheWaitersAreIndependent(t *testing.T) {
	c, snap := newCache(1<<20), &catalog.Snapshot{}
	key, gone := testKey("x"), errors.New("the client went away")
	began, finish := make(chan struct{}), make(chan struct{})
	results := make(chan error, 2)
	builderCtx, endBuilder := context.WithCancelCause(context.Background())
	want := &Plan{}
	go func() {
		_, err := c.fill(builderCtx, key, snap, func() (*Plan, error) {
			close(began)
			<-finish
			return want, nil
		})
		results <- err
	}()
	<-began
	noBuild := func() (*Plan, error) { return nil, errors.New("built again") }
	ctx, end := context.WithCancelCause(context.Background())
	end(gone)
	if _, err := c.fill(ctx, key, snap, noBuild); !errors.Is(err, gone) {
		t.Errorf("a waiter whose ctx ended got %v", err)
	}
	endBuilder(gone)
	waits := newWaiting()
	go func() {
		p, err := c.fill(waits, key, snap, noBuild)
		if p != want {
			err = fmt.Errorf("another plan: %w", err)
		}
		results <- err
	}()
	<-waits.begun
	if p := c.get(&key, snap); p != nil {
		t.Error("a plan was found before it was made")
	}
	close(finish)
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if c.get(&key, snap) != want {
		t.Error("the plan was not kept since the one who made it had gone")
	}
}

// waiting is a context that tells when somebody begins to wait for its end.
type waiting struct {
	context.Context
	once  sync.Once
	begun chan struct{}
}

func newWaiting() *waiting {
	return &waiting{Context: context.Background(), begun: make(chan struct{})}
}

func (w *waiting) Done() <-chan struct{} {
	w.once.Do(func() { close(w.begun) })
	return w.Context.Done()
}

// TestCacheOthersFailure lets the one who builds fail: those who waited make their own.
func TestCacheOthersFailure(t *testing.T) {
	c, snap := newCache(1<<20), &catalog.Snapshot{}
	key, broken := testKey("x"), errors.New("broken")
	began, finish, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_, err := c.fill(context.Background(), key, snap, func() (*Plan, error) {
			close(began)
			<-finish
			return nil, broken
		})
		done <- err
	}()
	<-began
	other, waits := make(chan error), newWaiting()
	go func() {
		_, err := c.fill(waits, key, snap, func() (*Plan, error) { return &Plan{}, nil })
		other <- err
	}()
	<-waits.begun
	close(finish)
	if err := <-done; !errors.Is(err, broken) {
		t.Errorf("the one who built got %v", err)
	}
	if err := <-other; err != nil {
		t.Errorf("one who waited got %v", err)
	}
}

// TestCacheLooksUpWithoutLocks holds every lock of the cache and looks plans up.
func TestCacheLooksUpWithoutLocks(t *testing.T) {
	env, p := sessionEnv(t), New(Config{})
	statements := []string{"SELECT s FROM t WHERE id=501", "SELECT s FROM t FORCE INDEX (x) WHERE id IN (1,2)", "UPDATE t SET v=1 WHERE id=3"}
	for _, sql := range statements {
		planned(t, p, env, sql)
	}
	for i := range p.cache.shards {
		p.cache.shards[i].mu.Lock()
		defer p.cache.shards[i].mu.Unlock()
	}
	var a Args
	for _, sql := range statements {
		if _, ok := p.Cached(env, []byte(sql), 0, &a); !ok {
			t.Errorf("%s: not found", sql)
		}
		if pl := planned(t, p, env, sql); pl == nil {
			t.Errorf("%s: not planned", sql)
		}
	}
}

// TestCacheReadersMeetWriters looks plans up while others come and go; the race detector watches.
func TestCacheReadersMeetWriters(t *testing.T) {
	c, snap := newCache(cacheShards*64<<10), &catalog.Snapshot{}
	plans := map[cacheKey]*Plan{}
	for i := range 400 {
		plans[testKey(fmt.Sprint(i))] = &Plan{Norm: fmt.Sprint(i)}
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for round := range 20 {
				for key, want := range plans {
					if p := c.get(&key, snap); p != nil && p != want {
						t.Error("another key's plan")
					}
					if (round+w)%2 == 0 {
						if p, err := c.fill(context.Background(), key, snap, func() (*Plan, error) { return want, nil }); err != nil || p != want {
							t.Error(p, err)
						}
					}
				}
			}
		})
	}
	wg.Wait()
	checkBounds(t, c)
}

func TestPlansFollowTheShapeOfTables(t *testing.T) {
	snap := fixture(t)
	p := New(Config{})
	plan := func(s *catalog.Snapshot, db string, flags Flags) *Plan {
		t.Helper()
		env := &Env{Snapshot: s, DB: db, Flags: flags, Charset: "utf8mb4", Collation: "utf8mb4_general_ci", TimeZone: "+00:00"}
		var a Args
		pl, err := p.Plan(context.Background(), env, []byte("SELECT v FROM app.t WHERE id = 5"), 0, &a)
		if err != nil {
			t.Fatal(err)
		}
		return pl
	}
	first := plan(snap, "app", Strict)
	if plan(snap, "app", Strict) != first {
		t.Error("planned twice")
	}
	if plan(snap, "other", Strict) == first || plan(snap, "app", Strict|ANSIQuotes) == first {
		t.Error("a plan was shared between databases or sql_modes")
	}
	if plan(snap, "app", Strict) != first {
		t.Error("plans of one digest push each other out")
	}
	moved := fixture(t)
	moved.Version.N = 2
	if plan(moved, "app", Strict) != first {
		t.Error("a new version with the same shapes made a new plan")
	}
	changed := fixture(t)
	changed.Version.N = 3
	for _, tab := range changed.Tables {
		if tab.Name.Table == "t" {
			tab.Shape = 77
		}
	}
	if plan(changed, "app", Strict) == first {
		t.Error("a plan outlived its table's shape")
	}
	checkBounds(t, p.cache)
}
