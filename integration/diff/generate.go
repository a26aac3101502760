package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Generator makes statements over generatedTables from a seed: the same seed gives the same statements.
type Generator struct{ r *rand.Rand }

// NewGenerator seeds a generator.
func NewGenerator(seed uint64) *Generator {
	return &Generator{r: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}
}

// Generated is one statement and whether the order of its rows is fixed.
type Generated struct {
	SQL     string
	Ordered bool
	// Write marks a statement that changes rows.
	Write bool
}

func (g *Generator) pick(of ...string) string { return of[g.r.IntN(len(of))] }
func (g *Generator) chance(percent int) bool  { return g.r.IntN(100) < percent }
func (g *Generator) table() string            { return generatedTables[g.r.IntN(len(generatedTables))].Name }
func (g *Generator) column() string           { return g.pick("id", "a", "b", "c", "e", "s", "dt", "y", "f") }
func (g *Generator) number() string           { return g.pick("id", "a", "b", "c", "f") }
func (g *Generator) list(n int, f func() string) string {
	out := make([]string, n)
	for i := range out {
		out[i] = f()
	}
	return strings.Join(out, ", ")
}

// literal gives a value for a column, from a pool small enough that rows match.
func (g *Generator) literal(column string) string {
	if g.chance(4) && column != "id" && column != "f" {
		return "NULL"
	}
	switch column {
	case "id":
		return g.pick(fmt.Sprint(g.r.IntN(60)-20), fmt.Sprint(g.r.IntN(60)-20), fmt.Sprint(g.r.IntN(60)-20), fmt.Sprintf("'%d'", g.r.IntN(40)), "9223372036854775807", "-9223372036854775808")
	case "a":
		return g.pick(fmt.Sprint(g.r.IntN(10)-3), fmt.Sprint(g.r.IntN(10)-3), "2147483647", "-2147483648")
	case "b":
		return g.pick(fmt.Sprint(g.r.IntN(8)), fmt.Sprint(g.r.IntN(8)), "18446744073709551615", "9223372036854775808")
	case "c":
		return g.pick(fmt.Sprintf("%d.%03d", g.r.IntN(20)-10, g.r.IntN(1000)), "0.000", "1.5", "-0.001", "999999999.999")
	case "e":
		return g.pick("0.5", "-1.25", "1e10", "3", "0.1")
	case "s":
		return g.pick("'a'", "'A'", "'b '", "'B'", "'é'", "'e'", "''", "'ß'", "'it''s'", "'q\\\"'", "'zz'", "'😀'")
	case "dt":
		return g.pick("'2024-01-02 03:04:05.678'", "'2024-01-02 03:04:05'", "'1999-12-31 23:59:59.999'", "'2038-01-19 03:14:08'")
	case "y":
		return g.pick("'2024-02-29'", "'2023-01-01'", "'1000-01-01'", "'9999-12-31'")
	default:
		return fmt.Sprint(g.r.IntN(20) - 5)
	}
}

// condition makes a predicate over the columns of a table reference ("" or "x.").
func (g *Generator) condition(prefix string, depth int) string {
	if depth > 0 && g.chance(45) {
		op := g.pick("AND", "OR", "OR")
		s := "(" + g.condition(prefix, depth-1) + " " + op + " " + g.condition(prefix, depth-1) + ")"
		if g.chance(10) {
			s = "NOT " + s
		}
		return s
	}
	c := g.column()
	if g.chance(45) {
		c = "id"
	}
	p := prefix + c
	switch g.r.IntN(9) {
	case 0, 1, 2:
		return p + " " + g.pick("=", "=", "<=>", "<>") + " " + g.literal(c)
	case 3:
		return p + " " + g.pick("<", "<=", ">", ">=") + " " + g.literal(c)
	case 4:
		return p + g.pick(" IN ", " IN ", " NOT IN ") + "(" + g.list(2+g.r.IntN(5), func() string { return g.literal(c) }) + ")"
	case 5:
		return p + " BETWEEN " + g.literal(c) + " AND " + g.literal(c)
	case 6:
		return p + g.pick(" IS NULL", " IS NOT NULL")
	case 7:
		d := g.number()
		return prefix + d + " " + g.pick("+ 1", "* 2", "- 3") + " " + g.pick("=", ">", "<") + " " + g.literal(d)
	default:
		return g.literal(c) + " " + g.pick("=", "<", ">=") + " " + p
	}
}

func (g *Generator) where(prefix string) string {
	if g.chance(30) {
		return ""
	}
	return " WHERE " + g.condition(prefix, g.r.IntN(3))
}

func (g *Generator) aggregate(prefix string) string {
	switch g.r.IntN(9) {
	case 0, 1:
		return "COUNT(*)"
	case 2:
		return "COUNT(" + prefix + g.column() + ")"
	case 3:
		return "SUM(" + prefix + g.number() + ")"
	case 4:
		return "AVG(" + prefix + g.number() + ")"
	case 5:
		return "MIN(" + g.extreme(prefix) + ")"
	case 6:
		return "MAX(" + g.extreme(prefix) + ")"
	case 7:
		return "COUNT(DISTINCT " + prefix + g.column() + ")"
	default:
		return "SUM(" + prefix + g.number() + g.pick(" + 1", " * 2", "") + ")"
	}
}

