package diff

import (
	"fmt"
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

func (g *Generator) grouped(s source) Generated {
	var fields, groups, orders, having []string
	for i := range 1 + g.r.IntN(3) {
		e := g.byBytes(s)
		alias := "k" + strconv.Itoa(i)
		fields = append(fields, e+" AS "+alias)
		groups = append(groups, g.pick(e, e, alias, strconv.Itoa(i+1)))
		orders = append(orders, g.pick(e, alias, alias, strconv.Itoa(i+1))+g.pick("", " DESC"))
		having = append(having, alias+" IS NOT NULL", "NOT ("+alias+" <=> "+g.integer(1)+")")
	}
	g.r.Shuffle(len(orders), func(i, j int) { orders[i], orders[j] = orders[j], orders[i] })
	n := len(fields)
	for i := range g.r.IntN(4) {
		e, alias := g.aggregate(s), "n"+strconv.Itoa(i)
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
	sql := "SELECT " + strings.Join(fields, ", ") + " FROM " + s.table.Name + g.where(s) + " GROUP BY " + strings.Join(groups, ", ")
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

// named gives a table of the generator's by name.
func named(name string) *Table {
	for i := range generatedTables {
		if generatedTables[i].Name == name {
			return &generatedTables[i]
		}
	}
	return nil
}

func (g *Generator) join() Generated {
	group := func() string { return g.pick("gh", "gi", "gj") }
	x, z, w := source{"x.", named(group())}, source{"z.", named(group())}, source{"w.", named(group())}
	kind := g.pick("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "INNER JOIN", "STRAIGHT_JOIN")
	sources := []source{x, z}
	var from string
	switch g.r.IntN(9) {
	case 0, 1:
		from = x.table.Name + " x " + kind + " " + z.table.Name + " z ON " + g.pick("x.id = z.id", "z.id = x.id", "x.id = z.id AND z.a > 0", "x.id = z.id AND x.f > 1")
	case 2:
		from = x.table.Name + " x JOIN " + z.table.Name + " z USING (id)"
	case 3:
		from = x.table.Name + " x, " + z.table.Name + " AS z"
	case 4:
		from = x.table.Name + " x JOIN " + z.table.Name + " z ON x.id = z.id " + g.pick("JOIN ", "LEFT JOIN ") + w.table.Name + " w ON w.id = " + g.pick("x.id", "z.id")
		sources = append(sources, w)
	case 5:
		x, z = source{"x.", g.table()}, source{"z.", named("gg")}
		from = x.table.Name + " x " + g.pick("JOIN", "LEFT JOIN") + " gg z ON " + g.pick("x.a = z.a", "x.f = z.id", "x.id = z.id AND x.a < 3", "x.s = z.s", "x.k = z.k")
		sources = []source{x, z}
	case 6:
		t := g.table()
		x, z = source{"x.", t}, source{"z.", t}
		var on []string
		for _, c := range t.Key {
			on = append(on, "x."+c+" = z."+c)
		}
		if on == nil {
			on = []string{"x.a = z.a", "x.id = z.id"}
		}
		from = t.Name + " x " + g.pick("JOIN", "LEFT JOIN") + " " + t.Name + " z ON " + strings.Join(on, " AND ")
		sources = []source{x, z}
	case 7:
		x, z = source{"x.", named("gs")}, source{"z.", named("gg")}
		from = "gs x JOIN gg z ON x.a = z.a"
		sources = []source{x, z}
	default:
		x, z = source{"x.", named("gg")}, source{"z.", g.table()}
		from = "gg x JOIN " + z.table.Name + " z ON x.id = z." + g.pick("id", "f", "a")
		sources = []source{x, z}
	}
	where := g.where(x)
	if strings.Contains(from, ",") {
		where = " WHERE x.id = z.id AND " + g.condition(g.pickSource(sources), 1)
	}
	if g.chance(30) {
		return Generated{SQL: "SELECT " + g.list(1+g.r.IntN(3), func() string { return g.aggregate(g.pickSource(sources)) }) + " FROM " + from + where}
	}
	if g.chance(20) {
		k := g.byBytes(g.pickSource(sources))
		return Generated{SQL: "SELECT " + k + " AS k, " + g.aggregate(g.pickSource(sources)) + " FROM " + from + where + " GROUP BY " + g.pick(k, "k") + " ORDER BY k" + g.limit(), Ordered: true}
	}
	list, _, extra := g.fields(1+g.r.IntN(4), func() string { return g.anything(g.pickSource(sources)) })
	if g.chance(10) {
		list, extra = g.pick("x.*, z.id", "*"), nil
	}
	order := g.order(extra, sources...)
	for _, s := range sources {
		if len(s.table.Key) == 0 {
			return Generated{SQL: "SELECT " + list + " FROM " + from + where}
		}
	}
	return Generated{SQL: "SELECT " + list + " FROM " + from + where + order + g.limit(), Ordered: true}
}

func (g *Generator) pickSource(of []source) source { return of[g.r.IntN(len(of))] }

func (g *Generator) union() Generated {
	n := 2 + g.r.IntN(2)
	all := g.pick(" UNION ALL ", " UNION ALL ", " UNION ", " UNION DISTINCT ")
	columns := g.pick("id, a", "a, b", "id, HEX(s) AS h", "f, y", "a, c", "dt, e", "id, vb", "id, s", "a, 'x'", "en, f", "ti, a + 1")
	if strings.Contains(columns, ", s") {
		all = " UNION ALL "
	}
	var sides []string
	for range n {
		t := g.table()
		s := source{"", t}
		side := "SELECT " + columns + " FROM " + t.Name + g.where(s)
		if g.chance(15) && len(t.Key) > 0 {
			side = "(" + side + " ORDER BY " + strings.Join(t.Key, ", ") + " LIMIT " + strconv.Itoa(g.r.IntN(6)) + ")"
		} else if g.chance(20) {
			side = "(" + side + ")"
		}
		sides = append(sides, side)
	}
	sql := strings.Join(sides, all)
	if g.chance(50) && all != " UNION ALL " || columns == "id, a" {
		return Generated{SQL: sql + " ORDER BY 1, 2" + g.limit(), Ordered: true}
	}
	return Generated{SQL: sql}
}

func (g *Generator) derived() Generated {
	t := named(g.pick("gh", "gi", "gm", "gg", "gs", "gr"))
	s := source{"", t}
	d := "(SELECT id, a, f AS n, s FROM " + t.Name + g.where(s) + ") d"
	switch g.r.IntN(4) {
	case 0:
		return Generated{SQL: "SELECT d.id, n, HEX(s) FROM " + d + " WHERE n > " + g.integer(int64(g.r.IntN(5))) + " ORDER BY d.id" + g.limit(), Ordered: true}
	case 1:
		return Generated{SQL: "SELECT COUNT(*), SUM(n), MAX(a) FROM " + d}
	case 2:
		return Generated{SQL: "SELECT a, COUNT(*) FROM " + d + " GROUP BY a ORDER BY a", Ordered: true}
	}
	return Generated{SQL: "SELECT x.id, d.n FROM " + t.Name + " x JOIN " + d + " ON d.id = x.id ORDER BY x.id" + g.limit(), Ordered: true}
}
