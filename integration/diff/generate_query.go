package diff

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

func (g *Generator) limit() string {
	return g.pick("", "", " LIMIT "+g.count(1+g.r.IntN(25)), fmt.Sprintf(" LIMIT %s OFFSET %s", g.count(1+g.r.IntN(8)), g.count(g.r.IntN(4))),
		fmt.Sprintf(" LIMIT %d, %d", g.r.IntN(3), 1+g.r.IntN(9)), " LIMIT 18446744073709551615", g.pick(" LIMIT 0", " LIMIT 4", " LIMIT 2"), " LIMIT 3, 18446744073709551615", " LIMIT 5 OFFSET 2")
}

// unique orders by something that no two rows share.
func (g *Generator) unique(sources ...source) []string {
	var keys []string
	for _, s := range sources {
		for _, c := range s.table.Key {
			keys = append(keys, s.prefix+c+g.pick("", " DESC", " ASC"))
		}
	}
	return keys
}

// order makes an ORDER BY of some keys and then the unique ones; "" where a table has no unique key.
func (g *Generator) order(extra []string, sources ...source) string {
	u := g.unique(sources...)
	if len(u) == 0 {
		return ""
	}
	var keys []string
	for range g.r.IntN(3) {
		s := sources[g.r.IntN(len(sources))]
		k := g.pick(g.name(s, g.column()), g.number(s, 1), g.str(s, 1), g.date(s), "("+g.condition(s, 0)+")")
		if len(extra) > 0 && g.chance(40) {
			k = extra[g.r.IntN(len(extra))]
		}
		keys = append(keys, k+g.pick("", " DESC", " ASC"))
	}
	return " ORDER BY " + strings.Join(append(keys, u...), ", ")
}

// fields makes a select list; extra are what ORDER BY may say for its items.
func (g *Generator) fields(n int, expr func() string) (list string, exprs, extra []string) {
	var out []string
	for i := range n {
		e := expr()
		f := e
		switch g.r.IntN(4) {
		case 0:
			f += g.pick(" AS ", " ") + "z" + strconv.Itoa(i)
			extra = append(extra, "z"+strconv.Itoa(i))
		case 1:
			extra = append(extra, strconv.Itoa(i+1))
		}
		exprs = append(exprs, e)
		out = append(out, f)
	}
	return strings.Join(out, ", "), exprs, extra
}

// Select makes a query.
func (g *Generator) Select() Generated {
	t := g.table()
	s := source{"", t}
	switch g.r.IntN(22) {
	case 20:
		return g.shadowed(s)
	case 21:
		return g.onlyCounted(s)
	case 0:
		return Generated{SQL: "SELECT " + g.pick("*", t.Name+".*", "id, js, bl, x'00' AS z") + " FROM " + g.pick("", "app.") + t.Name + g.where(s)}
	case 1:
		list, _, _ := g.fields(1+g.r.IntN(4), func() string { return g.anything(s) })
		return Generated{SQL: "SELECT " + list + " FROM " + t.Name + g.where(s)}
	case 2, 3, 4, 5:
		return g.rows(s)
	case 6, 7:
		list, _, _ := g.fields(1+g.r.IntN(4), func() string { return g.aggregate(s) })
		return Generated{SQL: "SELECT " + list + " FROM " + t.Name + g.where(s) + g.pick("", "", "", " HAVING COUNT(*) > 2", " LIMIT 1")}
	case 8, 9, 10, 11:
		return g.grouped(s)
	case 12, 13:
		return g.distinct(s)
	case 14, 15, 16:
		return g.join()
	case 17:
		return g.union()
	case 18:
		return g.derived()
	default:
		// A point query: everything is allowed on one node.
		c := g.point(t)
		return Generated{SQL: "SELECT " + g.list(1+g.r.IntN(3), func() string { return g.anything(s) }) + " FROM " + t.Name + " WHERE " + c + g.order(nil, s), Ordered: len(t.Key) > 0}
	}
}

// point is a condition that names all balancing fields, whatever the table.
func (g *Generator) point(t *Table) string {
	key := t.Key
	if len(key) == 0 {
		key = []string{"a", "id"}
	}
	var out []string
	for _, c := range key {
		out = append(out, c+" = "+g.value(c))
	}
	return strings.Join(out, " AND ")
}

func (g *Generator) rows(s source) Generated {
	list, _, extra := g.fields(1+g.r.IntN(4), func() string { return g.anything(s) })
	if g.chance(25) {
		list, extra = "*", nil
	}
	order := g.order(extra, s)
	st := Generated{SQL: "SELECT " + list + " FROM " + s.table.Name + g.where(s) + order, Ordered: order != ""}
	if st.Ordered {
		st.SQL += g.limit()
	}
	return st
}

// decimalKey finds the DECIMAL column. MariaDB makes one group of NULL and 0 of its expressions when it must sort for a DISTINCT aggregate.
var decimalKey = regexp.MustCompile("\\bc\\b")

