package core

import (
	"testing"

	"ballast/rules/catalog"
)

func TestRegistration(t *testing.T) {
	r := NewRegistry([]Incarnation{
		{ID: 1, State: Active, Name: "a", Router: 1}, {ID: 2, State: Ending, Name: "b", Router: 2}, {ID: 3, State: Pooled}, {ID: 4, State: Pooled},
	})
	account, router, ends := r.Plan("a")
	if account != 3 || router != 1 || len(ends) != 1 || ends[0].ID != 1 {
		t.Errorf("the same router again: account %d, router %d, ends %v", account, router, ends)
	}
	account, router, ends = r.Plan("b")
	if account != 3 || router != 2 || len(ends) != 0 {
		t.Errorf("a router whose last incarnation is ending: account %d, router %d, ends %v", account, router, ends)
	}
	if _, router, _ = r.Plan("c"); router != 3 {
		t.Errorf("a new router gets number %d", router)
	}
	r.Put(Incarnation{ID: 3, State: Active, Name: "c", Router: 3})
	r.Put(Incarnation{ID: 4, State: Ended})
	if account, _, _ = r.Plan("d"); account != 0 {
		t.Errorf("an account %d out of an empty pool", account)
	}
}

func TestAcks(t *testing.T) {
	r := NewRegistry([]Incarnation{{ID: 1, State: Active}, {ID: 2, State: Active}, {ID: 3, State: Ending}})
	at := func(epoch, sequence uint64) Position { return Position{Epoch: epoch, Sequence: sequence} }
	lagging := func(p Position, set map[uint64]bool) (out []uint64) {
		for _, s := range r.Lagging(p, set) {
			out = append(out, s.ID)
		}
		return out
	}
	if got := lagging(at(1, 5), nil); len(got) != 2 {
		t.Errorf("before any ack: %v", got)
	}
	r.Ack(1, at(1, 6), catalog.Version{Epoch: 1, N: 2}, 10)
	r.Ack(1, at(1, 4), catalog.Version{Epoch: 1, N: 1}, 11) // late, changes nothing but the count
	if s, _ := r.Get(1); s.Acked != at(1, 6) || s.Statements != 11 {
		t.Errorf("after a late ack: %+v", s)
	}
	if got := lagging(at(1, 5), nil); len(got) != 1 || got[0] != 2 {
		t.Errorf("after one ack: %v", got)
	}
	if got := lagging(at(2, 1), map[uint64]bool{1: true}); len(got) != 1 || got[0] != 1 {
		t.Errorf("an ack of an older leader counts: %v", got)
	}
	if r.Ack(3, at(1, 9), catalog.Version{}, 0) || r.Ack(7, at(1, 9), catalog.Version{}, 0) {
		t.Error("an ack of an incarnation that is over was taken")
	}
	r.Put(Incarnation{ID: 2, State: Ending})
	if got := lagging(at(1, 5), nil); len(got) != 0 {
		t.Errorf("one that is over still counts: %v", got)
	}
}
