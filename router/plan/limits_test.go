package plan

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestHugeStatements(t *testing.T) {
	env := &Env{Snapshot: fixture(t), DB: "app", Flags: Strict, Charset: "utf8mb4", Collation: "utf8mb4_general_ci", TimeZone: "+00:00"}
	for _, c := range []struct {
		name, sql string
		// code is the error wanted; 0 means any answer but a crash.
		code uint16
	}{
		{"deep parentheses", "SELECT " + strings.Repeat("(", 1_000_000) + "1" + strings.Repeat(")", 1_000_000), 1436},
		{"deep but allowed", "SELECT " + strings.Repeat("(", 999) + "1" + strings.Repeat(")", 999), 0},
		{"long sum", "SELECT v FROM t WHERE id = 1" + strings.Repeat("+1", 1_000_000), 1436},
		{"long sum allowed", "SELECT v FROM t WHERE id = 1" + strings.Repeat("+1", 50_000), 0},
		{"minus signs", "SELECT " + strings.Repeat("- ", 1_000_000) + "1", 1436},
		{"minus signs allowed", "SELECT v FROM t WHERE id = " + strings.Repeat("- ", 50_000) + "1", 0},
		{"many ORs", "DELETE FROM t WHERE id = 1" + strings.Repeat(" OR id = 5", 40_000), 0},
		{"NOTs", "SELECT v FROM t WHERE " + strings.Repeat("NOT ", 1_000_000) + "1", 1436},
		{"long list", "DELETE FROM t WHERE id IN (1" + strings.Repeat(",5", 100_000) + ")", 0},
		{"long string", "INSERT INTO t (id, s) VALUES (1, '" + strings.Repeat("x", 10_000_000) + "')", 0},
		{"many rows", "INSERT INTO t (id, v) VALUES (1, 2)" + strings.Repeat(",(5, 3)", 500_000), 0},
		{"unlike rows", "INSERT INTO t (id, v) VALUES (1, 2)" + strings.Repeat(",(5, 3+1)", 20_000), 0},
	} {
		begin := time.Now()
		var a Args
		var b Bound
		pl, err := New(Config{}).Plan(context.Background(), env, []byte(c.sql), 0, &a)
		if err == nil {
			err = pl.Bind(context.Background(), env, &a, nil, &b)
		}
		if c.code != 0 {
			coded, ok := err.(interface{ MySQL() (uint16, string) }) //nolint:errorlint // the planner's own failure
			if !ok {
				t.Errorf("%s: %v", c.name, err)
			} else if n, _ := coded.MySQL(); n != c.code {
				t.Errorf("%s: error %d", c.name, n)
			}
		} else if err != nil {
			t.Errorf("%s: %.200s", c.name, err.Error())
		}
		t.Logf("%s: %s", c.name, time.Since(begin).Round(time.Millisecond))
	}
}
