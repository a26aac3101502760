package core

import (
	"cmp"
	"slices"
	"time"

	"ballast/master/api"
	"ballast/rules/catalog"
)

// IncarnationState is the state of a router incarnation in the registry.
type IncarnationState string

// The states: an account is made ahead (Pooled), given to a router (Active), taken away on the nodes (Ending), gone (Ended).
const (
	Pooled IncarnationState = "pool"
	Active IncarnationState = "active"
	Ending IncarnationState = "ending"
	Ended  IncarnationState = "ended"
)

// Incarnation is one start of a router, or an account that waits for one.
type Incarnation struct {
	ID    uint64
	State IncarnationState
	// Name is the router's, Router its small number, Build its version.
	Name       string
	Router     int
	Addr       string
	Build      string
	Registered time.Time
}

// MaxRouter is the highest router number: connection ids have 12 bits for it.
const MaxRouter = 4095

// Position is a place in what the leader has published.
type Position = api.Position

// Standing is what the leader knows of an active incarnation.
type Standing struct {
	Incarnation
	Acked Position
	// Version is the catalog version it last acked, Statements its own count.
	Version    catalog.Version
	Statements uint64
	// Streams counts the streams it holds (a reconnecting router may hold two for a moment).
	Streams int
}

// Registry holds the incarnations that have not ended. After a change of leader nothing counts as acked.
type Registry struct {
	by map[uint64]*Standing
}

// NewRegistry starts from what the metadata holds.
func NewRegistry(stored []Incarnation) *Registry {
	r := &Registry{by: map[uint64]*Standing{}}
	for _, in := range stored {
		r.by[in.ID] = &Standing{Incarnation: in}
	}
	return r
}

// Put adds or replaces an incarnation as committed; an ended one is forgotten.
func (r *Registry) Put(in Incarnation) {
	if in.State == Ended {
		delete(r.by, in.ID)
		return
	}
	if s := r.by[in.ID]; s != nil {
		s.Incarnation = in
		return
	}
	r.by[in.ID] = &Standing{Incarnation: in}
}

// Get gives an incarnation that has not ended.
func (r *Registry) Get(id uint64) (Standing, bool) {
	if s := r.by[id]; s != nil {
		return *s, true
	}
	return Standing{}, false
}

// List gives the incarnations in any of the states, by id.
func (r *Registry) List(states ...IncarnationState) []Standing {
	var out []Standing
	for _, s := range r.by {
		if slices.Contains(states, s.State) {
			out = append(out, *s)
		}
	}
	slices.SortFunc(out, func(a, b Standing) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// Plan says what the registration of a router does: which pooled account it takes (0 if none is left), its number (0 if all are taken),
// and which incarnations of the same name it ends.
func (r *Registry) Plan(name string) (account uint64, router int, ends []Incarnation) {
	if pool := r.List(Pooled); len(pool) > 0 {
		account = pool[0].ID
	}
	taken := map[int]bool{}
	for _, s := range r.List(Active, Ending) {
		if s.Name == name {
			router = s.Router
			if s.State == Active {
				ends = append(ends, s.Incarnation)
			}
		}
		taken[s.Router] = true
	}
	for n := 1; router == 0 && n <= MaxRouter; n++ {
		if !taken[n] {
			router = n
		}
	}
	return account, router, ends
}

// Ack records what an active incarnation says it has taken over; an older ack than the last changes nothing.
func (r *Registry) Ack(id uint64, p Position, v catalog.Version, statements uint64) bool {
	s := r.by[id]
	if s == nil || s.State != Active {
		return false
	}
	s.Statements = statements
	if s.Acked.Before(p) {
		s.Acked, s.Version = p, v
	}
	return true
}

// Stream counts the streams of an incarnation up or down.
func (r *Registry) Stream(id uint64, by int) {
	if s := r.by[id]; s != nil {
		s.Streams += by
	}
}

// Lagging lists the active incarnations of the set (nil: all) that have not acked p.
func (r *Registry) Lagging(p Position, set map[uint64]bool) []Standing {
	var out []Standing
	for _, s := range r.List(Active) {
		if (set == nil || set[s.ID]) && s.Acked.Before(p) {
			out = append(out, s)
		}
	}
	return out
}
