package rules_test

import (
	"testing"

	"ballast/rules"
)

// numericClauses are one of every kind of step over a number.
var numericClauses = []string{
	"MOD 4", "HASH MOD 64 ON (n1, n3)", "RANGE 10000 MOD 32 RANGE 8", "HASH MOD 64", "RANGE (MINVALUE, 25000000, 50000000, 75000000, MAXVALUE)",
	"LIST ((1,2),(3,4),(5,6), DEFAULT)", "RING", "LIST ((1,2) (MOD 2), DEFAULT)",
}

func placementOf(t testing.TB, clause string) *rules.Placement {
	t.Helper()
	c, err := rules.ParseClause(clause)
	if err != nil {
		t.Fatalf("%s: %v", clause, err)
	}
	nodes := []rules.NodeRef{{Name: "n0", Weight: 100}, {Name: "n1", Weight: 100}, {Name: "n2", Weight: 100}, {Name: "n3", Weight: 100}}
	p, err := rules.Compile(c.Strategy, []rules.FieldType{{Kind: rules.FieldInt, Bits: 64}}, nodes)
	if err != nil {
		t.Fatalf("%s: %v", clause, err)
	}
	return p
}

func TestNumericKeysAllocateNothing(t *testing.T) {
	for _, clause := range numericClauses {
		p := placementOf(t, "BALANCE BY (user_id) "+clause)
		for _, k := range []int64{5, -5, 12345678, 1234567890123456789} {
			key := []rules.Value{{Kind: rules.Int, I: k}}
			if n := testing.AllocsPerRun(100, func() {
				if _, err := p.Node(key); err != nil && !rules.NoPlaceError(err) {
					t.Fatal(err)
				}
			}); n > 0 {
				t.Errorf("%s: key %d: %v allocations", clause, k, n)
			}
		}
	}
}
