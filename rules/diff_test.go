package rules_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ballast/rules"
	"ballast/rules/rulestest"
)

var bigint = rules.FieldType{Kind: rules.FieldInt, Bits: 64}

func compile(t testing.TB, clause string, nodes int, fields ...rules.FieldType) *rules.Placement {
	t.Helper()
	c, err := rules.ParseClause(clause)
	if err != nil {
		t.Fatalf("%s: %v", clause, err)
	}
	p, err := rules.Compile(c.Strategy, fields, rulestest.Nodes(nodes))
	if err != nil {
		t.Fatalf("%s: %v", clause, err)
	}
	return p
}

func key(i int64) []rules.Value { return []rules.Value{{Kind: rules.Int, I: i}} }

func diff(t testing.TB, old, new *rules.Placement) []rules.Window {
	t.Helper()
	windows, err := rules.Diff(old, new)
	if err != nil {
		t.Fatal(err)
	}
	return windows
}

// moved gives the numbers below n that some window holds, and fails where windows overlap or do not agree with their blocks.
func moved(t *testing.T, windows []rules.Window, n int64) []int64 {
	t.Helper()
	var out []int64
	for i := range n {
		holds := 0
		for _, w := range windows {
			in := w.Holds(key(i))
			if in {
				holds++
			}
			if b := w.Blocks; b != nil && w.Lo == nil && w.Hi == nil {
				if _, inBlock := slices.BinarySearch(b.Residues, uint64(i)/b.Width%b.Modulus); inBlock != in {
					t.Errorf("%s: key %d, the blocks say %v", w, i, inBlock)
				}
			}
		}
		if holds > 1 {
			t.Errorf("key %d is in %d windows", i, holds)
		}
		if holds > 0 {
			out = append(out, i)
		}
	}
	return out
}

// TestDiffMod: residues 0..3 of 12 stay for 4 → 6, 0..5 of 24 for 8 → 6.
func TestDiffMod(t *testing.T) {
	for _, tt := range []struct {
		from, to, nodes string
		stay, period    int64
	}{{"4", "6", "n0, n1, n2, n3", 4, 12}, {"8", "6", "n0, n1, n2, n3, n4, n5, n6, n7", 6, 24}} {
		old := compile(t, "BALANCE BY (id) MOD "+tt.from+" ON ("+tt.nodes+")", 8, bigint)
		new := compile(t, "BALANCE BY (id) MOD "+tt.to+" ON (n0, n1, n2, n3, n4, n5)", 8, bigint)
		got := moved(t, diff(t, old, new), tt.period)
		var want []int64
		for i := tt.stay; i < tt.period; i++ {
			want = append(want, i)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s → %s moves %v of %d, want %v", tt.from, tt.to, got, tt.period, want)
		}
	}
}

