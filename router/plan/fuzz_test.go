package plan

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzPlan holds that no text makes planning or binding panic, and that a plan from the cache says what a fresh one says.
func FuzzPlan(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			if strings.HasSuffix(line, ";") {
				f.Add(line, uint8(0))
			}
		}
	}
	snap := fixture(f)
	f.Fuzz(func(t *testing.T, sql string, flags uint8) {
		session := &fakeSession{}
		env := &Env{Snapshot: snap, DB: "app", Flags: Flags(flags), Charset: "utf8mb4", Collation: "utf8mb4_general_ci", TimeZone: "+00:00", Funcs: session, Clock: "1700000000"}
		p := New(Config{})
		var first string
		for range 2 {
			session.next, session.raised = 0, nil
			var a Args
			var b Bound
			pl, err := p.Plan(context.Background(), env, []byte(sql), 0, &a)
			if err != nil {
				return
			}
			said := ""
			if err := pl.Bind(context.Background(), env, &a, session, &b); err != nil {
				said = describeError(err)
			} else {
				said = describe(env, pl, &b, session)
			}
			if len(pl.fixed) > 0 {
				return
			}
			if first == "" {
				first = said
			} else if first != said {
				t.Fatalf("%q: first %s, then %s", sql, first, said)
			}
		}
	})
}
