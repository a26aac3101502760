package router

import (
	"sync"
	"sync/atomic"
)

// Connection ids carry the router's number in their high bits, so that any router can tell whose a connection is.
const (
	idBits    = 20
	idMask    = 1<<idBits - 1
	maxRouter = 1<<(32-idBits) - 1
)

// routerOf gives the number of the router that an id belongs to.
func routerOf(id uint32) int { return int(id >> idBits) }

// roster knows the open sessions by their connection ids.
type roster struct {
	router  atomic.Uint32
	counter atomic.Uint32

	mu   sync.Mutex
	byID map[uint32]*Session
}

func newRoster() *roster { return &roster{byID: map[uint32]*Session{}} }

// next gives an id that no open session has; never 0.
func (r *roster) next() uint32 {
	high := r.router.Load() << idBits
	for {
		n := r.counter.Add(1) & idMask
		if n == 0 {
			continue
		}
		id := high | n
		r.mu.Lock()
		_, taken := r.byID[id]
		r.mu.Unlock()
		if !taken {
			return id
		}
	}
}

func (r *roster) add(s *Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID[s.client.ID] = s
}

func (r *roster) remove(s *Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID[s.client.ID] == s {
		delete(r.byID, s.client.ID)
	}
}

func (r *roster) find(id uint32) *Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id]
}

func (r *roster) all() []*Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]*Session, 0, len(r.byID))
	for _, s := range r.byID {
		out = append(out, s)
	}
	return out
}

func (r *roster) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.byID)
}
