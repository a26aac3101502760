package collate_test

import (
	"bytes"
	"testing"

	"ballast/rules/collate"
)

func lookup(t testing.TB, name string) *collate.Collation {
	t.Helper()
	c, ok := collate.Lookup(name)
	if !ok {
		t.Fatalf("%s is not known", name)
	}
	return c
}

// TestCompare holds what case, accents and trailing spaces mean under each collation.
func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		collation, a, b string
		want            int
	}{
		{"utf8mb4_general_ci", "straße", "STRASE", 0},
		{"utf8mb4_general_ci", "é", "E", 0},
		{"utf8mb4_general_ci", "a", "a   ", 0},
		{"utf8mb4_general_ci", "a", "a\t", 1},
		{"utf8mb4_general_ci", "a", "a!", -1},
		{"utf8mb4_general_ci", "", "  ", 0},
		{"utf8mb4_general_ci", "😀", "🙂", 0},
		{"utf8mb4_0900_ai_ci", "straße", "STRASSE", 0},
		{"utf8mb4_0900_ai_ci", "e\u0301", "É", 0},
		{"utf8mb4_0900_ai_ci", "a", "a ", -1},
		{"utf8mb4_0900_ai_ci", "😀", "🙂", -1},
		{"utf8mb4_0900_ai_ci", "か", "ガ", 0},
		{"utf8mb4_0900_ai_ci", "\u00ad", "", 0},
		{"utf8mb4_bin", "a", "A", 1},
		{"utf8mb4_bin", "a", "a ", 0},
		{"utf8mb4_bin", "a\x01", "a", -1},
		{"utf8mb4_0900_bin", "a", "a ", -1},
		{"utf8_general_ci", "ä", "A", 0},
		{"latin1_swedish_ci", "ü", "Y", 0},
		{"latin1_swedish_ci", "ä", "Z", 1},
		{"latin1_swedish_ci", "a ", "A", 0},
		{"latin1_bin", "é", "ê", -1},
		{"ascii_general_ci", "z", "Z", 0},
		{"ascii_bin", "z", "Z", 1},
		{"binary", "a", "a ", -1},
		{"binary", "\xff", "\xfe", 1},
	} {
		c := lookup(t, tt.collation)
		for _, swap := range []int{1, -1} {
			a, b := tt.a, tt.b
			if swap < 0 {
				a, b = b, a
			}
			got, ok := c.Compare(a, b)
			if !ok || sign(got) != swap*tt.want || c.Equal(a, b) != (tt.want == 0) {
				t.Errorf("%s: %q and %q compare as %d (%v), want %d", tt.collation, a, b, got, ok, swap*tt.want)
			}
		}
	}
}

func sign(n int) int { return min(max(n, -1), 1) }

// TestNoText holds what a character set can't store, and what is no collation of ours.
func TestNoText(t *testing.T) {
	for collation, s := range map[string]string{
		"utf8mb4_general_ci": "a\xff", "utf8mb4_bin": "\xed\xa0\x80", "utf8mb3_bin": "😀", "utf8mb3_general_ci": "😀", "utf8mb4_0900_ai_ci": "\xc3",
		"latin1_swedish_ci": "中", "latin1_bin": "\xff", "ascii_bin": "é", "ascii_general_ci": "é", "utf8mb4_turkish_ci": "a", "": "a",
	} {
		if key, err := collate.Key([]byte("before"), collation, s); err == nil || string(key) != "before" {
			t.Errorf("%s takes %q: %q", collation, s, key)
		}
		if c, ok := collate.Lookup(collation); ok && (c.Holds(s) || c.Equal(s, s)) {
			t.Errorf("%s holds %q", collation, s)
		}
	}
}

func TestKeyAppends(t *testing.T) {
	for _, name := range collate.Supported() {
		c := lookup(t, name)
		alone, ok := c.AppendKey(nil, "Key ")
		if !ok || !c.Holds("Key ") {
			t.Fatal(name)
		}
		after, _ := c.AppendKey([]byte("  "), "Key ")
		if !bytes.Equal(after, append([]byte("  "), alone...)) {
			t.Errorf("%s: %q behind two spaces is %q", name, alone, after)
		}
		if empty, _ := c.AppendKey([]byte(" "), " "); c.PadSpace() != (len(empty) == 1) {
			t.Errorf("%s: a space is %q", name, empty)
		}
	}
}

func TestKeyDoesNotAllocate(t *testing.T) {
	var buf [256]byte
	for _, name := range collate.Supported() {
		c := lookup(t, name)
		if n := testing.AllocsPerRun(100, func() { c.AppendKey(buf[:0], "a key of ordinary length ") }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkKey(b *testing.B) {
	var buf [256]byte
	for _, name := range collate.Supported() {
		b.Run(name, func(b *testing.B) {
			c := lookup(b, name)
			for b.Loop() {
				c.AppendKey(buf[:0], "customer-0001234567")
			}
		})
	}
}

func FuzzKey(f *testing.F) {
	f.Add("straße ", "STRASSE")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, name := range collate.Supported() {
			c := lookup(t, name)
			ka, okA := c.AppendKey(nil, a)
			kb, okB := c.AppendKey(nil, b)
			if okA != c.Holds(a) {
				t.Fatalf("%s: %q has a key: %v", name, a, okA)
			}
			if okA && okB && bytes.Equal(ka, kb) != (c.CompareKeys(ka, kb) == 0) {
				t.Fatalf("%s: %q and %q are equal by key or by order only", name, a, b)
			}
		}
	})
}
