package plan

import (
	"fmt"
	"strings"
	"testing"

	"ballast/rules"
	"ballast/rules/catalog"
)

// hotStatements makes n statements with as many digests, as applications send them: reads and writes by key, lists of keys, joins, rows.
func hotStatements(n int) []string {
	out := make([]string, 0, n)
	for i := 0; len(out) < n; i++ {
		key := 2 + 4*i // all keys of a statement are on one node under MOD 4, and on another under MOD 2
		out = append(out,
			fmt.Sprintf("SELECT s, v AS c%d FROM t WHERE id = %d", i, key),
			fmt.Sprintf("SELECT id, v FROM t AS a%d WHERE a%d.id IN (%d, %d, %d)", i, i, key, key+4, key+8),
			fmt.Sprintf("SELECT t.s, j.s AS c%d FROM t JOIN j ON t.id = j.id WHERE t.id = '%d' ORDER BY j.s LIMIT 10", i, key),
			fmt.Sprintf("UPDATE t SET v = v %s 1, s = 'x' WHERE id = %d AND g > 3", strings.Repeat("+ 1 ", i%7)+"+", key)+strings.Repeat(" AND v = 1", i/7),
			fmt.Sprintf("DELETE FROM t WHERE id = %d%s", key, strings.Repeat(" AND v = 2", i)),
			fmt.Sprintf("INSERT INTO t (id, g, v, s) VALUES (%d, 5, 6, 'text'), (%d, 7, 8, 'more') ON DUPLICATE KEY UPDATE v = 1%s", key, key+4, strings.Repeat(" + 1", i)),
			fmt.Sprintf("SELECT COUNT(*) AS n%d FROM r WHERE g = %d", i, i),
			fmt.Sprintf("SELECT v AS c%d FROM ks WHERE k = 'user-%d'", i, i),
		)
	}
	return out[:n]
}

// versions makes snapshots that follow each other: in each some tables' rows are elsewhere, a table stands at another place, or nothing but
// the version is new. Their shapes are all the same.
func versions(t testing.TB, n int) []*catalog.Snapshot {
	out := make([]*catalog.Snapshot, n)
	for i := range out {
		s := fixture(t)
		s.Version.N = uint64(i + 1)
		for _, tab := range s.Tables {
			if i%3 == 1 && tab.Group == "by_id" {
				tab.Strategy.Steps = []rules.Step{{Kind: rules.StepMod, Mod: 2}}
			}
		}
		if i%4 == 3 { // a table that came in front of the others
			s.Tables = append([]*catalog.Table{fixtureTable(t, fmt.Sprintf("aa%d:id bigint", i), "BALANCE BY (id) MOD 4")}, s.Tables...)
		}
		if err := s.Compile(); err != nil {
			t.Fatal(err)
		}
		out[i] = s
	}
	return out
}

// TestHotStatementsAllocateNothing runs a mix of 1,000 digests from the cache, while the rules change between any two statements.
func TestHotStatementsAllocateNothing(t *testing.T) {
	const digests = 1000
	env, p := sessionEnv(t), New(Config{})
	snaps := versions(t, 12)
	var texts [][]byte
	seen := map[Digest]bool{}
	for _, sql := range hotStatements(digests) {
		env.Snapshot = snaps[len(texts)%len(snaps)]
		seen[planned(t, p, env, sql).Digest] = true
		texts = append(texts, []byte(sql))
	}
	if len(seen) != digests {
		t.Fatalf("%d digests", len(seen))
	}
	var a Args
	var out Bound
	at, moved := 0, 0
	first := map[string]int{}
	run := func() {
		for _, text := range texts {
			env.Snapshot = snaps[at%len(snaps)]
			at++
			pl, ok := p.Cached(env, text, 0, &a)
			if !ok {
				t.Fatalf("%s: not in the cache", text)
			}
			if err := pl.BindInline(env, &a, nil, &out); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if node, known := first[string(text)]; !known {
				first[string(text)] = out.Single.Node
			} else if node != out.Single.Node {
				moved++
			}
			out.Reset()
		}
		at++ // the next round meets each statement under another version
	}
	run()
	run()
	if n := testing.AllocsPerRun(10, run); n > 0 {
		t.Errorf("%v allocations in %d executions", n, digests)
	}
	if moved == 0 {
		t.Error("no statement went to another node when rows moved")
	}
	if got := p.Stats().Plans; got != digests {
		t.Errorf("%d plans for %d digests: some were planned twice", got, digests)
	}
}