func (g *Generator) grouped(s source) Generated {
	var fields, groups, orders, having []string
	for i := range 1 + g.r.IntN(3) {
		e := g.byBytes(s)
		alias := "k" + strconv.Itoa(i)
		fields = append(fields, e+" AS "+alias)
		groups = append(groups, g.pick(e, e, alias, strconv.Itoa(i+1)))
		orders = append(orders, g.pick(e, alias, alias, strconv.Itoa(i+1))+g.pick("", " DESC"))
		having = append(having, alias+" IS NOT NULL", "NOT ("+alias+" <=> 1)")
	}
	g.r.Shuffle(len(orders), func(i, j int) { orders[i], orders[j] = orders[j], orders[i] })
	n, sql := len(fields), strings.Join(fields, ", ")
	for i := range g.r.IntN(4) {
		e, alias := g.aggregate(s), "n"+strconv.Itoa(i)
		for decimalKey.MatchString(sql) && strings.Contains(e, "DISTINCT") {
			e = g.aggregate(s)
		}
		if g.chance(50) {
			fields = append(fields, e+" AS "+alias)
			having = append(having, alias+" > "+g.integer(int64(g.r.IntN(5))))
			if g.chance(40) {
				orders = append([]string{g.pick(alias, e, strconv.Itoa(n+i+1)) + g.pick("", " DESC")}, orders...)
			}
		} else {
			fields = append(fields, e)
		}
	}
	having = append(having, "COUNT(*) > "+g.integer(int64(g.r.IntN(3))), "SUM(f) >= "+g.integer(int64(g.r.IntN(9))), "MAX(a) <> "+g.integer(int64(g.r.IntN(4))),
		"COUNT(*) BETWEEN 1 AND 3", "AVG(f) > 2", "MIN(id) < 10 OR MAX(id) > 20", "COUNT(a) IN (1, 2)") // not COUNT(DISTINCT a): MariaDB may lose the last group
	sql = "SELECT " + strings.Join(fields, ", ") + " FROM " + s.table.Name + g.where(s) + " GROUP BY " + strings.Join(groups, ", ")
	if g.chance(35) {
		sql += " HAVING " + g.pick(having...)
		if g.chance(25) {
			sql += g.pick(" AND ", " OR ") + g.pick(having...)
		}
	}
	if g.chance(80) {
		return Generated{SQL: sql + " ORDER BY " + strings.Join(orders, ", ") + g.limit(), Ordered: true}
	}
	return Generated{SQL: sql}
}

// shadowed has names in the select list that are columns as well: ORDER BY and HAVING mean the one, GROUP BY and WHERE the other.
func (g *Generator) shadowed(s source) Generated {
	from := " FROM " + s.table.Name + g.where(s)
	sql := g.pick(
		"SELECT a AS f, f AS a"+from+" ORDER BY a, f",
		"SELECT -a AS a, f"+from+" ORDER BY a, f",
		"SELECT a AS z, f"+from+" ORDER BY -z, f DESC",
		"SELECT a AS z, f"+from+" ORDER BY z + f, z, f",
		"SELECT a AS z, f AS z2"+from+" ORDER BY z IS NULL, z, z2",
		"SELECT -a AS a, COUNT(*) AS f"+from+" GROUP BY a ORDER BY a",
		"SELECT a, COUNT(*) AS f"+from+" GROUP BY a HAVING f > 1 ORDER BY f, a",
		"SELECT a AS z, COUNT(*)"+from+" GROUP BY z HAVING z > 1 ORDER BY COUNT(*) + 1, z",
		"SELECT f AS z, SUM(a) AS a"+from+" GROUP BY z ORDER BY a, z",
		"SELECT f % 3 AS z, MAX(a) AS m"+from+" GROUP BY z HAVING m > 1 AND z >= 0 ORDER BY m DESC, z",
		"SELECT a + 1 AS z, COUNT(*)"+from+" GROUP BY a + 1 ORDER BY a + 1",
		"SELECT COUNT(*), a"+from+" GROUP BY 2 ORDER BY 2 DESC",
		"SELECT f, COUNT(DISTINCT a) AS a, MIN(b)"+from+" GROUP BY f ORDER BY a DESC, f",
		"SELECT DISTINCT a AS f, f AS a"+from+" ORDER BY f, a",
		"SELECT DISTINCT a"+from+" ORDER BY -a",
		"SELECT 1"+from+" HAVING COUNT(*) > 3",
		"SELECT MAX(a) AS a"+from+" HAVING a > 2",
		"SELECT SUM(f) / COUNT(*) AS r, AVG(f)"+from+" HAVING r > 1",
	)
	return Generated{SQL: sql, Ordered: strings.Contains(sql, "ORDER BY")}
}

// onlyCounted has a LIMIT without an order: which rows come is free, how many is not.
func (g *Generator) onlyCounted(s source) Generated {
	sql := "SELECT " + g.pick("id", "DISTINCT a", "1", "*") + " FROM " + s.table.Name + g.where(s) + fmt.Sprintf(" LIMIT %d", g.r.IntN(30)) + g.pick("", " OFFSET 3")
	return Generated{SQL: sql, Counted: true}
}

func (g *Generator) distinct(s source) Generated {
	var fields, orders []string
	for i := range 1 + g.r.IntN(3) {
		e, alias := g.byBytes(s), "k"+strconv.Itoa(i)
		fields = append(fields, e+" AS "+alias)
		orders = append(orders, g.pick(e, alias, strconv.Itoa(i+1))+g.pick("", " DESC"))
	}
	g.r.Shuffle(len(orders), func(i, j int) { orders[i], orders[j] = orders[j], orders[i] })
	sql := "SELECT DISTINCT " + strings.Join(fields, ", ") + " FROM " + s.table.Name + g.where(s)
	switch g.r.IntN(3) {
	case 0:
		return Generated{SQL: sql}
	case 1:
		return Generated{SQL: sql + " ORDER BY " + orders[0]} // not a total order
	}
	return Generated{SQL: sql + " ORDER BY " + strings.Join(orders, ", ") + g.limit(), Ordered: true}
}
