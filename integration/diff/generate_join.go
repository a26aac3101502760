package diff

import (
	"strconv"
	"strings"
)

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
