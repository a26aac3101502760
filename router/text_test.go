package router

import (
	"testing"

	"ballast/router/plan"
	"ballast/sqlfront/wire"
)

func TestMergeInfo(t *testing.T) {
	for _, c := range [][3]string{
		{"Records: 2  Duplicates: 0  Warnings: 1", "Records: 3  Duplicates: 1  Warnings: 0", "Records: 5  Duplicates: 1  Warnings: 1"},
		{"Rows matched: 1  Changed: 0  Warnings: 0", "Rows matched: 9  Changed: 1  Warnings: 0", "Rows matched: 10  Changed: 1  Warnings: 0"},
		{"", "Records: 3  Duplicates: 1  Warnings: 0", "Records: 3  Duplicates: 1  Warnings: 0"},
		{"Records: 3  Duplicates: 1  Warnings: 0", "", "Records: 3  Duplicates: 1  Warnings: 0"},
		{"", "", ""},
	} {
		if got := mergeInfo(c[0], c[1]); got != c[2] {
			t.Errorf("%q + %q = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestLike(t *testing.T) {
	for _, c := range []struct {
		name, pattern string
		want          bool
	}{
		{"shop", "shop", true},
		{"Shop", "sHOP", true},
		{"shop", "sh%", true},
		{"shop", "%op", true},
		{"shop", "_hop", true},
		{"shop", "_op", false},
		{"shop", "", false},
		{"", "", true},
		{"", "%", true},
		{"a_b", `a\_b`, true},
		{"axb", `a\_b`, false},
		{"a%", `a\%`, true},
		{"ab", `a\%`, false},
		{"straße", "STRA_E", true},
		{"shop", "%h%p", true},
		{"shop", "%h%x", false},
	} {
		if got := like(c.name, c.pattern); got != c.want {
			t.Errorf("%q LIKE %q is %v", c.name, c.pattern, got)
		}
	}
}

func TestModeFlags(t *testing.T) {
	flags, bad := modeFlags("ansi_quotes,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES")
	if bad != "" || flags != plan.ANSIQuotes|plan.NoBackslashEscapes|plan.Strict {
		t.Errorf("flags %b, refused %q", flags, bad)
	}
	if _, bad := modeFlags("ANSI,TIME_TRUNCATE_FRACTIONAL"); bad != "TIME_TRUNCATE_FRACTIONAL" {
		t.Errorf("refused %q", bad)
	}
	if flags, bad := modeFlags(""); flags != 0 || bad != "" {
		t.Errorf("flags %b, refused %q", flags, bad)
	}
}

// A user variable's literal, taken apart for a slot, is the same value.
func TestLiteralOf(t *testing.T) {
	str := wire.Column{Type: wire.TypeVarString, Charset: 45}
	for _, c := range []struct {
		column  wire.Column
		row     [4]string
		literal string
		kind    plan.LitKind
		raw     string
	}{
		{wire.Column{Type: wire.TypeLongLong}, [4]string{"-5", "", "", ""}, "-5", plan.LitInt, "-5"},
		{wire.Column{Type: wire.TypeNewDecimal}, [4]string{"1.50", "", "", ""}, "1.50", plan.LitDecimal, "1.50"},
		{wire.Column{Type: wire.TypeNewDecimal}, [4]string{"7", "", "", ""}, "CAST(7 AS DECIMAL(65,0))", plan.LitDecimal, "7."},
		{wire.Column{Type: wire.TypeDouble}, [4]string{"2.5", "", "", ""}, "2.5e0", plan.LitFloat, "2.5e0"},
		{wire.Column{Type: wire.TypeDouble}, [4]string{"1e30", "", "", ""}, "1e30", plan.LitFloat, "1e30"},
		{str, [4]string{"it's", "69742773", "utf8mb4", "utf8mb4_general_ci"}, "_utf8mb4 X'69742773' COLLATE utf8mb4_general_ci", plan.LitString, "it's"},
		{str, [4]string{"", "", "utf8mb4", "utf8mb4_bin"}, "_utf8mb4 X'' COLLATE utf8mb4_bin", plan.LitString, ""},
		{str, [4]string{"x", "FF00", "binary", "binary"}, "X'FF00'", plan.LitBytes, "\xff\x00"},
	} {
		row := [][]byte{[]byte(c.row[0]), []byte(c.row[1]), []byte(c.row[2]), []byte(c.row[3])}
		lit := userLiteral(c.column, row)
		if lit != c.literal {
			t.Errorf("%v: literal %s, want %s", c.row, lit, c.literal)
		}
		got := literalOf(lit)
		if got.Kind != c.kind || string(got.Raw) != c.raw {
			t.Errorf("%s: slot %v %q, want %v %q", lit, got.Kind, got.Raw, c.kind, c.raw)
		}
	}
	if got := userLiteral(str, [][]byte{nil, nil, nil, nil}); got != "NULL" {
		t.Errorf("NULL is %s", got)
	}
}

func TestSavepointNames(t *testing.T) {
	tx := transaction{savepoints: []string{"a", "B"}}
	if tx.savepointAt("b") != 1 || tx.savepointAt("A") != 0 || tx.savepointAt("c") != -1 {
		t.Error("savepoints are not found without regard to case")
	}
	if got := string(appendSavepoint(nil, "SAVEPOINT ", "a`b")); got != "SAVEPOINT `a``b`" {
		t.Error(got)
	}
}
