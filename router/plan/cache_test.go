package plan

import (
	"context"
	"errors"
	"fmt"
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

func TestCacheSurvivesScans(t *testing.T) {
	c := newCache(cacheShards * 128 << 10)
	snap := &catalog.Snapshot{}
	var hot []cacheKey
	for i := range 100 {
		key := testKey(fmt.Sprint("hot", i))
		fillWith(t, c, key, snap)
		c.get(&key, snap)
		hot = append(hot, key)
	}
	for i := range 20_000 {
		fillWith(t, c, testKey(fmt.Sprint("scan", i)), snap)
		if i%50 == 0 {
			for _, key := range hot {
				c.get(&key, snap)
			}
		}
	}
	lost := 0
	for _, key := range hot {
		if c.get(&key, snap) == nil {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("a scan of 20,000 statements pushed out %d of 100 in use", lost)
	}
	for i := range c.shards {
		s := &c.shards[i]
		if s.small.bytes+s.main.bytes > s.limit {
			t.Errorf("shard %d holds %d bytes of %d", i, s.small.bytes+s.main.bytes, s.limit)
		}
		if len(s.ghosts) > maxGhosts || len(s.byKey) > 64 {
			t.Errorf("shard %d: %d ghosts, %d plans", i, len(s.ghosts), len(s.byKey))
		}
	}
}

func TestCacheBuildsOnce(t *testing.T) {
	c := newCache(1 << 20)
	snap := &catalog.Snapshot{}
	var built atomic.Int32
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			<-begin
			if _, err := c.fill(context.Background(), testKey("x"), snap, func() (*Plan, error) {
				built.Add(1)
				return &Plan{}, nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	close(begin)
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
}