// extreme gives an argument of MIN or MAX. Of strings that are equal under their collation either server may give any, so strings go by bytes.
func (g *Generator) extreme(prefix string) string {
	if c := g.column(); c != "s" {
		return prefix + c
	}
	return prefix + "s COLLATE utf8mb4_bin"
}

func (g *Generator) limit() string {
	return g.pick("", " LIMIT "+fmt.Sprint(g.r.IntN(25)), fmt.Sprintf(" LIMIT %d OFFSET %d", 1+g.r.IntN(8), g.r.IntN(4)), fmt.Sprintf(" LIMIT %d, %d", g.r.IntN(3), 1+g.r.IntN(9)))
}

func (g *Generator) order(prefix string) string {
	n := g.r.IntN(3)
	keys := make([]string, 0, n+1)
	for range n {
		keys = append(keys, prefix+g.column()+g.pick("", " DESC", " ASC"))
	}
	return " ORDER BY " + strings.Join(append(keys, prefix+"id"+g.pick("", " DESC")), ", ")
}

// Select makes a query.
func (g *Generator) Select() Generated {
	t := g.table()
	switch g.r.IntN(12) {
	case 0, 1:
		return Generated{SQL: "SELECT " + g.pick("*", g.list(1+g.r.IntN(4), g.column), "id, "+g.number()+" + 1 AS n, s") + " FROM " + t + g.where("")}
	case 2, 3, 4:
		return Generated{SQL: "SELECT " + g.pick("*", "id, "+g.list(1+g.r.IntN(4), g.column)) + " FROM " + t + g.where("") + g.order("") + g.limit(), Ordered: true}
	case 5:
		return Generated{SQL: "SELECT " + g.list(1+g.r.IntN(4), func() string { return g.aggregate("") }) + " FROM " + t + g.where("")}
	case 6, 7:
		key := g.pick("a", "b", "f", "y", "c")
		having := g.pick("", "", " HAVING COUNT(*) > "+fmt.Sprint(g.r.IntN(3)), " HAVING SUM(f) >= "+fmt.Sprint(g.r.IntN(9)), " HAVING "+key+" IS NOT NULL")
		return Generated{SQL: "SELECT " + key + ", " + g.list(1+g.r.IntN(3), func() string { return g.aggregate("") }) + " FROM " + t + g.where("") +
			" GROUP BY " + key + having + " ORDER BY " + key + g.pick("", " DESC") + g.limit(), Ordered: true}
	case 8:
		return Generated{SQL: "SELECT DISTINCT " + g.pick("a, f", "f", "b", "y, a", "c") + " FROM " + t + g.where("")}
	case 9:
		join := g.pick("JOIN", "LEFT JOIN")
		return Generated{SQL: "SELECT x.id, x.s, z." + g.column() + " FROM gh x " + join + " gi z ON x.id = z.id" + g.where("x.") + g.order("x.") + g.limit(), Ordered: true}
	case 10:
		return Generated{SQL: "SELECT x.id, z.id, z.a FROM " + t + " x JOIN gg z ON x.a = z.a" + g.where("x.") + " ORDER BY x.id, z.id" + g.limit(), Ordered: true}
	default:
		u := g.table()
		return Generated{SQL: "SELECT id, a, s FROM " + t + g.where("") + " UNION ALL SELECT id, a, s FROM " + u + g.where("")}
	}
}

// Row makes the values of a full row with the given key.
func (g *Generator) Row(id int) string {
	return fmt.Sprintf("(%d, %s, %s, %s, %s, %s, %s, %s, %s)", id, g.literal("a"), g.literal("b"), g.literal("c"), g.literal("e"), g.literal("s"),
		g.literal("dt"), g.literal("y"), g.literal("f"))
}

// Write makes a statement that changes rows.
func (g *Generator) Write() Generated {
	t := g.table()
	id := func() int { return g.r.IntN(60) - 20 }
	var sql string
	switch g.r.IntN(8) {
	case 0:
		sql = "INSERT INTO " + t + " VALUES " + g.list(1+g.r.IntN(5), func() string { return g.Row(id()) })
	case 1:
		sql = "INSERT IGNORE INTO " + t + " VALUES " + g.list(1+g.r.IntN(5), func() string { return g.Row(id()) })
	case 2:
		sql = "REPLACE INTO " + t + " VALUES " + g.list(1+g.r.IntN(4), func() string { return g.Row(id()) })
	case 3:
		sql = fmt.Sprintf("INSERT INTO %s (s, id, a) VALUES (%s, %d, 1), (%s, %d, 2) ON DUPLICATE KEY UPDATE a = VALUES(a), s = VALUES(s)", t, g.literal("s"), id(), g.literal("s"), id())
	case 4, 5:
		sql = "UPDATE " + t + " SET " + g.pick("a = f + 1", "s = "+g.literal("s"), "c = c * 2", "b = NULL, dt = "+g.literal("dt")) + g.where("")
	case 6:
		sql = "DELETE FROM " + t + " WHERE id = " + g.literal("id")
	default:
		sql = "DELETE FROM " + t + " WHERE a = " + g.literal("a") + " AND " + g.condition("", 1)
	}
	return Generated{SQL: sql, Write: true}
}
