package rules_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ballast/rules"
	"ballast/rules/rulestest"
)

// TestPruneNeverMisses holds that a key that meets the constraints lives on one of the nodes that pruning names.
func TestPruneNeverMisses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		types := drawTypes(t, 2)
		p, ok := drawPlacement(t, types)
		if !ok {
			return
		}
		all := p.Nodes()
		if !slices.IsSorted(all) {
			t.Fatalf("nodes %v", all)
		}
		for range 10 {
			cons := make([]rules.Constraint, len(types))
			for i, typ := range types {
				cons[i] = drawConstraint(t, typ, p)
			}
			nodes := p.Prune(cons, []int{99})
			if nodes[0] != 99 || !slices.IsSorted(nodes[1:]) || len(slices.Compact(slices.Clone(nodes))) != len(nodes) {
				t.Fatalf("pruned to %v", nodes)
			}
			for range 10 {
				k := drawKey(t, types, p)
				for i, c := range cons {
					if c.Known && len(c.Points) > 0 && rapid.Bool().Draw(t, "point") {
						k[i] = rapid.SampledFrom(c.Points).Draw(t, "which")
					}
				}
				node := nodeOf(t, p, k)
				if node == rules.NoPlace {
					continue
				}
				if !slices.Contains(all, node) {
					t.Fatalf("%v is on %d, all nodes are %v: %s", k, node, all, p.Strategy().SQL())
				}
				if meets(types, cons, k) && !slices.Contains(nodes[1:], node) {
					t.Fatalf("%v is on %d, pruned to %v by %+v: %s", k, node, nodes[1:], cons, p.Strategy().SQL())
				}
			}
		}
	})
}

func drawConstraint(t *rapid.T, typ rules.FieldType, p *rules.Placement) rules.Constraint {
	c := rules.Constraint{Known: rapid.IntRange(0, 4).Draw(t, "known") > 0}
	if !c.Known {
		return c
	}
	value := func() rules.Value {
		for {
			if v := drawKey(t, []rules.FieldType{typ}, p)[0]; v.Kind != rules.Null {
				return v
			}
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "points") {
		c.Points = append(c.Points, value())
	}
	if typ.Nullable && rapid.IntRange(0, 5).Draw(t, "null") == 0 {
		c.Points = append(c.Points, rules.Value{})
	}
	for range rapid.IntRange(0, 2).Draw(t, "intervals") {
		iv := rules.Interval{LoOpen: rapid.Bool().Draw(t, "open"), HiOpen: rapid.Bool().Draw(t, "open")}
		if rapid.IntRange(0, 3).Draw(t, "lo") > 0 {
			v := value()
			iv.Lo = &v
		}
		if rapid.IntRange(0, 3).Draw(t, "hi") > 0 {
			v := value()
			iv.Hi = &v
		}
		if typ.Kind == rules.FieldInt && iv.Lo != nil && iv.Lo.I < 1<<62 && rapid.Bool().Draw(t, "narrow") {
			iv.Hi = &rules.Value{Kind: rules.Int, I: iv.Lo.I + int64(rapid.IntRange(0, 20000).Draw(t, "width"))}
		}
		c.Intervals = append(c.Intervals, iv)
	}
	return c
}

// meets says whether a key meets all constraints.
func meets(types []rules.FieldType, cons []rules.Constraint, k []rules.Value) bool {
	for i, c := range cons {
		if !c.Known {
			continue
		}
		ok := false
		for _, v := range c.Points {
			ok = ok || v.Kind == rules.Null && k[i].Kind == rules.Null || v.Kind != rules.Null && k[i].Kind != rules.Null && types[i].Compare(v, k[i]) == 0
		}
		for _, iv := range c.Intervals {
			ok = ok || k[i].Kind != rules.Null && inside(types[i], iv, k[i])
		}
		if !ok {
			return false
		}
	}
	return true
}

func inside(typ rules.FieldType, iv rules.Interval, v rules.Value) bool {
	if iv.Lo != nil {
		if c := typ.Compare(v, *iv.Lo); c < 0 || c == 0 && iv.LoOpen {
			return false
		}
	}
	if iv.Hi != nil {
		if c := typ.Compare(v, *iv.Hi); c > 0 || c == 0 && iv.HiOpen {
			return false
		}
	}
	return true
}

// TestOrderedIsSorted holds that nodes read in the order that Ordered gives yield sorted values.
func TestOrderedIsSorted(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		types := drawTypes(t, 1)
		p, ok := drawPlacement(t, types)
		if !ok {
			return
		}
		order, ok := p.Ordered()
		if !ok {
			return
		}
		if len(order) > 1 {
			found++
		}
		for range 40 {
			a, b := drawKey(t, types, p), drawKey(t, types, p)
			na, nb := nodeOf(t, p, a), nodeOf(t, p, b)
			if na == rules.NoPlace || nb == rules.NoPlace || na == nb {
				continue
			}
			less := a[0].Kind == rules.Null || b[0].Kind != rules.Null && types[0].Compare(a[0], b[0]) < 0
			if less != (slices.Index(order, na) < slices.Index(order, nb)) || !slices.Contains(order, na) || !slices.Contains(order, nb) {
				t.Fatalf("%v on node %d, %v on node %d, order %v: %s", a, na, b, nb, order, p.Strategy().SQL())
			}
		}
	})
	if found == 0 {
		t.Error("no strategy of several nodes was ordered")
	}
}

