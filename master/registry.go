package master

import (
	"sync"

	"ballast/master/core"
	"ballast/rules/catalog"
)

// registry is core.Registry for several goroutines, with the accounts' passwords.
type registry struct {
	mu        sync.Mutex
	core      *core.Registry
	passwords map[uint64]string
	changed   chan struct{}
}

func newRegistry(stored []core.Incarnation, passwords map[uint64]string) *registry {
	return &registry{core: core.NewRegistry(stored), passwords: passwords, changed: make(chan struct{})}
}

func (r *registry) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// put records an incarnation as committed; a password is kept until it ends.
func (r *registry) put(in core.Incarnation, password string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.core.Put(in)
	switch {
	case in.State == core.Ended:
		delete(r.passwords, in.ID)
	case password != "":
		r.passwords[in.ID] = password
	}
	r.wake()
}

func (r *registry) get(id uint64) (core.Standing, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.core.Get(id)
}

func (r *registry) password(id uint64) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.passwords[id]
}

func (r *registry) list(states ...core.IncarnationState) []core.Standing {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.core.List(states...)
}

func (r *registry) plan(name string) (uint64, int, []core.Incarnation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.core.Plan(name)
}

func (r *registry) ack(id uint64, p core.Position, v catalog.Version, statements uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	ok := r.core.Ack(id, p, v, statements)
	r.wake()
	return ok
}

func (r *registry) stream(id uint64, by int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.core.Stream(id, by)
}

// active is the set of incarnations whose acks count now.
func (r *registry) active() map[uint64]bool {
	out := map[uint64]bool{}
	for _, s := range r.list(core.Active) {
		out[s.ID] = true
	}
	return out
}

// lagging gives those of the set that have not acked, and a channel that closes when that may have changed.
func (r *registry) lagging(p core.Position, set map[uint64]bool) ([]core.Standing, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.core.Lagging(p, set), r.changed
}

// changes is a channel that closes when an incarnation changes or acks.
func (r *registry) changes() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}
