package rules

import (
	"math/rand/v2"
	"testing"
)

// TestRingOwner holds the search for a hash's owner against looking at every point.
func TestRingOwner(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, nodes := range []int{1, 2, 40} {
		r := mustCompile(t, "BALANCE BY (user_id) RING", someNodes(nodes), bigint).chain.steps[0].ring
		hashes := []uint32{0, 1, 1<<32 - 1, 1 << 24, 1<<24 - 1, 255 << 24}
		for _, p := range r.points {
			hashes = append(hashes, p-1, p, p+1)
		}
		for range 1000 {
			hashes = append(hashes, rng.Uint32())
		}
		for _, h := range hashes {
			want := r.owners[len(r.owners)-1]
			for i, p := range r.points {
				if p <= h {
					want = r.owners[i]
				}
			}
			if got := r.owner(h); got != uint64(want) {
				t.Fatalf("%d nodes: hash %08x belongs to %d, not to %d", nodes, h, want, got)
			}
		}
	}
}
