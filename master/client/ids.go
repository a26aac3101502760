package client

import (
	"context"
	"sync"
	"time"

	"ballast/master/api"
	"ballast/rules/catalog"
)

// The sizes of blocks. A block is meant to last blockLasts at the rate of the moment, so that ids are there while a master is being replaced.
const (
	smallestBlock = 100
	largestBlock  = 1_000_000
	blockLasts    = 2 * time.Minute
)

// ids holds the blocks of a router, by sequence.
type ids struct {
	router *Router

	mu sync.Mutex
	by map[string]*block
}

// block is what a router holds of one sequence.
type block struct {
	mu sync.Mutex
	// [next, last] are the ids at hand; more is the block after them, taken ahead.
	next, last uint64
	more       *api.BlockReply
	fetching   chan struct{} // closed when the fetch under way has ended; nil without one
	fetchErr   error
	// dropped counts the times that blocks were given up: a fetch begun before is not used.
	dropped uint64
	size    uint64
	fetched time.Time
	// [from, safe] needs no raise.
	from, safe uint64
	known      bool
}

func newIDs(r *Router) *ids { return &ids{router: r, by: map[string]*block{}} }

func (s *ids) get(name string) *block {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.by[name]
	if b == nil {
		b = &block{next: 1, last: 0, size: smallestBlock}
		s.by[name] = b
	}
	return b
}

// keepOnly forgets sequences that no table has any more.
func (s *ids) keepOnly(snap *catalog.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.by) == 0 {
		return
	}
	live := map[string]bool{}
	for _, t := range snap.Tables {
		live[t.Sequence] = true
	}
	for name := range s.by {
		if !live[name] {
			delete(s.by, name)
		}
	}
}

func (s *ids) dropAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.by {
		b.drop()
	}
}

func (s *ids) giveUp(name string) {
	s.mu.Lock()
	b := s.by[name]
	s.mu.Unlock()
	if b != nil {
		b.drop()
	}
}

func (b *block) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next, b.last, b.more = 1, 0, nil
	b.dropped++
}

func (b *block) left() uint64 {
	if b.last < b.next {
		return 0
	}
	return b.last - b.next + 1
}

// NextIDs takes n consecutive ids of a sequence and gives the first. Most calls only count; the next block is fetched ahead, and only when
// none is at hand the call waits for a master.
func (r *Router) NextIDs(ctx context.Context, sequence string, n uint64) (uint64, error) {
	b := r.ids.get(sequence)
	for {
		b.mu.Lock()
		if first, ok := r.draw(ctx, sequence, b, n); ok {
			b.mu.Unlock()
			return first, nil
		}
		if b.fetching == nil {
			r.fetch(ctx, sequence, b, n)
		}
		wait := b.fetching
		b.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		b.mu.Lock()
		err := b.fetchErr
		b.mu.Unlock()
		if err != nil {
			return 0, err
		}
	}
}

// TryNextID is NextIDs for one id, for callers that must not wait: ok is false, and nothing is taken, if none is at hand.
func (r *Router) TryNextID(sequence string) (id uint64, ok bool) {
	b := r.ids.get(sequence)
	b.mu.Lock()
	defer b.mu.Unlock()
	return r.draw(context.Background(), sequence, b, 1)
}

// draw takes n ids that are at hand, and has the next block fetched in time; the caller holds b.
func (r *Router) draw(ctx context.Context, sequence string, b *block, n uint64) (first uint64, ok bool) {
	if b.left() < n && b.more != nil {
		switch {
		case b.left() > 0 && b.more.First == b.last+1:
			b.last = b.more.Last // the blocks join
		default:
			b.next, b.last = b.more.First, b.more.Last
		}
		b.more = nil
	}
	if b.left() < n {
		return 0, false
	}
	first = b.next
	b.next += n
	if b.more == nil && b.fetching == nil && b.left() < b.size/2 {
		r.fetch(ctx, sequence, b, n)
	}
	return first, true
}

// fetch begins to take a block of at least n ids; the caller holds b. The size follows the rate of use.
func (r *Router) fetch(ctx context.Context, sequence string, b *block, n uint64) {
	now := time.Now()
	if !b.fetched.IsZero() {
		used := now.Sub(b.fetched)
		if used < blockLasts/2 {
			b.size = min(b.size*4, largestBlock)
		} else if used > 4*blockLasts {
			b.size = max(b.size/2, smallestBlock)
		}
	}
	b.fetched = now
	size := max(b.size, n)
	done := make(chan struct{})
	dropped := b.dropped
	b.fetching, b.fetchErr = done, nil
	r.fetches.Add(1)
	go func() {
		defer r.fetches.Done()
		// Others may wait for this block, too: it comes even if the one that asked goes away.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		reply, err := r.c.Block(ctx, api.BlockRequest{Name: sequence, Size: size, Incarnation: r.Registration().Incarnation})
		b.mu.Lock()
		defer b.mu.Unlock()
		b.fetching, b.fetchErr = nil, err
		if err == nil && b.dropped == dropped {
			b.more = reply
		}
		close(done)
	}()
}

// TryRaiseID is RaiseID for callers that must not wait: false says that a master would have to be asked, and that nothing was done.
func (r *Router) TryRaiseID(sequence string, id uint64) bool {
	b := r.ids.get(sequence)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.known && b.from <= id && id <= b.safe:
	case b.next <= id && id <= b.last:
		b.next = id + 1 // in this router's own block: count on behind it
	case b.more != nil && b.more.First <= id && id <= b.more.Last:
		b.next, b.last = id+1, b.more.Last
		b.more = nil
	default:
		return false
	}
	return true
}

// RaiseID says that an explicit id is about to be inserted, so that the sequence never gives it out. The common case (an id below what was
// raised before) costs nothing.
func (r *Router) RaiseID(ctx context.Context, sequence string, id uint64) error {
	if r.TryRaiseID(sequence, id) {
		return nil
	}
	b := r.ids.get(sequence)
	reply, err := r.c.Raise(ctx, api.RaiseRequest{Name: sequence, Value: id, Incarnation: r.Registration().Incarnation})
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known && b.safe+1 >= reply.From && reply.Safe >= b.from && reply.From >= b.from {
		b.safe = max(b.safe, reply.Safe)
	} else {
		b.from, b.safe, b.known = reply.From, reply.Safe, true
	}
	// Ids below the explicit one are not given out any more: MySQL counts on behind the highest.
	if b.last < id {
		b.next, b.last = 1, 0
		if b.more != nil && b.more.Last < id {
			b.more = nil
		}
	}
	return nil
}