// TestDiffSentences shows the windows of the documents' examples as people read them.
func TestDiffSentences(t *testing.T) {
	province := rules.FieldType{Kind: rules.FieldString, Length: 20, Collation: "utf8mb4_general_ci"}
	hundred := "BALANCE BY (user_id) RANGE (0, 25000000, 50000000, 75000000, 100000000)"
	tests := []struct {
		name, old, new string
		field          rules.FieldType
		want           []string
	}{
		{
			"whole interval moves", hundred, hundred + " EXCEPT ([25000000, 50000000) ON n3)", bigint,
			[]string{"user_id in [25000000, 50000000): n1 → n3"},
		},
		{
			"part of an interval moves", hundred, hundred + " EXCEPT ([45000000, 50000000) ON n3)", bigint,
			[]string{"user_id in [45000000, 50000000): n1 → n3"},
		},
		{
			"an exception is taken back", hundred + " EXCEPT ([45000000, 50000000) ON n3)", hundred, bigint,
			[]string{"user_id in [45000000, 50000000): n3 → n1"},
		},
		{
			"4 nodes split into 8", hundred, "BALANCE BY (user_id) RANGE (0, 12500000, 25000000, 37500000, 50000000, 62500000, 75000000, 87500000, 100000000) ON (n0, n4, n1, n5, n2, n6, n3, n7)", bigint,
			[]string{"user_id in [12500000, 25000000): n0 → n4", "user_id in [37500000, 50000000): n1 → n5", "user_id in [62500000, 75000000): n2 → n6", "user_id in [87500000, 100000000): n3 → n7"},
		},
		{
			"node 3 split, growth to 400 million", hundred, "BALANCE BY (user_id) RANGE (0, 25000000, 50000000, 75000000, 87500000, 100000000, 200000000, 300000000, 400000000)", bigint,
			[]string{"user_id in [87500000, 100000000): n3 → n4", "user_id in [100000000, 200000000): no node → n5", "user_id in [200000000, 300000000): no node → n6", "user_id in [300000000, 400000000): no node → n7"},
		},
		{
			"heilongjiang moves from 2 to 3", "BALANCE BY (province) LIST (('guangdong'), ('beijing'), ('heilongjiang'), ('xinjiang'))", "BALANCE BY (province) LIST (('guangdong'), ('beijing'), ('tibet'), ('xinjiang', 'heilongjiang'))", province,
			[]string{"province = 'heilongjiang': n2 → n3", "province = 'tibet': no node → n2"},
		},
		{
			"range 10000 becomes range 20000", "BALANCE BY (user_id) RANGE 10000 MOD 4 ON (n0, n1, n2, n3)", "BALANCE BY (user_id) RANGE 20000 MOD 4 ON (n0, n1, n2, n3)", bigint,
			[]string{
				"floor(user_id / 10000) mod 8 = 4: n0 → n2", "floor(user_id / 10000) mod 8 = 1: n1 → n0", "floor(user_id / 10000) mod 8 = 5: n1 → n2",
				"floor(user_id / 10000) mod 8 = 2: n2 → n1", "floor(user_id / 10000) mod 8 = 6: n2 → n3", "floor(user_id / 10000) mod 8 = 3: n3 → n1",
			},
		},
		{
			"hash grows from 2 to 3 nodes", "BALANCE BY (province) HASH MOD 2 ON (n0, n1)", "BALANCE BY (province) HASH MOD 3 ON (n0, n1, n2)", province,
			[]string{"hash(province) mod 6 = 4: n0 → n1", "hash(province) mod 6 = 2: n0 → n2", "hash(province) mod 6 = 3: n1 → n0", "hash(province) mod 6 = 5: n1 → n2"},
		},
		{
			"strings by bounds", "BALANCE BY (name) RANGE (MINVALUE, 'm', MAXVALUE) ON (n0, n1)", "BALANCE BY (name) RANGE (MINVALUE, 'K', MAXVALUE) ON (n0, n1)", province,
			[]string{"name in ['K', 'm'): n0 → n1"},
		},
		{
			"days", "BALANCE BY (day) RANGE 7 MOD 2 ON (n0, n1)", "BALANCE BY (day) RANGE 7 MOD 2 ON (n0, n1) EXCEPT (['2024-01-01', MAXVALUE) ON n2)",
			rules.FieldType{Kind: rules.FieldDate},
			[]string{"day in [2024-01-01, last), floor(days of day / 7) mod 2 = 0: n0 → n2", "day in [2024-01-01, last), floor(days of day / 7) mod 2 = 1: n1 → n2"},
		},
		{"nothing", "BALANCE BY (user_id) MOD 32 RANGE 8 ON (n0, n1, n2, n3)", "BALANCE BY (user_id) MOD 32 ON (n0, n1, n2, n3)", bigint, nil},
		{
			"a new default", "BALANCE BY (province) LIST (('a'), ('b'))", "BALANCE BY (province) LIST (('a'), ('b'), DEFAULT)", province,
			[]string{"province not in ('a', 'b'): no node → n2"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, w := range diff(t, compile(t, tt.old, 8, tt.field), compile(t, tt.new, 8, tt.field)) {
				got = append(got, w.String())
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// TestDiffRefuses holds what can't be compared.
func TestDiffRefuses(t *testing.T) {
	a := compile(t, "BALANCE BY (a) MOD 4", 4, bigint)
	for _, b := range []*rules.Placement{compile(t, "BALANCE BY (b) MOD 4", 4, bigint), compile(t, "BALANCE BY (a) MOD 4", 4, rules.FieldType{Kind: rules.FieldUint, Bits: 64})} {
		if _, err := rules.Diff(a, b); err == nil {
			t.Error("other fields are taken")
		}
	}
	other, err := rules.Compile(rules.Strategy{By: []string{"a"}, Steps: []rules.Step{{Kind: rules.StepMod, Mod: 2}}}, []rules.FieldType{bigint}, []rules.NodeRef{{Name: "x"}, {Name: "y"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rules.Diff(a, other); err == nil {
		t.Error("other nodes are taken")
	}
}

// TestDiffExact is I3 on strategies of every kind: each key is in exactly one window if its node differs, and in none if not; the window names both nodes.
func TestDiffExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		types := drawTypes(t, 2)
		old, ok := drawPlacement(t, types)
		if !ok {
			return
		}
		new, ok := drawPlacement(t, types)
		if !ok {
			return
		}
		windows, err := rules.Diff(old, new)
		if err != nil {
			t.Fatal(err)
		}
		for range 30 {
			k := drawKey(t, types, old, new)
			from, to := nodeOf(t, old, k), nodeOf(t, new, k)
			held := 0
			for _, w := range windows {
				if !w.Holds(k) {
					continue
				}
				held++
				if w.From != from || w.To != to || !agrees(w, types[0], k) {
					t.Fatalf("%v: old node %d, new node %d, but in %s\n%s\n%s", k, from, to, w, old.Strategy().SQL(), new.Strategy().SQL())
				}
			}
			if want := from != to; held > 1 || held == 1 != want {
				t.Fatalf("%v: old node %d, new node %d, in %d windows\n%s\n%s", k, from, to, held, old.Strategy().SQL(), new.Strategy().SQL())
			}
		}
	})
}

// agrees holds the description of a window against the key.
func agrees(w rules.Window, typ rules.FieldType, k []rules.Value) bool {
	if b := w.Blocks; b != nil && !b.Hash && typ.Kind == rules.FieldInt {
		x := k[0].I
		q := x / int64(b.Width)
		if b.Width > 1<<62 {
			return true
		}
		if x < 0 && x%int64(b.Width) != 0 {
			q--
		}
		r := q % int64(b.Modulus)
		if r < 0 {
			r += int64(b.Modulus)
		}
		_, in := slices.BinarySearch(b.Residues, uint64(r))
		return in
	}
	if w.Values != nil || w.Others {
		listed := slices.ContainsFunc(w.Values, func(v rules.Value) bool { return typ.Compare(v, k[0]) == 0 })
		return listed != w.Others
	}
	return true
}

func drawPlacement(t *rapid.T, types []rules.FieldType) (*rules.Placement, bool) {
	p, err := rules.Compile(rulestest.Strategy(drawn{t}, types, 4), types, rulestest.Nodes(4))
	return p, err == nil
}

// drawKey draws a key, often one that a strategy names.
func drawKey(t *rapid.T, types []rules.FieldType, from ...*rules.Placement) []rules.Value {
	k := make([]rules.Value, len(types))
	for i, typ := range types {
		var named []rules.Value
		for _, p := range from {
			for _, l := range literals(p.Strategy().Steps, p.Strategy().Except) {
				if v, ok := typ.Parse(l.Text); ok && !l.Null {
					named = append(named, v)
				}
			}
		}
		switch c := rapid.IntRange(0, 5).Draw(t, "what"); {
		case c == 0 && typ.Nullable:
		case c <= 2 && len(named) > 0:
			k[i] = rapid.SampledFrom(named).Draw(t, "named")
		default:
			k[i] = rulestest.Value(drawn{t}, typ)
		}
	}
	return k
}

func literals(steps []rules.Step, except []rules.Exception) []rules.Literal {
	var out []rules.Literal
	for _, s := range steps {
		out = append(out, s.Bounds...)
		for _, l := range s.Lists {
			out = append(out, l...)
		}
		for _, b := range s.Branches {
			out = append(out, literals(b, nil)...)
		}
	}
	for _, x := range except {
		if x.From != nil {
			out = append(out, *x.From)
		}
		if x.To != nil {
			out = append(out, *x.To)
		}
	}
	return out
}

func nodeOf(t *rapid.T, p *rules.Placement, k []rules.Value) int {
	node, err := p.Node(k)
	if err != nil && !rules.NoPlaceError(err) {
		t.Fatalf("%v: %v", k, err)
	}
	return node
}
