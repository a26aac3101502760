package master

import (
	"context"
	"sync"
	"time"

	"ballast/master/api"
	"ballast/master/meta"
)

// maxBlock bounds what one router may take at once.
const maxBlock = 10_000_000

// block hands out ids; the taking is committed before it is answered.
func (t *term) block(ctx context.Context, q api.BlockRequest) (*api.BlockReply, error) {
	reply := &api.BlockReply{}
	// The book is written first: a raise must not miss a block that is on its way.
	t.raises.expect(q.Name, q.Incarnation)
	err := t.transact(ctx, func(ctx context.Context, tx *meta.Tx) (err error) {
		reply.First, reply.Last, err = tx.Block(ctx, q.Name, min(q.Size, maxBlock))
		return err
	})
	if err != nil {
		return nil, err
	}
	t.m.metrics.ids.Add(float64(reply.Last - reply.First + 1))
	return reply, nil
}

// raise makes room above an explicit id. Raises that come in a row get a growing slack, so that a load of explicit ids does not cost a
// metadata transaction each. An id below the mark may be in a block that some router holds: all are told to give the sequence's blocks up,
// and waited for.
func (t *term) raise(ctx context.Context, q api.RaiseRequest) (*api.RaiseReply, error) {
	var before, after uint64
	err := t.transact(ctx, func(ctx context.Context, tx *meta.Tx) (err error) {
		before, after, err = tx.Raise(ctx, q.Name, q.Value, t.raises.slack(q.Name, time.Now()))
		return err
	})
	if err != nil {
		return nil, err
	}
	if q.Value >= before {
		return &api.RaiseReply{From: before, Safe: after - 1}, nil
	}
	active := t.registry.active()
	held, turn := t.raises.held(q.Name, active)
	if held {
		position := t.pub.giveUp(api.GiveUp{Sequence: q.Name})
		if lagging := t.waitAcks(ctx, position, true); len(lagging) > 0 {
			// A router that does not answer could still hand the id out, and nothing would notice: it has to go.
			if err := t.evict(ctx, lagging); err != nil {
				return nil, err
			}
		}
		t.raises.given(q.Name, turn)
	}
	return &api.RaiseReply{From: 0, Safe: before - 1}, nil
}

// raisers keeps, per sequence, who may hold blocks and how far the next raise goes.
type raisers struct {
	mu sync.Mutex
	by map[string]*raiser
}

type raiser struct {
	size uint64
	last time.Time
	// known is false until every block of earlier terms is known to be given up. holders took a block in this term, with the turn of the taking.
	known   bool
	holders map[uint64]uint64
	turn    uint64
}

func (s *raisers) get(name string) *raiser {
	if s.by[name] == nil {
		s.by[name] = &raiser{holders: map[uint64]uint64{}}
	}
	return s.by[name]
}

// made notes a new sequence: nobody holds blocks of it.
func (s *raisers) made(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by[name] = &raiser{known: true, holders: map[uint64]uint64{}}
}

// expect notes that a router is about to take a block.
func (s *raisers) expect(name string, incarnation uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.get(name)
	r.turn++
	r.holders[incarnation] = r.turn
}

// held says whether any active router may hold a block, and the turn up to which that was asked.
func (s *raisers) held(name string, active map[uint64]bool) (bool, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.get(name)
	for id := range r.holders {
		if active[id] || id == 0 {
			return true, r.turn
		}
	}
	return !r.known && len(active) > 0, r.turn
}

// given notes that every block taken up to the turn has been given up.
func (s *raisers) given(name string, turn uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.get(name)
	r.known = true
	for id, at := range r.holders {
		if at <= turn {
			delete(r.holders, id)
		}
	}
}

// slack gives nothing for a raise that comes alone; one that follows within a second gets twice the room of the one before, up to 65536.
func (s *raisers) slack(name string, now time.Time) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.get(name)
	if now.Sub(r.last) > time.Second {
		r.size = 0
	} else {
		r.size = min(max(r.size*2, 16), 65536)
	}
	r.last = now
	return r.size
}
