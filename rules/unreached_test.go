package rules_test

import "testing"

func TestDiffOfNumbersThatDoNotOccur(t *testing.T) {
	// A 32 bit hash in runs of a hundred million leaves 43 of the 64 residues.
	old := compile(t, "BALANCE BY (id) HASH RANGE 100000000 MOD 64", 4, bigint)
	for _, clause := range []string{"BALANCE BY (id) HASH MOD 64", "BALANCE BY (id) HASH RANGE 100000000 MOD 48", "BALANCE BY (id) HASH RANGE 100000000 MOD 64"} {
		new := compile(t, clause, 4, bigint)
		for _, pair := range [][2]int{{0, 1}, {1, 0}} {
			a, b := old, new
			if pair[0] == 1 {
				a, b = new, old
			}
			windows := diff(t, a, b)
			for i := int64(-2000); i < 2000; i++ {
				from, err := a.Node(key(i))
				if err != nil {
					t.Fatal(err)
				}
				to, err := b.Node(key(i))
				if err != nil {
					t.Fatal(err)
				}
				in := 0
				for _, w := range windows {
					if w.Holds(key(i)) {
						in++
					}
				}
				if want := map[bool]int{true: 0, false: 1}[from == to]; in != want {
					t.Fatalf("%s: key %d moves from %d to %d and is in %d windows", clause, i, from, to, in)
				}
			}
		}
	}
}
