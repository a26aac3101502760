package backend

import (
	"runtime"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func same(name string) string { return name }

func TestSettingsAreInterned(t *testing.T) {
	base := newInterner().intern("", nil)
	a := base.WithDB("shop").With("sql_mode", "'ANSI'").With("autocommit", "0")
	b := base.With("autocommit", "0").With("sql_mode", "''").With("sql_mode", "'ANSI'").WithDB("shop")
	if a != b {
		t.Fatal("equal settings are different pointers")
	}
	if a.Without("autocommit").Without("sql_mode").WithDB("") != base {
		t.Fatal("taking everything back does not give the base")
	}
	if v, ok := a.Get("sql_mode"); !ok || v != "'ANSI'" {
		t.Fatalf("sql_mode is %q, %v", v, ok)
	}
	if base.With("a", "bc") == base.With("ab", "c") {
		t.Fatal("different settings are one pointer")
	}
}

func TestAppendSet(t *testing.T) {
	base := newInterner().intern("", nil)
	a := base.With("autocommit", "0").With("sql_mode", "'ANSI'").With("character_set_results", "latin1")
	b := base.With("sql_mode", "''").With("time_zone", "'+00:00'")
	for _, c := range []struct {
		from, to *Settings
		want     string
	}{
		{a, a, ""},
		{base, a, "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci,character_set_results=latin1,autocommit=0,sql_mode='ANSI'"},
		{a, base, "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci,autocommit=DEFAULT,sql_mode=DEFAULT"},
		{a, b, "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci,autocommit=DEFAULT,sql_mode='',time_zone='+00:00'"},
		{b, b.WithDB("x"), ""},
		{nil, base, "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci"},
		{base, base.With("collation_connection", "'latin1_swedish_ci'").With("character_set_client", "'latin1'"), "SET NAMES latin1 COLLATE latin1_swedish_ci,character_set_results=utf8mb4"},
		{nil, a, "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci,character_set_results=latin1,autocommit=0,sql_mode='ANSI'"},
	} {
		if got := string(appendSet(nil, c.from, c.to, same)); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// The difference, applied to what was in force, gives what is wanted: for any two sets.
func TestAppendSetReachesTarget(t *testing.T) {
	names := []string{"autocommit", "lock_wait_timeout", "sql_mode", "time_zone", "sql_safe_updates"}
	rapid.Check(t, func(t *rapid.T) {
		in := newInterner()
		draw := func(label string) *Settings {
			s := in.intern("", nil)
			for _, n := range names {
				if v := rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, label+n); v != "" {
					s = s.With(n, v)
				}
			}
			return s
		}
		from, to := draw("from"), draw("to")
		server := map[string]string{}
		from.Each(func(n, v string) { server[n] = v })
		applySet(t, server, string(appendSet(nil, from, to, same)))
		for _, n := range names {
			want, ok := to.Get(n)
			if !ok {
				want = initialValue(n)
			}
			got, ok := server[n]
			if !ok {
				got = initialValue(n)
			}
			if got != want {
				t.Fatalf("%s is %s, want %s", n, got, want)
			}
		}
	})
}

func TestInternerForgets(t *testing.T) {
	in := newInterner()
	base := in.intern("", nil)
	for i := range 100 {
		base.With("timestamp", string(rune('a'+i%26))).WithDB(string(rune('a' + i/26)))
	}
	deadline := time.Now().Add(10 * time.Second)
	for in.size() > 1 {
		if time.Now().After(deadline) {
			t.Fatalf("%d sets are still kept", in.size())
		}
		runtime.GC()
		runtime.Gosched()
	}
	runtime.KeepAlive(base)
}
