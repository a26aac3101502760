package rules_test

import (
	"errors"
	"strings"
	"testing"

	"ballast/rules"
	"ballast/rules/failure"
	"ballast/rules/rulestest"
)

// TestCompileFaults holds what validation refuses: each rule with the ids of all its faults.
func TestCompileFaults(t *testing.T) {
	name := rules.FieldType{Kind: rules.FieldString, Length: 10, Collation: "utf8mb4_general_ci", Nullable: true}
	unsigned := rules.FieldType{Kind: rules.FieldUint, Bits: 64}
	tests := []struct {
		clause string
		fields []rules.FieldType
		want   string
	}{
		{"BALANCE BY (a) MOD 4", []rules.FieldType{bigint}, ""},
		{"BALANCE BY (a) HASH MOD 64", []rules.FieldType{name}, ""},
		{"BALANCE BY (a, A) HASH MOD 4", []rules.FieldType{bigint, bigint}, "BL1012"},
		{"BALANCE BY (a, b) HASH MOD 4", []rules.FieldType{bigint}, "BL1013"},
		{"BALANCE BY (a) HASH MOD 4", []rules.FieldType{{}}, "BL1014"},
		{"BALANCE BY (a) HASH MOD 4", []rules.FieldType{{Kind: rules.FieldString, Collation: "utf8mb4_turkish_ci"}}, "BL1015"},
		{"BALANCE BY (a, b) MOD 4", []rules.FieldType{bigint, bigint}, "BL1016"},
		{"BALANCE BY (a) MOD 4 ON (n0, n9, n8)", []rules.FieldType{bigint}, "BL1018 BL1018"},
		{"BALANCE BY (a) MOD 4 ON (n0, gone)", []rules.FieldType{bigint}, "BL1019"},
		{"BALANCE BY (a) MOD 2 ON (n0, n0)", []rules.FieldType{bigint}, "BL1020"},
		{"BALANCE BY (a) LIST ((1), (2), (3), (4), DEFAULT)", []rules.FieldType{bigint}, "BL1022"},
		{"BALANCE BY (a) HASH", []rules.FieldType{bigint}, "BL1022"},
		{"BALANCE BY (a) MOD 32 RANGE 4", []rules.FieldType{bigint}, "BL1022"},
		{"BALANCE BY (a) MOD 32 RANGE 8", []rules.FieldType{bigint}, ""},
		{"BALANCE BY (a) RANGE 10 MOD 4 OF b", []rules.FieldType{bigint, bigint}, "BL1060"},
		{"BALANCE BY (a, b) RANGE 10 MOD 4 OF b", []rules.FieldType{bigint, bigint}, "BL1024"},
		{"BALANCE BY (a) MOD 0", []rules.FieldType{bigint}, "BL1027"},
		{"BALANCE BY (a) RANGE (MINVALUE)", []rules.FieldType{bigint}, "BL1028"},
		{"BALANCE BY (a) RANGE (7)", []rules.FieldType{bigint}, "BL1028"},
		{"BALANCE BY (a) RANGE (0, 20, 10, 10, 30)", []rules.FieldType{bigint}, "BL1029 BL1029"},
		{"BALANCE BY (a) RANGE ('b', 'A', 'c')", []rules.FieldType{name}, "BL1029"},
		{"BALANCE BY (a) RANGE ('a', 'A ')", []rules.FieldType{name}, "BL1029"},
		{"BALANCE BY (a) RANGE (0, 'x', 2.5, 10)", []rules.FieldType{bigint}, "BL1030 BL1030"},
		{"BALANCE BY (a) RANGE (-1, 10)", []rules.FieldType{unsigned}, "BL1030"},
		{"BALANCE BY (a) RANGE (0, 18446744073709551616)", []rules.FieldType{unsigned}, "BL1030"},
		{"BALANCE BY (a) RANGE (NULL, 10)", []rules.FieldType{bigint}, "BL1030"},
		{"BALANCE BY (a) RANGE ('2024-13-01', '2025-01-01')", []rules.FieldType{{Kind: rules.FieldDate}}, "BL1030"},
		{"BALANCE BY (a) LIST ((1, 2), (300))", []rules.FieldType{{Kind: rules.FieldInt, Bits: 8}}, "BL1030"},
		{"BALANCE BY (a) LIST ((1, 2), (3, 1))", []rules.FieldType{bigint}, "BL1032"},
		{"BALANCE BY (a) LIST (('x', 'é'), ('E '))", []rules.FieldType{name}, "BL1032"},
		{"BALANCE BY (a) LIST ((NULL), (NULL, 'x'))", []rules.FieldType{name}, "BL1032"},
		{"BALANCE BY (a) LIST ((1, 1.0))", []rules.FieldType{{Kind: rules.FieldDecimal, Length: 5, Scale: 2}}, "BL1032"},
		{"BALANCE BY (a) MOD 4 LIST ((0, 1), (2))", []rules.FieldType{bigint}, "BL1035"},
		{"BALANCE BY (a) MOD 4 LIST ((0, 1), DEFAULT)", []rules.FieldType{bigint}, ""},
		{"BALANCE BY (a) MOD 4 RANGE (0, 2, 3)", []rules.FieldType{bigint}, "BL1035"},
		{"BALANCE BY (a) MOD 4 RANGE (1, MAXVALUE)", []rules.FieldType{bigint}, "BL1035"},
		{"BALANCE BY (a) RING MOD 4", []rules.FieldType{bigint}, "BL1036"},
		{"BALANCE BY (a) LIST ((1) (RING), DEFAULT)", []rules.FieldType{bigint}, "BL1036"},
		{"BALANCE BY (a) RANGE 10 BRANCH (0 (MOD 2))", []rules.FieldType{bigint}, "BL1038"},
		{"BALANCE BY (a) MOD 2 BRANCH (2 (MOD 2))", []rules.FieldType{bigint}, "BL1039"},
		{"BALANCE BY (a) MOD 2 BRANCH (1 (RANGE 2))", []rules.FieldType{bigint}, "BL1024"},
		{"BALANCE BY (a) MOD 4", []rules.FieldType{name}, "BL1040"},
		{"BALANCE BY (a) RANGE 4", []rules.FieldType{name}, "BL1040"},
		{"BALANCE BY (a) MOD 4", []rules.FieldType{{Kind: rules.FieldDecimal, Length: 30, Scale: 2}}, "BL1041"},
		{"BALANCE BY (a) MOD 4 EXCEPT ([5, 5) ON n0, ['x', 2) ON n0, [1, 2) ON nowhere)", []rules.FieldType{bigint}, "BL1042 BL1030 BL1018"},
	}
	for _, tt := range tests {
		c, err := rules.ParseClause(tt.clause)
		if err == nil {
			_, err = rules.Compile(c.Strategy, tt.fields, append(rulestest.Nodes(4), rules.NodeRef{Name: "gone", Removed: true}))
		}
		if got := strings.Join(ids(err), " "); got != tt.want {
			t.Errorf("%s: %q, want %q\n%v", tt.clause, got, tt.want, err)
		}
	}
}

