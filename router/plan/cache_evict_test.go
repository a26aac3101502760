package plan

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ballast/rules/catalog"
)

// uses looks a key up as a session does: what is missing is planned. It says whether it was there.
func uses(t *testing.T, c *cache, key cacheKey, snap *catalog.Snapshot) bool {
	t.Helper()
	if c.get(&key, snap) != nil {
		return true
	}
	fillWith(t, c, key, snap)
	return false
}

// checkBounds holds a cache to its limits.
func checkBounds(t *testing.T, c *cache) {
	t.Helper()
	for i := range c.shards {
		s := &c.shards[i]
		q := &s.queues
		if q.bytes() > q.limit {
			t.Errorf("shard %d holds %d bytes of %d", i, q.bytes(), q.limit)
		}
		inTable, inQueues := 0, 0
		for p := range s.table {
			for e := s.table[p].Load(); e != nil; e = e.next.Load() {
				inTable++
			}
		}
		for _, f := range []*fifo{&q.small, &q.main} {
			for _, e := range f.queue[f.head:] {
				if !e.gone {
					inQueues++
				}
			}
		}
		if inTable != inQueues || inTable != s.plans {
			t.Errorf("shard %d: %d plans in the table, %d in queues, %d counted", i, inTable, inQueues, s.plans)
		}
		if len(q.ghosts.known) > q.ghosts.most || len(q.ghosts.ring) > q.ghosts.most {
			t.Errorf("shard %d: %d ghosts", i, len(q.ghosts.known))
		}
	}
}

func TestCacheSurvivesScans(t *testing.T) {
	for _, scan := range []struct {
		name  string
		uses  int // of each statement of the scan, after it was planned
		pause int // statements of the scan between two uses of the others
		// settle is how many statements are let through first: when the cache fills up for the first time everything is new.
		settle int
	}{{"planned only", 0, 4_000, 0}, {"planned and run once", 1, 4_000, 0}, {"each in use for a while", 3, 100, 4_000}} {
		c, snap := newCache(cacheShards*256<<10), &catalog.Snapshot{}
		const hot = 200
		lost := 0
		useHot := func() {
			lost = 0
			for i := range hot {
				if !uses(t, c, testKey(fmt.Sprint("hot", i)), snap) {
					lost++
				}
			}
		}
		for range 6 {
			useHot()
		}
		for i := range 40_000 {
			key := testKey(fmt.Sprint("scan", i))
			fillWith(t, c, key, snap)
			for range scan.uses {
				c.get(&key, snap)
			}
			if i%scan.pause == scan.pause-1 { // for the first two that is twice what the cache holds
				if useHot(); lost > 0 && i > scan.settle {
					t.Errorf("scan %s: %d of %d plans in use were pushed out", scan.name, lost, hot)
				}
			}
		}
		checkBounds(t, c)
	}
}

// oneShard makes n keys that meet in the first shard: digests differ from process to process, so others would meet by chance.
func oneShard(c *cache, prefix string, n int) []cacheKey {
	var out []cacheKey
	for i := 0; len(out) < n; i++ {
		if key := testKey(fmt.Sprint(prefix, i)); c.shard(key.digest) == &c.shards[0] {
			out = append(out, key)
		}
	}
	return out
}

func TestCacheTakesWhatReturns(t *testing.T) {
	c, snap := newCache(cacheShards*64<<10), &catalog.Snapshot{} // 24 plans fit into a shard
	scan := oneShard(c, "scan", 1000)
	key := oneShard(c, "returns", 1)[0]
	pass := func(n int) {
		for _, k := range scan[:n] {
			fillWith(t, c, k, snap)
		}
		scan = scan[n:]
	}
	pass(100)
	uses(t, c, key, snap)
	pass(40)
	if uses(t, c, key, snap) {
		t.Fatal("a statement that was used once is still there")
	}
	pass(800)
	if !uses(t, c, key, snap) {
		t.Error("a statement that returned was pushed out like one that had not")
	}
	checkBounds(t, c)
}

func TestCacheTakesInANewSetOfStatements(t *testing.T) {
	c, snap := newCache(cacheShards*256<<10), &catalog.Snapshot{} // 99 plans fit into a shard
	for phase := range 3 {
		set := oneShard(c, fmt.Sprint(phase, "-"), 60)
		lost := 0
		for range 12 {
			lost = 0
			for _, key := range set {
				if !uses(t, c, key, snap) {
					lost++
				}
			}
		}
		if lost > 0 {
			t.Errorf("phase %d: %d of %d plans are still planned anew", phase, lost, len(set))
		}
	}
	checkBounds(t, c)
}

// TestCacheBytesAreTrue holds the estimate of a plan's size against what plans take.
func TestCacheBytesAreTrue(t *testing.T) {
	env, p := sessionEnv(t), New(Config{CacheBytes: 1 << 30})
	var statements []string
	for i := range 100 {
		statements = append(statements,
			fmt.Sprintf("SELECT s AS a%d FROM t WHERE id=5", i),
			fmt.Sprintf("SELECT g, COUNT(*) AS a%d, AVG(v) FROM t WHERE id > 7 GROUP BY g ORDER BY 2 LIMIT 10", i),
			fmt.Sprintf("UPDATE t AS a%d SET v=v+1 WHERE id IN (1,2,3)", i),
			fmt.Sprintf("INSERT INTO t (id, g, v, s) VALUES (1,2,3,'x') ON DUPLICATE KEY UPDATE v=%s", strings.Repeat("v+", i)+"v"),
			fmt.Sprintf("SELECT t0.id AS a%d, t0.g, t0.v, j1.s FROM t t0 LEFT JOIN j j1 ON t0.id=j1.id WHERE t0.id=7 AND (t0.s LIKE 'a%%' OR t0.v IS NULL) ORDER BY t0.ts", i))
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, sql := range statements {
		planned(t, p, env, sql)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	taken, said := int64(after.HeapAlloc)-int64(before.HeapAlloc), p.Stats().Bytes
	if p.Stats().Plans != len(statements) {
		t.Errorf("%d plans of %d statements", p.Stats().Plans, len(statements))
	}
	if taken > said*3/2 || taken < said/4 {
		t.Errorf("plans said to be %d bytes take %d", said, taken)
	}
	runtime.KeepAlive(p)
}
