package plan

import (
	"context"
	"strings"
	"testing"
)

// typical are the statements by which the way of a hit is measured. lex is how many times as long as the CRC32 of its text lexing takes.
var typical = []struct {
	name string
	lex  float64
	sql  string
}{
	{"point", 7.6, "SELECT s FROM t WHERE id=5013452"},
	{"text", 6.0, "SELECT v FROM ks WHERE k='some-user-name'"},
	{"insert", 5.85, "INSERT INTO t (id, g, v, d, s) VALUES (501, 4987, 12, 17.50, '68487932199-96439406143-93774651418-41631865787')"},
	{"in10", 9.9, "SELECT id, s FROM t WHERE id IN (1, 5, 9, 13, 17, 21, 25, 29, 33, 37)"},
	{"rows10", 5.75, "INSERT INTO t (id, g, v, s) VALUES " + strings.TrimSuffix(strings.Repeat("(4, 4987, 12, '68487932199-96439406143'), ", 10), ", ")},
	{"update", 7.0, "UPDATE t SET v = v + 1, s = 'changed' WHERE id = 501"},
	{"orm", 6.15, "SELECT `t0`.`id` AS `t0_id`, `t0`.`g` AS `t0_g`, `t0`.`v` AS `t0_v`, `t0`.`d` AS `t0_d`, `t0`.`s` AS `t0_s`, `t0`.`ts` AS `t0_ts`, " +
		"`j1`.`id` AS `j1_id`, `j1`.`t_id` AS `j1_t_id`, `j1`.`s` AS `j1_s` FROM `t` AS `t0` LEFT OUTER JOIN `j` AS `j1` ON `t0`.`id` = `j1`.`id` " +
		"WHERE `t0`.`id` = 77 AND `t0`.`g` >= 3 AND (`t0`.`s` LIKE 'abc%' OR `t0`.`v` IS NOT NULL) ORDER BY `t0`.`ts` DESC, `t0`.`id` ASC LIMIT 20"},
}

// BenchmarkHit measures planning from the cache and binding.
func BenchmarkHit(b *testing.B) {
	for _, c := range typical {
		b.Run(c.name, func(b *testing.B) { benchHit(b, c.sql) })
	}
}

func benchHit(b *testing.B, sql string) {
	env, p := sessionEnv(b), New(Config{})
	planned(b, p, env, sql)
	var a Args
	var out Bound
	text := []byte(sql)
	b.ReportAllocs()
	for b.Loop() {
		pl, ok := p.Cached(env, text, 0, &a)
		if !ok {
			b.Fatal("not in the cache")
		}
		if err := pl.BindInline(env, &a, nil, &out); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLex measures the lexer alone.
func BenchmarkLex(b *testing.B) {
	for _, c := range typical {
		b.Run(c.name, func(b *testing.B) {
			var l Lexer
			text := []byte(c.sql)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if err := l.Lex(text, 0, LexOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkInsertSpread measures an INSERT whose rows go to two nodes.
func BenchmarkInsertSpread(b *testing.B) {
	env, p := sessionEnv(b), New(Config{})
	var a Args
	var out Bound
	ctx := context.Background()
	text := []byte("INSERT INTO t (id, v) VALUES " + strings.TrimSuffix(strings.Repeat("(4, 12),(5, 13),", 50), ","))
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
