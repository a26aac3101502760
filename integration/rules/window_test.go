package rules_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ballast/integration/cluster"
	"ballast/rules"
	"ballast/rules/rulestest"
)

// TestWindowsHoldWhatMoves is I3 in SQL: the windows of a change, asked for on the server, hold each row whose node changes once and no other.
func TestWindowsHoldWhatMoves(t *testing.T) {
	const pairs = 8
	s := pool.Servers(t, cluster.Shape{Nodes: 1})
	t.Logf("%s, seed %d", s.Flavour, *seed)
	c := rand.New(rand.NewPCG(*seed, 4))
	conn := connection(t, s.Nodes[0].DB)
	run(t, conn, "CREATE DATABASE predicates")
	names := typeNames(s.Flavour)
	for i, name := range names {
		defs := []string{name}
		if i%4 == 0 {
			defs = append(defs, names[c.IntN(len(names))])
		}
		t.Run(fmt.Sprint(defs), func(t *testing.T) {
			tab := newTable(t, conn, c, fmt.Sprintf("t%d", i), defs...)
			for range pairs {
				old, new := placement(c, tab.types), placement(c, tab.types)
				windows, err := rules.Diff(old, new)
				if err != nil {
					t.Fatal(err)
				}
				in := make([]int, len(tab.keys))
				for _, w := range windows {
					predicate := w.SQL(func(field int) string { return fmt.Sprintf("k%d", field) })
					ids, err := rowsWhere(t.Context(), conn, tab.name, predicate)
					if err != nil {
						t.Fatalf("%s: %.2000s: %v", w, predicate, err)
					}
					for _, id := range ids {
						in[id]++
						if !w.Holds(tab.keys[id]) {
							t.Fatalf("row %d %v is in %s by SQL only: %.2000s", id, tab.keys[id], w, predicate)
						}
					}
				}
				for id, key := range tab.keys {
					want := 0
					if node(t, old, key) != node(t, new, key) {
						want = 1
					}
					if in[id] != want {
						t.Fatalf("row %d %v is in %d windows, want %d\n%s\n%s", id, key, in[id], want, old.Strategy().SQL(), new.Strategy().SQL())
					}
				}
			}
		})
	}
}

// placement makes strategies until one compiles.
func placement(c *rand.Rand, types []rules.FieldType) *rules.Placement {
	for {
		if p, err := rules.Compile(rulestest.Strategy(c, types, nodeCount), types, rulestest.Nodes(nodeCount)); err == nil {
			return p
		}
	}
}

func node(t *testing.T, p *rules.Placement, key []rules.Value) int {
	t.Helper()
	n, err := p.Node(key)
	if err != nil && !rules.NoPlaceError(err) {
		t.Fatal(err)
	}
	return n
}
