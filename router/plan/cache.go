package plan

import (
	"context"
	"math/bits"
	"sync"
	"sync/atomic"

	"ballast/rules/catalog"
)

// cacheKey is all that the meaning of a normalized text depends on.
type cacheKey struct {
	digest                 Digest
	db, charset, collation string
	flags                  Flags
	exact                  bool
}

// cache keeps plans, bounded by their estimated bytes. Who looks a plan up takes no lock and writes nothing that others read, but for the
// first few uses of a plan. Who puts one in locks the piece of the cache that its digest belongs to; cache_evict.go says what has to go.
type cache struct {
	shards [cacheShards]cacheShard
}

const (
	cacheShards = 16
	// planOverhead and planPerByte estimate a plan's size by its text: they were measured on typical statements.
	planOverhead = 2 << 10
	planPerByte  = 72
)

// cacheShard is one piece of the cache.
type cacheShard struct {
	// table holds the entries by digest, those of one place in it in a chain. Its size is fixed. It is read without mu.
	table []atomic.Pointer[entry]

	_        [64]byte // readers of table are not disturbed by what follows
	mu       sync.Mutex
	building map[cacheKey]*building
	queues   queues
	plans    int
}

// entry is a cached plan. What readers see of it never changes but for next.
type entry struct {
	key  cacheKey
	plan *Plan
	next atomic.Pointer[entry]
	uses atomic.Int32
	size int64
	// gone says that it left the table, though not yet its queue.
	gone bool
}

// building is a plan being made; those who want the same one wait for it.
type building struct {
	done chan struct{}
	plan *Plan
	err  error
}

func newCache(bytes int64) *cache {
	c := &cache{}
	limit := max(bytes/cacheShards, 64<<10)
	size := min(1<<bits.Len64(uint64(limit/planOverhead)), 1<<16)
	for i := range c.shards {
		s := &c.shards[i]
		s.table, s.building = make([]atomic.Pointer[entry], size), map[cacheKey]*building{}
		s.queues = newQueues(limit, size)
	}
	return c
}

func (c *cache) shard(d Digest) *cacheShard { return &c.shards[d.Lo%cacheShards] }

// place is where in the table the chain of a digest begins.
func (s *cacheShard) place(d Digest) *atomic.Pointer[entry] {
	return &s.table[d.Hi&uint64(len(s.table)-1)]
}

// get gives the plan of a key if there is one that fits the snapshot.
func (c *cache) get(key *cacheKey, snap *catalog.Snapshot) *Plan {
	e := c.shard(key.digest).find(key)
	if e == nil || !e.plan.fits(snap) {
		return nil
	}
	e.use()
	return e.plan
}

// find needs no lock. Seldom it misses an entry whose neighbor is taken out meanwhile.
func (s *cacheShard) find(key *cacheKey) *entry {
	for e := s.place(key.digest).Load(); e != nil; e = e.next.Load() {
		if e.key == *key {
			return e
		}
	}
	return nil
}

// fill makes a plan with build and keeps it. Of several who miss the same key at once one builds, the others wait, each as long as its ctx
// lets it. The building itself depends on nobody's ctx.
func (c *cache) fill(ctx context.Context, key cacheKey, snap *catalog.Snapshot, build func() (*Plan, error)) (*Plan, error) {
	s := c.shard(key.digest)
	for {
		s.mu.Lock()
		if e := s.find(&key); e != nil && e.plan.fits(snap) { // it was made since the caller looked
			s.mu.Unlock()
			return e.plan, nil
		}
		b := s.building[key]
		if b == nil {
			break
		}
		s.mu.Unlock()
		select {
		case <-b.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		switch {
		case b.err != nil || b.plan.private():
			return build() // a failure may have been the other one's own, and so is the plan
		case b.plan.fits(snap):
			return b.plan, nil
		}
	}
	b := &building{done: make(chan struct{}), err: context.Canceled}
	s.building[key] = b
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.building, key)
		if b.err == nil && !b.plan.private() {
			s.put(key, b.plan)
		}
		s.mu.Unlock()
		close(b.done)
	}()
	b.plan, b.err = build()
	return b.plan, b.err
}

// private says that a plan is for its session alone: it holds a tree that the session works on. The trees of BEGIN, COMMIT and the like
// are looked at only.
func (p *Plan) private() bool {
	switch p.Verb {
	case Begin, Commit, Rollback, Savepoint, RollbackTo, Release, UnlockTables:
		return false
	}
	return p.tree != nil
}

// put keeps a plan in place of the one with its key.
func (s *cacheShard) put(key cacheKey, p *Plan) {
	if old := s.find(&key); old != nil {
		s.remove(old)
	}
	e := &entry{key: key, plan: p, size: planOverhead + planPerByte*int64(len(p.Norm))}
	if !s.queues.takes(e) {
		return
	}
	at := s.place(key.digest)
	e.next.Store(at.Load())
	at.Store(e)
	s.plans++
	s.queues.add(e)
	for s.queues.full() {
		if out := s.queues.evict(); out != nil {
			s.remove(out)
		}
	}
}

// remove takes an entry out of the table; its place in a queue is skipped later. Who stands at it still finds the rest of the chain.
func (s *cacheShard) remove(e *entry) {
	for at := s.place(e.key.digest); at.Load() != nil; at = &at.Load().next {
		if at.Load() == e {
			at.Store(e.next.Load())
			e.gone = true
			s.plans--
			return
		}
	}
}

// CacheStats says how full the plan cache is.
type CacheStats struct {
	Plans int
	Bytes int64
}

// Stats counts the plans kept.
func (p *Planner) Stats() CacheStats {
	var out CacheStats
	for i := range p.cache.shards {
		s := &p.cache.shards[i]
		s.mu.Lock()
		out.Plans += s.plans
		out.Bytes += s.queues.bytes()
		s.mu.Unlock()
	}
	return out
}