func TestOrderedExamples(t *testing.T) {
	for _, tt := range []struct {
		clause string
		want   []int
	}{
		{"BALANCE BY (id) RANGE (0, 10, 20, 30, 40)", []int{0, 1, 2, 3}},
		{"BALANCE BY (id) RANGE (0, 10, 20, 30, 40) ON (n2, n0, n3, n1)", []int{2, 0, 3, 1}},
		{"BALANCE BY (id) RANGE 25000000", []int{0, 1, 2, 3}},
		{"BALANCE BY (id) RANGE (0, 10, 20, 30, 40) EXCEPT ([5, 10) ON n1)", []int{0, 1, 2, 3}},
		{"BALANCE BY (id) RANGE (0, 10, 20, 30, 40) EXCEPT ([5, 10) ON n3)", nil},
		{"BALANCE BY (id) RANGE 10000 MOD 4", nil},
		{"BALANCE BY (id) MOD 4", nil},
		{"BALANCE BY (id) HASH MOD 4", nil},
		{"BALANCE BY (id) HASH MOD 1 ON (n2)", nil},
		{"BALANCE BY (id) MOD 1 ON (n2)", []int{2}},
		{"BALANCE BY (id) RANGE (0, 10, 20, 30, 40, 50) MOD 4", nil},
		{"BALANCE BY (id) RANGE (0, 10, 20, 30, 40, 50, 60, 70, 80) RANGE 2", []int{0, 1, 2, 3}},
	} {
		p := compile(t, tt.clause, 4, bigint)
		if got, ok := p.Ordered(); !slices.Equal(got, tt.want) || ok != (tt.want != nil) {
			t.Errorf("%s: %v %v", tt.clause, got, ok)
		}
	}
}

func TestPruneExamples(t *testing.T) {
	point := func(i int64) rules.Constraint {
		return rules.Constraint{Known: true, Points: []rules.Value{{Kind: rules.Int, I: i}}}
	}
	between := func(lo, hi int64) rules.Constraint {
		return rules.Constraint{Known: true, Intervals: []rules.Interval{{Lo: &rules.Value{Kind: rules.Int, I: lo}, Hi: &rules.Value{Kind: rules.Int, I: hi}}}}
	}
	under := func(hi int64) rules.Constraint {
		return rules.Constraint{Known: true, Intervals: []rules.Interval{{Hi: &rules.Value{Kind: rules.Int, I: hi}, HiOpen: true}}}
	}
	for _, tt := range []struct {
		clause string
		cons   rules.Constraint
		want   []int
	}{
		{"BALANCE BY (id) MOD 4", rules.Constraint{}, []int{0, 1, 2, 3}},
		{"BALANCE BY (id) MOD 4", point(6), []int{2}},
		{"BALANCE BY (id) MOD 4", between(6, 7), []int{2, 3}},
		{"BALANCE BY (id) MOD 4", rules.Constraint{Known: true}, nil},
		{"BALANCE BY (id) RANGE 10000 MOD 32 RANGE 8", between(0, 79999), []int{0}},
		{"BALANCE BY (id) RANGE 10000 MOD 32 RANGE 8", between(0, 80000), []int{0, 1}},
		{"BALANCE BY (id) RANGE (0, 25000000, 50000000, 75000000, 100000000)", under(25000000), []int{0}},
		{"BALANCE BY (id) RANGE (0, 25000000, 50000000, 75000000, 100000000)", between(30000000, 60000000), []int{1, 2}},
		{"BALANCE BY (id) RANGE (0, 25000000, 50000000, 75000000, 100000000)", point(-1), nil},
		{"BALANCE BY (id) RANGE 25000000", between(1000000000, 2000000000), nil},
		{"BALANCE BY (id) HASH MOD 64", between(7, 7), []int{0}}, // CRC32("7") mod 64 is below 16,
	} {
		p := compile(t, tt.clause, 4, bigint)
		if got := p.Prune([]rules.Constraint{tt.cons}, nil); !slices.Equal(got, tt.want) {
			t.Errorf("%s, %+v: %v, want %v", tt.clause, tt.cons, got, tt.want)
		}
	}
}

// TestEveryKeyHasOneAnswer is I2: a node or the named error, for every key of the fields' types.
func TestEveryKeyHasOneAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		types := drawTypes(t, 2)
		p, ok := drawPlacement(t, types)
		if !ok {
			return
		}
		for range 20 {
			k := make([]rules.Value, len(types))
			for i, typ := range types {
				k[i] = rulestest.Value(drawn{t}, typ)
			}
			if node := nodeOf(t, p, k); node < rules.NoPlace || node > 3 {
				t.Fatalf("node %d", node)
			}
			if p.Explain(k) == "" {
				t.Fatal("no sentence")
			}
		}
	})
}

// TestHotPathDoesNotAllocate: what every statement runs through makes no garbage.
func TestHotPathDoesNotAllocate(t *testing.T) {
	text := rules.FieldType{Kind: rules.FieldString, Length: 40, Collation: "utf8mb4_general_ci"}
	one, two := compile(t, "BALANCE BY (id) RANGE 10000 MOD 32 RANGE 8", 4, bigint), compile(t, "BALANCE BY (name, id) HASH MOD 64", 4, text, bigint)
	id, name := rules.Value{Kind: rules.Int, I: 12345678}, rules.Value{Kind: rules.Bytes, S: "customer-0001234567"}
	onID := []rules.Constraint{{Known: true, Points: []rules.Value{id}}}
	onBoth := []rules.Constraint{{Known: true, Points: []rules.Value{name}}, {Known: true, Points: []rules.Value{id}}}
	room := make([]int, 0, 4)
	if n := testing.AllocsPerRun(100, func() { one.Prune(onID, room) }); n != 0 {
		t.Errorf("pruning by one field: %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() { two.Prune(onBoth, room) }); n != 0 {
		t.Errorf("pruning by two fields: %v allocations", n)
	}
}
