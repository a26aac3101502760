package plan

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ballast/sqlfront/wire"
)

// quickNumbers has a few numbers at hand.
type quickNumbers struct {
	left          int
	given, raised uint64
}

func (q *quickNumbers) TryNext(string) (uint64, bool) {
	q.left--
	q.given++
	return 1000 + q.given, q.left >= 0
}

func (q *quickNumbers) TryRaise(_ string, above uint64) bool {
	return above <= q.raised
}

func sessionEnv(t testing.TB) *Env {
	return &Env{Snapshot: fixture(t), DB: "app", Flags: Strict, Charset: "utf8mb4", Collation: "utf8mb4_general_ci", TimeZone: "+00:00"}
}

// planned puts a statement's plan into the cache.
func planned(t testing.TB, p *Planner, env *Env, sql string) *Plan {
	t.Helper()
	var a Args
	pl, err := p.Plan(context.Background(), env, []byte(sql), 0, &a)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return pl
}

func TestCachedFindsWhatWasPlanned(t *testing.T) {
	env, p := sessionEnv(t), New(Config{})
	var a Args
	for _, sql := range []string{"SELECT s FROM t WHERE id=501", "SELECT s FROM t FORCE INDEX (x) WHERE id IN (1,2)", "begin", "select 1 as `a  b`"} {
		if _, ok := p.Cached(env, []byte(sql), 0, &a); ok {
			t.Errorf("%s: found before it was planned", sql)
		}
		want := planned(t, p, env, sql)
		pl, ok := p.Cached(env, []byte("  "+sql+" ;select 2"), 2, &a)
		if !ok || pl != want {
			t.Errorf("%s: %p, %v instead of %p", sql, pl, ok, want)
		}
		if string(a.Text) != sql+" " || a.Next != len(sql)+4 {
			t.Errorf("%s: text %q, next %d", sql, a.Text, a.Next)
		}
	}
	for _, sql := range []string{"", " /* */ ", "SELECT 'abc", "SELECT s FROM t WHERE id=?", "SELECT /* s FROM t WHERE id=501", "set @a = 1"} {
		if sql == "set @a = 1" {
			planned(t, p, env, sql)
		}
		text := []byte(sql)
		if n := testing.AllocsPerRun(20, func() {
			if _, ok := p.Cached(env, text, 0, &a); ok {
				t.Errorf("%q has a plan", sql)
			}
		}); n > 0 {
			t.Errorf("%q: %v allocations", sql, n)
		}
	}
	changed := *env
	changed.Snapshot = fixture(t)
	for _, tab := range changed.Snapshot.Tables {
		tab.Shape = 99
	}
	if _, ok := p.Cached(&changed, []byte("SELECT s FROM t WHERE id=501"), 0, &a); ok {
		t.Error("a plan outlived its table's shape")
	}
}

func TestCachedPrepared(t *testing.T) {
	env, p := sessionEnv(t), New(Config{})
	pr, want, err := p.Prepare(context.Background(), env, []byte("SELECT s FROM t WHERE id=?"))
	if err != nil {
		t.Fatal(err)
	}
	var a Args
	var out Bound
	params := []wire.Param{{Type: typeLongLong, Value: []byte{5, 0, 0, 0, 0, 0, 0, 0}}}
	run := func() {
		if err := pr.Bind(params, &a); err != nil {
			t.Fatal(err)
		}
		pl, ok := pr.Cached(env, &a)
		if !ok || pl != want {
			t.Fatal("not found")
		}
		if err := pl.BindInline(env, &a, nil, &out); err != nil || out.Single == nil || out.Single.Node != 1 {
			t.Fatalf("%v, %+v", err, out.Single)
		}
	}
	if n := testing.AllocsPerRun(100, run); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestTextsOfOurOwnReuseBuffers holds statements whose text is made anew to no allocation, too, and their texts to their own values.
func TestTextsOfOurOwnReuseBuffers(t *testing.T) {
	env, p := sessionEnv(t), New(Config{})
	env.Funcs = &fakeSession{}
	numbers := &quickNumbers{left: 1 << 30}
	var a Args
	var out Bound
	for _, c := range []struct{ sql, want string }{
		{"INSERT INTO ai (v) VALUES (17)", "INSERT INTO `ai` (`v`,`id`) VALUES (17,"},
		{"INSERT INTO ai (id, v) VALUES (0, 18) ON DUPLICATE KEY UPDATE v=19", "INSERT INTO `ai` (`id`,`v`) VALUES ("},
	} {
		planned(t, p, env, c.sql)
		text := []byte(c.sql)
		run := func() {
			out.Reset()
			pl, ok := p.Cached(env, text, 0, &a)
			if !ok {
				t.Fatalf("%s: not found", c.sql)
			}
			if err := pl.BindInline(env, &a, numbers, &out); err != nil {
				t.Fatalf("%s: %v", c.sql, err)
			}
		}
		if n := testing.AllocsPerRun(100, run); n > 0 {
			t.Errorf("%s: %v allocations", c.sql, n)
		}
		if got := string(out.Single.SQL); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s", c.sql, got)
		}
	}
	// What was lent to a write on several nodes is not written over.
	bind := func(sql string) {
		t.Helper()
		pl := planned(t, p, env, sql)
		if _, ok := p.Cached(env, []byte(sql), 0, &a); !ok {
			t.Fatalf("%s: not found", sql)
		}
		if err := pl.Bind(context.Background(), env, &a, &fakeSession{}, &out); err != nil {
			t.Fatal(err)
		}
	}
	bind("INSERT INTO t (id, v) VALUES (1, 11), (2, 12)")
	parts := out.Writes.Parts
	out.Reset()
	bind("INSERT INTO t (id, v) VALUES (3, 99), (4, 98)")
	if got := string(parts[0].SQL); got != "INSERT INTO `t` (`id`,`v`) VALUES (1,11)" {
		t.Errorf("a text in use became %s", got)
	}
	large := "INSERT INTO ai (v) VALUES ('" + strings.Repeat("1", 1<<17) + "')"
	bind(large)
	if out.Reset(); cap(out.insert.sql) > 0 {
		t.Error("large buffers are kept")
	}
}

