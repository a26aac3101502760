package merge

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ballast/sqlfront/wire"
)

// generator makes statements whose answers are fully determined: rows that are limited are ordered by something unique.
type generator struct{ *rand.Rand }

func (g generator) pick(of ...string) string { return of[g.IntN(len(of))] }
func (g generator) chance(percent int) bool  { return g.IntN(100) < percent }

func (g generator) some(n int, of func() string) []string {
	var out []string
	for range 1 + g.IntN(n) {
		if x := of(); !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

func (g generator) column() string {
	return g.pick("id", "g", "v", "d", "s", "n", "b", "e", "f", "x", "dt", "da", "ti", "y", "u", "w", "tx")
}

func (g generator) number() string { return g.pick("id", "g", "v", "d", "x", "u", "y") }

// scalar is an expression without aggregates; strings among them are such that equal ones print alike.
func (g generator) scalar() string {
	switch g.IntN(8) {
	case 0:
		return g.number() + " % 3"
	case 1:
		return "-" + g.pick("id", "g", "v", "d", "x", "y")
	case 2:
		return "IFNULL(g, 9)"
	case 3:
		return "HEX(s)"
	case 4:
		return "g > 2"
	case 5:
		return "CASE WHEN g = 1 THEN 'one' WHEN g IS NULL THEN 'none' END"
	}
	return g.column()
}

func (g generator) where() string {
	if g.chance(40) {
		return ""
	}
	cond := func() string {
		return g.pick("g = 1", "v > 3", "s LIKE 'a%'", "id < 20", "id IN (1, 5, 6)", "id BETWEEN 3 AND 9", "d IS NOT NULL", "e = 'a'", "x < 1 OR x IS NULL",
			"NOT (v > 0)", "id = 7", "id = 7 OR v = 2", "dt >= '2020-01-01'", "0", "s = 'a'", "u > 5", "g IN (SELECT g FROM r)")
	}
	w := " WHERE " + cond()
	if g.chance(40) {
		w += g.pick(" AND ", " OR ") + cond()
	}
	return w
}

func (g generator) limit() string {
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf(" LIMIT %d", g.IntN(8))
	case 1:
		return fmt.Sprintf(" LIMIT %d, %d", g.IntN(70), g.IntN(9))
	case 2:
		return fmt.Sprintf(" LIMIT %d OFFSET %d", g.IntN(9), g.IntN(12))
	}
	return ""
}

func (g generator) directed(exprs []string) string {
	for i := range exprs {
		if g.chance(30) {
			exprs[i] += " DESC"
		}
	}
	return strings.Join(exprs, ", ")
}

func (g generator) rows() string {
	fields := g.some(4, g.scalar)
	order := append(g.some(2, g.scalar), "id")
	return "SELECT " + strings.Join(fields, ", ") + " FROM t" + g.where() + " ORDER BY " + g.directed(order) + g.limit()
}

func (g generator) distinct() string {
	fields := g.some(3, func() string {
		return g.pick("g", "v", "d", "e", "y", "da", "w", "u", "g % 2", "v IS NULL", "HEX(s)", "x", "f", "dt")
	})
	order := slices.Clone(fields)
	g.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return "SELECT DISTINCT " + strings.Join(fields, ", ") + " FROM t" + g.where() + " ORDER BY " + g.directed(order) + g.limit()
}

func (g generator) aggregate() string {
	c := g.column()
	switch g.IntN(6) {
	case 0:
		return "COUNT(*)"
	case 1:
		return "COUNT(" + c + ")"
	case 2:
		return "COUNT(DISTINCT " + c + ")"
	case 3:
		return g.pick("SUM(", "AVG(", "SUM(DISTINCT ", "AVG(DISTINCT ") + g.pick("id", "g", "v", "d", "y") + ")"
	case 4:
		return g.pick("MIN(", "MAX(") + g.pick("id", "g", "v", "d", "u", "dt", "da", "ti", "y", "b", "e", "x") + ")"
	}
	return "COUNT(DISTINCT g, " + c + ")"
}

// computed is an expression over aggregates.
func (g generator) computed() string {
	exact := func() string {
		return g.pick("COUNT(*)", "SUM(v)", "SUM(d)", "MAX(id)", "MIN(v)", "COUNT(DISTINCT g)", "SUM(DISTINCT v)", "MAX(d)")
	}
	x, y := exact(), exact()
	if g.chance(20) { // with how many digits an average is computed on depends on whether there was a temporary table
		return fmt.Sprintf(g.pick("COALESCE(%s, 0)", "ROUND(%s, 2)", "IF(COUNT(v) > 1, %s, NULL)", "%s > 1", "-%s"), g.pick("AVG(v)", "AVG(d)", "AVG(DISTINCT d)"))
	}
	switch g.IntN(11) {
	case 0:
		return x + " / " + y
	case 1:
		return "COALESCE(" + x + ", 0)"
	case 2:
		return "IFNULL(" + x + ", -1.5) + 1"
	case 3:
		return "ROUND(" + x + ", 2)"
	case 4:
		return "ROUND(" + x + " / " + y + ", 1)"
	case 5:
		return x + " * 100 - " + y
	case 6:
		return x + " > " + y
	case 7:
		return "IF(COUNT(v) > 1, " + x + ", NULL)"
	case 8:
		return "CASE WHEN COUNT(v) = 0 THEN 0 ELSE " + x + " / COUNT(v) END"
	case 9:
		return g.pick("FLOOR(", "CEIL(", "ABS(", "-(") + x + ")"
	}
	return "NULLIF(" + x + ", 0) % 7"
}

func (g generator) groups() string {
	keys := g.some(2, func() string {
		return g.pick("g", "v", "d", "e", "y", "da", "w", "u", "f", "dt", "g % 2", "v > 0", "HEX(s)")
	})
	aggs := g.some(3, g.aggregate)
	if g.chance(40) {
		aggs = append(aggs, g.computed())
	}
	sql := "SELECT " + strings.Join(append(slices.Clone(keys), aggs...), ", ") + " FROM t" + g.where() + " GROUP BY " + strings.Join(keys, ", ")
	if g.chance(40) {
		sql += " HAVING " + g.pick("COUNT(*) > 2", "SUM(v) > 5", "COUNT(*) > 1 AND MAX(v) < 15", "AVG(v) BETWEEN -5 AND 5", "NOT (COUNT(v) = 0)", "MIN(id) % 2 = 0", "COUNT(*) IN (1, 3)",
			"SUM(d) IS NULL OR SUM(d) > 1.5", g.computed()+" > 1", "AVG(v) = 3.3333 OR COUNT(*) > 3", keys[0]+" IS NOT NULL", keys[0]+" IS NULL OR COUNT(*) > 2")
	}
	order := slices.Clone(keys)
	if g.chance(50) {
		order = append([]string{g.pick("COUNT(*)", "MAX(v)", "SUM(v)", "AVG(d)", "MIN(dt)", "COUNT(DISTINCT g)", g.computed())}, order...)
	}
	return sql + " ORDER BY " + g.directed(order) + g.limit()
}

func (g generator) total() string {
	aggs := g.some(5, g.aggregate)
	if g.chance(50) {
		aggs = append(aggs, g.computed())
	}
	return "SELECT " + strings.Join(aggs, ", ") + " FROM t" + g.where()
}

func (g generator) joins() string {
	from := g.pick("t JOIN j ON t.id = j.id", "t LEFT JOIN j ON t.id = j.id", "t LEFT JOIN r ON t.g = r.g", "t JOIN r ON t.g = r.g", "t JOIN j USING (id)",
		"t LEFT JOIN j ON t.id = j.id AND j.id > 3", "j RIGHT JOIN t ON j.id = t.id")
	other := "j.t_id"
	if strings.Contains(from, " r ") {
		other = "r.id"
	}
	return "SELECT t.id, t.g, " + other + " FROM " + from + g.pick("", " WHERE t.v > 0", " WHERE t.id IN (1, 2, 3)", " WHERE "+other+" IS NULL") +
		" ORDER BY t.g, t.id, " + other + g.limit()
}

func (g generator) union() string {
	side := func() string {
		return g.pick("SELECT id, v FROM t", "SELECT id, g FROM t WHERE v > 3", "SELECT id, v FROM kr", "SELECT id, t_id FROM j WHERE id = 3", "(SELECT id, v FROM t ORDER BY id LIMIT 4)",
			"SELECT MAX(id), SUM(v) FROM t", "SELECT v, d FROM t WHERE d IS NOT NULL", "SELECT u, g FROM t", "SELECT id, d * 1.05 FROM t", "SELECT id, x FROM t WHERE id < 9", "SELECT id, g FROM r")
	}
	sql := side() + g.pick(" UNION ALL ", " UNION ") + side()
	if g.chance(30) {
		sql += g.pick(" UNION ALL ", " UNION ") + side()
	}
	return sql + " ORDER BY 1, 2" + g.limit()
}

// statement gives one statement.
func (g generator) statement() string {
	switch g.IntN(9) {
	case 0, 1:
		return g.distinct()
	case 2, 3, 4:
		return g.groups()
	case 5:
		return g.total()
	case 6:
		return g.joins()
	case 7:
		return g.union()
	}
	return g.rows()
}

// generated is how many statements the test makes; refusedShare the largest share of them, in percent, that may be refused.
const (
	generated    = 700
	refusedShare = 10
)

func TestGenerated(t *testing.T) {
	b := newBench(t, theTables())
	g := generator{rand.New(rand.NewPCG(11, 22))}
	refusals, failures := map[string]int{}, 0
	for i := range generated {
		sql := g.statement()
		f := []wire.Format{wire.Text, wire.Binary}[i%2]
		got, tree := b.spread(sql, f)
		want := b.direct(nodeCount, sql, f)
		if got.refused() && want.err == nil {
			refusals[got.err.Error()]++
			continue
		}
		if d := difference(got, want, true); d != "" {
			t.Errorf("format %d: %s\n%s\n%s", f, sql, tree, d)
			if failures++; failures > 10 {
				t.Fatal("too many differences")
			}
		}
	}
	n := 0
	for text, times := range refusals {
		t.Logf("%d refused: %s", times, text)
		n += times
	}
	t.Logf("%d of %d refused", n, generated)
	if n*100 > generated*refusedShare {
		t.Errorf("%d of %d statements are refused", n, generated)
	}
}
