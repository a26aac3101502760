package plan

import (
	"context"
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

// cache keeps plans, bounded by their estimated bytes. It is split by hash, so that sessions seldom wait for each other, and each piece
// evicts by S3-FIFO: a plan enters a small queue and moves to the main one only if it is used again, so a flood of statements that never
// come back can't flush the plans in use.
type cache struct {
	shards [cacheShards]cacheShard
}

const (
	cacheShards = 16
	maxUses     = 3
	// planOverhead and planPerByte estimate a plan's size by its text: they were measured on typical statements.
	planOverhead = 2 << 10
	planPerByte  = 72
	// maxGhosts bounds the digests remembered per shard.
	maxGhosts = 4096
)

type cacheShard struct {
	mu       sync.RWMutex
	byKey    map[Digest]*entry
	building map[cacheKey]*building
	small    fifo
	main     fifo
	// ghosts remembers digests lately pushed out of small: on their return they go to main at once.
	ghosts    map[Digest]struct{}
	ghostRing []Digest
	ghostNext int
	limit     int64
}

// entry is a cached plan; plans of one digest under other databases or flags hang on next.
type entry struct {
	key  cacheKey
	plan *Plan
	size int64
	uses atomic.Int32
	next *entry
	main bool
	gone bool
}

// fifo is a queue of entries and their bytes.
type fifo struct {
	queue []*entry
	head  int
	bytes int64
}

// building is a plan being made; those who want the same one wait for it.
type building struct {
	done chan struct{}
	plan *Plan
	err  error
}

func newCache(bytes int64) *cache {
	c := &cache{}
	for i := range c.shards {
		s := &c.shards[i]
		s.byKey, s.building, s.ghosts = map[Digest]*entry{}, map[cacheKey]*building{}, map[Digest]struct{}{}
		s.limit = max(bytes/cacheShards, 64<<10)
	}
	return c
}

// get gives the plan of a key if there is one that fits the snapshot.
func (c *cache) get(key *cacheKey, snap *catalog.Snapshot) *Plan {
	s := &c.shards[key.digest.Lo%cacheShards]
	s.mu.RLock()
	e := s.find(key)
	s.mu.RUnlock()
	if e == nil {
		return nil
	}
	if _, ok := e.plan.in(snap); !ok {
		return nil
	}
	if n := e.uses.Load(); n < maxUses {
		e.uses.CompareAndSwap(n, n+1)
	}
	return e.plan
}

func (s *cacheShard) find(key *cacheKey) *entry {
	for e := s.byKey[key.digest]; e != nil; e = e.next {
		if e.key == *key {
			return e
		}
	}
	return nil
}

// fill makes a plan with build and keeps it. Of several who miss the same key at once one builds, the others wait.
func (c *cache) fill(ctx context.Context, key cacheKey, snap *catalog.Snapshot, build func() (*Plan, error)) (*Plan, error) {
	s := &c.shards[key.digest.Lo%cacheShards]
	s.mu.Lock()
	if b := s.building[key]; b != nil {
		s.mu.Unlock()
		select {
		case <-b.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if b.err == nil {
			if _, ok := b.plan.in(snap); ok && !b.plan.private() {
				return b.plan, nil
			}
		}
		return build() // the other one's statement, snapshot or failure was not ours
	}
	if e := s.find(&key); e != nil {
		if _, ok := e.plan.in(snap); ok { // it was made since the caller looked
			s.mu.Unlock()
			return e.plan, nil
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

func (s *cacheShard) put(key cacheKey, p *Plan) {
	if old := s.find(&key); old != nil {
		s.unlink(old)
	}
	e := &entry{key: key, plan: p, size: planOverhead + planPerByte*int64(len(p.Norm))}
	if e.size > s.limit/8 {
		return
	}
	e.next = s.byKey[key.digest]
	s.byKey[key.digest] = e
	if _, seen := s.ghosts[key.digest]; seen {
		e.main = true
		s.main.push(e)
	} else {
		s.small.push(e)
	}
	for s.small.bytes+s.main.bytes > s.limit {
		s.evict()
	}
}

// evict pushes one entry out, or moves it to the main queue.
func (s *cacheShard) evict() {
	if s.small.bytes > s.limit/10 || s.main.bytes == 0 {
		e := s.small.pop()
		switch {
		case e == nil || e.gone:
		case e.uses.Load() > 0:
			e.uses.Store(0)
			e.main = true
			s.main.push(e)
		default:
			s.ghost(e.key.digest)
			s.unlink(e)
		}
		return
	}
	e := s.main.pop()
	switch {
	case e == nil || e.gone:
	case e.uses.Load() > 0:
		e.uses.Add(-1)
		s.main.push(e)
	default:
		s.unlink(e)
	}
}

func (s *cacheShard) ghost(d Digest) {
	if _, ok := s.ghosts[d]; ok {
		return
	}
	s.ghosts[d] = struct{}{}
	if len(s.ghostRing) < maxGhosts {
		s.ghostRing = append(s.ghostRing, d)
		return
	}
	delete(s.ghosts, s.ghostRing[s.ghostNext])
	s.ghostRing[s.ghostNext] = d
	s.ghostNext = (s.ghostNext + 1) % maxGhosts
}

// unlink takes an entry out of the map; its place in a queue is skipped later.
func (s *cacheShard) unlink(e *entry) {
	e.gone = true
	at := s.byKey[e.key.digest]
	if at == e {
		if e.next == nil {
			delete(s.byKey, e.key.digest)
		} else {
			s.byKey[e.key.digest] = e.next
		}
		return
	}
	for at != nil && at.next != e {
		at = at.next
	}
	if at != nil {
		at.next = e.next
	}
}

func (f *fifo) push(e *entry) {
	f.queue = append(f.queue, e)
	f.bytes += e.size
}

func (f *fifo) pop() *entry {
	if f.head == len(f.queue) {
		return nil
	}
	e := f.queue[f.head]
	f.queue[f.head] = nil
	f.head++
	f.bytes -= e.size
	if f.head > 64 && f.head*2 > len(f.queue) {
		f.queue = append(f.queue[:0:0], f.queue[f.head:]...)
		f.head = 0
	}
	return e
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
		s.mu.RLock()
		out.Plans += len(s.byKey)
		out.Bytes += s.small.bytes + s.main.bytes
		s.mu.RUnlock()
	}
	return out
}