// ids gives the ids of all failures in a joined error.
func ids(err error) []string {
	if err == nil {
		return nil
	}
	var one *failure.Error
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var out []string
		for _, e := range joined.Unwrap() {
			out = append(out, ids(e)...)
		}
		return out
	}
	if errors.As(err, &one) {
		return []string{one.Kind.ID}
	}
	return []string{"?"}
}

func TestStructFaults(t *testing.T) {
	steps := func(s ...rules.Step) rules.Strategy { return rules.Strategy{By: []string{"a"}, Steps: s} }
	deep := rules.Step{Kind: rules.StepMod, Mod: 1}
	for range 40 {
		deep = rules.Step{Kind: rules.StepMod, Mod: 1, Branches: map[int][]rules.Step{0: {deep}}}
	}
	for want, s := range map[string]rules.Strategy{
		"BL1010": {Steps: []rules.Step{{Kind: rules.StepHash}}},
		"BL1011": steps(),
		"BL1017": steps(rules.Step{Kind: rules.StepMod, Mod: 2, Field: 3}),
		"BL1025": steps(rules.Step{}),
		"BL1026": steps(rules.Step{Kind: rules.StepRange}),
		"BL1031": steps(rules.Step{Kind: rules.StepList, Default: -1}),
		"BL1033": steps(rules.Step{Kind: rules.StepList, Lists: [][]rules.Literal{{{Text: "1"}}}, Default: 2}),
		"BL1034": steps(rules.Step{Kind: rules.StepList, Lists: [][]rules.Literal{{{Text: "1"}}, {}}, Default: -1}),
		"BL1037": steps(rules.Step{Kind: rules.StepRing, VNodes: 100000}),
		"BL1043": steps(deep),
	} {
		fields := make([]rules.FieldType, len(s.By))
		for i := range fields {
			fields[i] = bigint
		}
		_, err := rules.Compile(s, fields, rulestest.Nodes(4))
		if got := ids(err); len(got) == 0 || got[0] != want {
			t.Errorf("%v, want %s: %v", got, want, err)
		}
	}
	if _, err := rules.Compile(steps(rules.Step{Kind: rules.StepHash}, rules.Step{Kind: rules.StepMod, Mod: 2}), []rules.FieldType{bigint}, nil); len(ids(err)) != 1 || ids(err)[0] != "BL1021" {
		t.Errorf("no nodes: %v", err)
	}
}

// TestSpread: mod 64 over 3 nodes gives equal runs.
func TestSpread(t *testing.T) {
	p := compile(t, "BALANCE BY (a) MOD 64", 3, bigint)
	last, count := 0, map[int]int{}
	for i := range int64(64) {
		node, err := p.Node(key(i))
		if err != nil || node < last {
			t.Fatalf("%d on node %d after %d: %v", i, node, last, err)
		}
		last = node
		count[node]++
	}
	if count[0] != 22 || count[1] != 21 || count[2] != 21 {
		t.Errorf("spread %v", count)
	}
}

