package rules

import (
	"hash/crc32"
	"strings"
	"testing"
)

// fourNodes are the nodes of the examples.
func someNodes(n int) []NodeRef {
	out := make([]NodeRef, n)
	for i := range out {
		out[i] = NodeRef{Name: "n" + itoa(i), Weight: 100}
	}
	return out
}

var (
	bigint   = FieldType{Kind: FieldInt, Bits: 64}
	province = FieldType{Kind: FieldString, Length: 20, Collation: "utf8mb4_bin", Nullable: true}
)

func mustCompile(t testing.TB, clause string, nodes []NodeRef, fields ...FieldType) *Placement {
	t.Helper()
	c, err := ParseClause(clause)
	if err != nil {
		t.Fatalf("%s: %v", clause, err)
	}
	p, err := Compile(c.Strategy, fields, nodes)
	if err != nil {
		t.Fatalf("%s: %v", clause, err)
	}
	return p
}

func intKey(i int64) []Value { return []Value{{Kind: Int, I: i}} }

// TestSeedExamples holds the examples of the documents that the project began with.
func TestSeedExamples(t *testing.T) {
	type at struct {
		key  int64
		node int
	}
	tests := []struct {
		name, clause string
		nodes        int
		want         []at
	}{
		{
			"0 to 100 million by range over 4 nodes", "BALANCE BY (user_id) RANGE (0, 25000000, 50000000, 75000000, 100000000)", 4,
			[]at{{0, 0}, {24999999, 0}, {25000000, 1}, {49999999, 1}, {50000000, 2}, {75000000, 3}, {99999999, 3}, {100000000, NoPlace}, {-1, NoPlace}},
		},
		{
			"the same by width", "BALANCE BY (user_id) RANGE 25000000", 4,
			[]at{{0, 0}, {24999999, 0}, {25000000, 1}, {99999999, 3}, {100000000, NoPlace}, {-1, NoPlace}},
		},
		{
			"mod 4", "BALANCE BY (user_id) MOD 4", 4,
			[]at{{0, 0}, {1, 1}, {5, 1}, {7, 3}, {-1, 3}, {-4, 0}},
		},
		{
			"range 10000, mod 4", "BALANCE BY (user_id) RANGE 10000 MOD 4", 4,
			[]at{{0, 0}, {9999, 0}, {10000, 1}, {39999, 3}, {40000, 0}, {-1, 3}},
		},
		{
			"range 10000, mod 32, range 8", "BALANCE BY (user_id) RANGE 10000 MOD 32 RANGE 8", 4,
			[]at{{0, 0}, {79999, 0}, {80000, 1}, {159999, 1}, {160000, 2}, {319999, 3}, {320000, 0}},
		},
		{
			"range 10000, mod 32, mod 4", "BALANCE BY (user_id) RANGE 10000 MOD 32 MOD 4", 4,
			[]at{{0, 0}, {9999, 0}, {10000, 1}, {30000, 3}, {40000, 0}, {320000, 0}},
		},
		{
			"4 nodes split into 8", "BALANCE BY (user_id) RANGE (0, 12500000, 25000000, 37500000, 50000000, 62500000, 75000000, 87500000, 100000000) ON (n0, n4, n1, n5, n2, n6, n3, n7)", 8,
			[]at{{0, 0}, {12500000, 4}, {25000000, 1}, {37500000, 5}, {50000000, 2}, {62500000, 6}, {75000000, 3}, {99999999, 7}},
		},
		{
			"node 3 split into 3 and 4, growth to 400 million", "BALANCE BY (user_id) RANGE (0, 25000000, 50000000, 75000000, 87500000, 100000000, 200000000, 300000000, 400000000)", 8,
			[]at{{0, 0}, {74999999, 2}, {75000000, 3}, {87500000, 4}, {100000000, 5}, {200000000, 6}, {399999999, 7}, {400000000, NoPlace}},
		},
		{
			"range 20000", "BALANCE BY (user_id) RANGE 20000 MOD 4", 4,
			[]at{{0, 0}, {19999, 0}, {20000, 1}, {79999, 3}, {80000, 0}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := mustCompile(t, tt.clause, someNodes(tt.nodes), bigint)
			for _, w := range tt.want {
				node, err := p.Node(intKey(w.key))
				if node != w.node || (err != nil) != (w.node == NoPlace) || err != nil && !NoPlaceError(err) {
					t.Errorf("key %d: node %d (%v), want %d", w.key, node, err, w.node)
				}
			}
		})
	}
}

func TestSeedExampleProvince(t *testing.T) {
	p := mustCompile(t, "BALANCE BY (province) LIST (('guangdong', 'hainan'), ('beijing'), ('heilongjiang'), DEFAULT)", someNodes(4), province)
	for key, want := range map[string]int{"guangdong": 0, "hainan": 0, "beijing": 1, "heilongjiang": 2, "tibet": 3, "beijing  ": 1, "Beijing": 3} {
		if node, err := p.Node([]Value{{Kind: Bytes, S: key}}); node != want || err != nil {
			t.Errorf("%q: node %d (%v), want %d", key, node, err, want)
		}
	}
	if node, err := p.Node([]Value{{}}); node != 3 || err != nil {
		t.Errorf("NULL: node %d (%v), want the default's", node, err)
	}
}

func TestExplainSentence(t *testing.T) {
	p := mustCompile(t, "BALANCE BY (user_id) RANGE 10000 MOD 32 RANGE 8", someNodes(4), bigint)
	want := "user_id 12345: range 10000 → 1, mod 32 → 1, range 8 → 0: node n0"
	if got := p.Explain(intKey(12345)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCRC holds our CRC32 against the library's.
func TestCRC(t *testing.T) {
	text := "The quick brown fox jumps over the lazy dog, 0123456789 times."
	for n := range len(text) {
		if got, want := crcOf(0, text[:n]), crc32.ChecksumIEEE([]byte(text[:n])); got != want {
			t.Errorf("%d bytes: %08x, want %08x", n, got, want)
		}
		if got, want := crcOf(crcOf(0, text[:n/2]), text[n/2:n]), crc32.ChecksumIEEE([]byte(text[:n])); got != want {
			t.Errorf("%d bytes in two parts: %08x, want %08x", n, got, want)
		}
	}
}

func BenchmarkNode(b *testing.B) {
	for _, clause := range []string{"MOD 4", "HASH MOD 64 ON (n1, n3)", "RANGE 10000 MOD 32 RANGE 8", "HASH MOD 64", "RANGE (0, 25000000, 50000000, 75000000, 100000000)", "LIST ((1,2),(3,4),(5,6), DEFAULT)", "RING"} {
		b.Run(clause, func(b *testing.B) {
			p := mustCompile(b, "BALANCE BY (user_id) "+clause, someNodes(4), bigint)
			key := intKey(12345678)
			if strings.Contains(clause, "ON") {
				key = intKey(1234567890123456789)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Node(key); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