func TestBindInline(t *testing.T) {
	env, p := sessionEnv(t), New(Config{})
	env.Funcs = &fakeSession{}
	for _, c := range []struct {
		sql    string
		inline bool // by the plan alone
		bound  bool // with these values
		after  After
	}{
		{"SELECT s FROM t WHERE id=5", true, true, 0},
		{"SELECT s FROM t WHERE id IN (1,5)", true, true, 0},
		{"SELECT s FROM t WHERE id IN (1,2)", true, false, 0},
		{"SELECT s FROM t", true, false, 0},
		{"SELECT s FROM t WHERE id=5 LIMIT 2, 3", true, true, AfterOffset},
		{"SELECT SQL_CALC_FOUND_ROWS s FROM t WHERE id=5 LIMIT 3", true, true, AfterFound},
		{"SELECT last_insert_id(7)", true, true, AfterInsertID},
		{"SELECT s INTO @a FROM t WHERE id=5", true, true, AfterVars},
		{"SELECT @a:=5", true, true, AfterVars},
		{"SELECT get_lock('a', 1)", true, true, BeforeLocks},
		{"SELECT table_name FROM information_schema.TABLES", true, true, BeforeCatalog},
		{"SELECT 1 FROM r WHERE id IN (SELECT ordinal_position FROM INFORMATION_SCHEMA.columns)", true, true, BeforeCatalog},
		{"SELECT found_rows()", true, true, 0},
		{"UPDATE t SET v=1 WHERE id=5", true, true, 0},
		{"UPDATE t SET v=1", true, false, 0},
		{"UPDATE t SET v=last_insert_id(9) WHERE id=5", true, true, AfterInsertID},
		{"DELETE FROM t WHERE id=5", true, true, 0},
		{"INSERT INTO t (id, v) VALUES (5, 1)", true, true, 0},
		{"INSERT INTO t (id, v) VALUES (5, 1), (9, 1)", true, true, 0},
		{"INSERT INTO t (id, v) VALUES (5, 1), (6, 1)", true, false, 0},
		{"INSERT INTO ai (v) VALUES (1)", true, true, 0},
		{"INSERT INTO ai (id, v) VALUES (0, 1)", true, true, 0},
		{"INSERT INTO ai (v) VALUES (1), (2)", true, false, 0},
		{"INSERT INTO ai (id, v) VALUES (40, 1)", true, true, 0},
		{"INSERT INTO ai (id, v) VALUES (900, 1)", true, false, 0},
		{"INSERT INTO sg (g) VALUES (1)", true, true, AfterNumber},
		{"INSERT INTO sg SELECT id, g FROM r", true, true, AfterInfo | AfterNumber},
		{"INSERT INTO r (id) VALUES (1)", false, false, 0},
		{"UPDATE r SET g=1", false, false, 0},
		{"DELETE FROM r", false, false, 0},
		{"BEGIN", false, false, 0},
		{"SET @a=1", false, false, 0},
		{"SHOW TABLES", false, false, 0},
	} {
		pl := planned(t, p, env, c.sql)
		if pl.Inline() != c.inline || pl.After() != c.after {
			t.Errorf("%s: inline %v, after %b", c.sql, pl.Inline(), pl.After())
		}
		var a Args
		var out, whole Bound
		if _, err := p.Plan(context.Background(), env, []byte(c.sql), 0, &a); err != nil {
			t.Fatal(err)
		}
		err := pl.BindInline(env, &a, &quickNumbers{left: 1, raised: 50}, &out)
		switch {
		case !c.bound:
			if !errors.Is(err, ErrNeedsGoroutine) || out.Single != nil || out.Root != nil || out.Writes != nil {
				t.Errorf("%s: %v, %+v", c.sql, err, out)
			}
			continue
		case err != nil || out.Single == nil:
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if err := pl.Bind(context.Background(), env, &a, &fakeSession{}, &whole); err != nil || whole.Single == nil {
			t.Fatalf("%s: %v", c.sql, err)
		}
		if out.Single.InsertID == 0 && (whole.Single.Node != out.Single.Node || string(whole.Single.SQL) != string(out.Single.SQL)) {
			t.Errorf("%s: %+v instead of %+v", c.sql, out.Single, whole.Single)
		}
	}
	pl := planned(t, p, env, "INSERT INTO ai (v) VALUES (1)")
	var a Args
	var out Bound
	if err := pl.BindInline(env, &a, nil, &out); !errors.Is(err, ErrNeedsGoroutine) {
		t.Errorf("without numbers: %v", err)
	}
}