// TestSeveralFields: a list on the first field, mod on the second, by branches and by OF; a hash over both.
func TestSeveralFields(t *testing.T) {
	province := rules.FieldType{Kind: rules.FieldString, Length: 20, Collation: "utf8mb4_general_ci"}
	for _, clause := range []string{
		"BALANCE BY (province, id) LIST (('gd') (MOD 2), ('bj') (MOD 2))",
		"BALANCE BY (province, id) LIST (('gd'), ('bj')) MOD 2 OF id",
	} {
		p := compile(t, clause, 4, province, bigint)
		for want, k := range []struct {
			province string
			id       int64
		}{{"GD", 8}, {"gd", 7}, {"bj", 0}, {"bj ", -1}} {
			node, err := p.Node([]rules.Value{{Kind: rules.Bytes, S: k.province}, {Kind: rules.Int, I: k.id}})
			if node != want || err != nil {
				t.Errorf("%s: %v on node %d, want %d (%v)", clause, k, node, want, err)
			}
		}
	}
	p := compile(t, "BALANCE BY (province, id) HASH MOD 64", 4, province, bigint)
	seen := map[int]bool{}
	for i := range int64(64) {
		node, err := p.Node([]rules.Value{{Kind: rules.Bytes, S: "gd"}, {Kind: rules.Int, I: i}})
		if err != nil {
			t.Fatal(err)
		}
		seen[node] = true
	}
	if len(seen) != 4 {
		t.Errorf("the second field does not count: %v", seen)
	}
}

// TestRingMovesLittle: a node that joins a ring takes rows and moves none between the others; weights count.
func TestRingMovesLittle(t *testing.T) {
	s := rules.Strategy{By: []string{"id"}, Steps: []rules.Step{{Kind: rules.StepRing}}}
	ring := func(weights ...int) *rules.Placement {
		nodes := rulestest.Nodes(len(weights))
		for i, w := range weights {
			nodes[i].Weight = w
		}
		p, err := rules.Compile(s, []rules.FieldType{bigint}, nodes)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	three, four, heavy := ring(100, 100, 100), ring(100, 100, 100, 100), ring(100, 300)
	const keys = 20000
	taken, onHeavy := 0, 0
	for i := range int64(keys) {
		before, after := nodeIndex(t, three, i), nodeIndex(t, four, i)
		if before != after && after != 3 {
			t.Fatalf("key %d moves from %d to %d", i, before, after)
		}
		if after == 3 {
			taken++
		}
		onHeavy += nodeIndex(t, heavy, i)
	}
	if taken < keys/8 || taken > keys*2/5 {
		t.Errorf("the fourth node takes %d of %d", taken, keys)
	}
	if onHeavy < keys*6/10 || onHeavy > keys*9/10 {
		t.Errorf("the node of weight 300 has %d of %d", onHeavy, keys)
	}
}

func nodeIndex(t *testing.T, p *rules.Placement, i int64) int {
	t.Helper()
	node, err := p.Node(key(i))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// TestExceptFirstWins: of overlapping intervals the first that was written counts.
func TestExceptFirstWins(t *testing.T) {
	p := compile(t, "BALANCE BY (id) MOD 1 EXCEPT ([10, 20) ON n1, [15, 30) ON n2, [MINVALUE, 40) ON n3)", 4, bigint)
	for k, want := range map[int64]int{9: 3, 10: 1, 19: 1, 20: 2, 29: 2, 30: 3, 39: 3, 40: 0, -5: 3} {
		if got := nodeIndex(t, p, k); got != want {
			t.Errorf("%d on node %d, want %d", k, got, want)
		}
	}
}

// TestWrongKeys: values that are none of the field's type are refused by name.
func TestWrongKeys(t *testing.T) {
	p := compile(t, "BALANCE BY (id) MOD 4", 4, bigint)
	for _, k := range [][]rules.Value{nil, {{Kind: rules.Bytes, S: "1"}}, {{Kind: rules.Uint, U: 1 << 63}}, {{Kind: rules.Int}, {Kind: rules.Int}}} {
		if _, err := p.Node(k); len(ids(err)) != 1 || ids(err)[0] != "BL1002" {
			t.Errorf("%v: %v", k, err)
		}
	}
	if _, err := p.Node([]rules.Value{{}}); !rules.NoPlaceError(err) {
		t.Errorf("NULL: %v", err)
	}
	s := compile(t, "BALANCE BY (s) HASH MOD 4", 4, rules.FieldType{Kind: rules.FieldString, Collation: "latin1_swedish_ci"})
	if _, err := s.Node([]rules.Value{{Kind: rules.Bytes, S: "中"}}); len(ids(err)) != 1 || ids(err)[0] != "BL1003" {
		t.Errorf("a character that latin1 lacks: %v", err)
	}
}

func TestPinned(t *testing.T) {
	p := compile(t, "BALANCE BY (id) HASH MOD 64", 3, bigint)
	if got := p.Pinned().SQL(); got != "BALANCE BY (id) HASH MOD 64 ON (n0, n1, n2)" {
		t.Error(got)
	}
}
