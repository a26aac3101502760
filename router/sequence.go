package router

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Sequences serves ids of AUTO_INCREMENT columns from blocks that the master hands out. The size of a block follows the rate of use,
// so that what a router holds lasts longer than Cover without a master.
type Sequences struct {
	blocks Blocks
	cover  time.Duration
	now    func() time.Time

	mu    sync.Mutex
	byKey map[string]*sequence
}

// The smallest and the largest block asked for.
const (
	minBlock = 1_000
	maxBlock = 10_000_000
)

// NewSequences makes the router's sequences. Cover is how long ids should last when no master answers.
func NewSequences(blocks Blocks, cover time.Duration) *Sequences {
	return &Sequences{blocks: blocks, cover: cover, now: time.Now, byKey: map[string]*sequence{}}
}

type span struct{ next, last uint64 } // next > last: used up

func (s span) size() uint64 {
	if s.next > s.last {
		return 0
	}
	return s.last - s.next + 1
}

type sequence struct {
	owner *Sequences
	name  string

	mu       sync.Mutex
	cur, fut span
	mark     uint64 // no id above it has been seen; ids up to it are durably taken
	fetching chan struct{}
	fetchErr error
	block    uint64
	asked    time.Time
}

func (s *Sequences) get(name string) *sequence {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.byKey[name]
	if q == nil {
		q = &sequence{owner: s, name: name, cur: span{1, 0}, fut: span{1, 0}, block: minBlock}
		s.byKey[name] = q
	}
	return q
}

// Forget drops what is held of a sequence; its table is gone or was made anew.
func (s *Sequences) Forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byKey, name)
}

// Next reserves n ids that follow each other and returns the first.
func (s *Sequences) Next(ctx context.Context, name string, n int) (uint64, error) {
	if n <= 0 {
		return 0, fmt.Errorf("sequence %s: %d ids asked for", name, n)
	}
	return s.get(name).next(ctx, uint64(n))
}

// Raise makes sure that ids up to and including id, which a client gave itself, are not handed out later.
func (s *Sequences) Raise(ctx context.Context, name string, id uint64) error {
	return s.get(name).raise(ctx, id)
}

// Held tells how many ids are ready without asking the master.
func (s *Sequences) Held() map[string]uint64 {
	s.mu.Lock()
	names := make([]*sequence, 0, len(s.byKey))
	for _, q := range s.byKey {
		names = append(names, q)
	}
	s.mu.Unlock()
	out := make(map[string]uint64, len(names))
	for _, q := range names {
		q.mu.Lock()
		out[q.name] = q.cur.size() + q.fut.size()
		q.mu.Unlock()
	}
	return out
}

func (q *sequence) next(ctx context.Context, n uint64) (uint64, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if q.cur.size() < n && q.fut.size() > 0 {
			if q.cur.size() > 0 && q.cur.last+1 == q.fut.next {
				q.cur.last = q.fut.last // they follow each other: one span
			} else {
				q.cur = q.fut // the rest of the old block is given up: ids of one statement are consecutive
			}
			q.fut = span{1, 0}
		}
		if q.cur.size() >= n {
			first := q.cur.next
			q.cur.next += n
			if q.fut.size() == 0 && q.cur.size() < q.block/2 {
				q.fetch(n)
			}
			return first, nil
		}
		if err := q.wait(ctx, q.fetch(n)); err != nil {
			return 0, err
		}
	}
}

// wait gives up the lock until the running request is answered.
func (q *sequence) wait(ctx context.Context, done chan struct{}) error {
	q.mu.Unlock()
	defer q.mu.Lock()
	select {
	case <-done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.fetchErr
}

// fetch asks the master for a block, if no request is on its way; the channel is closed when it is answered. The request outlives the
// statement that caused it, bounded by its own time-out.
func (q *sequence) fetch(n uint64) chan struct{} {
	if q.fetching != nil {
		return q.fetching
	}
	now := q.owner.now()
	if !q.asked.IsZero() {
		switch spent := now.Sub(q.asked); {
		case spent < 2*q.owner.cover && q.block < maxBlock:
			q.block = min(q.block*4, maxBlock)
		case spent > 40*q.owner.cover && q.block > minBlock:
			q.block = max(q.block/2, minBlock)
		}
	}
	q.asked = now
	size := max(q.block, n)
	done := make(chan struct{})
	q.fetching = done
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		first, last, err := q.owner.blocks.TakeBlock(ctx, q.name, size)
		q.mu.Lock()
		defer q.mu.Unlock()
		q.fetchErr = nil
		if err != nil {
			q.fetchErr = errNoMaster.Wrap(err, "a new AUTO_INCREMENT value")
		} else {
			q.fut = span{first, last}
			q.mark = max(q.mark, last)
		}
		q.fetching = nil
		close(done)
	}()
	return done
}

func (q *sequence) raise(ctx context.Context, id uint64) error {
	q.mu.Lock()
	for _, sp := range []*span{&q.cur, &q.fut} {
		if sp.size() > 0 && id >= sp.next {
			sp.next = min(id, sp.last) + 1
		}
	}
	known := id <= q.mark
	q.mu.Unlock()
	if known {
		return nil
	}
	mark, err := q.owner.blocks.RaiseMark(ctx, q.name, id)
	if err != nil {
		return errNoMaster.Wrap(err, "an explicit AUTO_INCREMENT value above the sequence's mark")
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.mark = max(q.mark, mark)
	return nil
}
