package plan

import (
	"context"
	"strings"
	"testing"
)

// benchStatement measures planning from the cache and binding, after a first run filled it.
func benchStatement(b *testing.B, sql string) {
	env := &Env{Snapshot: fixture(b), DB: "app", Flags: Strict, Charset: "utf8mb4", Collation: "utf8mb4_general_ci", TimeZone: "+00:00"}
	p := New(Config{})
	var a Args
	var out Bound
	ctx := context.Background()
	text := []byte(sql)
	b.ReportAllocs()
	for b.Loop() {
		pl, err := p.Plan(ctx, env, text, 0, &a)
		if err != nil {
			b.Fatal(err)
		}
		if err := pl.Bind(ctx, env, &a, nil, &out); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTextPointSelect(b *testing.B) { benchStatement(b, "SELECT s FROM t WHERE id=5013452") }

func BenchmarkTextPointSelectString(b *testing.B) {
	benchStatement(b, "SELECT v FROM ks WHERE k='some-user-name'")
}

func BenchmarkInsert(b *testing.B) {
	benchStatement(b, "INSERT INTO t (id, g, v, s) VALUES (501, 4987, 12, '68487932199-96439406143')")
}

func BenchmarkUpdate(b *testing.B) { benchStatement(b, "UPDATE t SET v=v+1 WHERE id=501") }

func BenchmarkInsertHundredRowsOneNode(b *testing.B) {
	benchStatement(b, "INSERT INTO t (id, v) VALUES "+strings.TrimSuffix(strings.Repeat("(4, 12),", 100), ","))
}

func BenchmarkInsertHundredRowsSpread(b *testing.B) {
	benchStatement(b, "INSERT INTO t (id, v) VALUES "+strings.TrimSuffix(strings.Repeat("(4, 12),(5, 13),", 50), ","))
}

func TestPointStatementsAllocateNothing(t *testing.T) {
	env := &Env{Snapshot: fixture(t), DB: "app", Flags: Strict, Charset: "utf8mb4", Collation: "utf8mb4_general_ci", TimeZone: "+00:00"}
	p := New(Config{})
	var a Args
	var out Bound
	ctx := context.Background()
	for _, sql := range []string{
		"SELECT s FROM t WHERE id=5013452",
		"INSERT INTO t (id, g, v, s) VALUES (501, 4987, 12, '68487932199-96439406143')",
		"UPDATE t SET v=v+1 WHERE id=501",
		"DELETE FROM t WHERE id=501",
		"SELECT s FROM t JOIN r ON r.id = t.g WHERE t.id='77'",
	} {
		text := []byte(sql)
		run := func() {
			pl, err := p.Plan(ctx, env, text, 0, &a)
			if err != nil {
				t.Fatal(err)
			}
			if err := pl.Bind(ctx, env, &a, nil, &out); err != nil {
				t.Fatal(err)
			}
		}
		run()
		if n := testing.AllocsPerRun(100, run); n > 0 {
			t.Errorf("%s: %v allocations", sql, n)
		}
		if out.Single == nil || !out.Single.Verbatim {
			t.Errorf("%s: not verbatim", sql)
		}
	}
}
