package diff

import "fmt"

// Next makes the next statements: mostly a query, else a write, a transaction, or a look at warnings.
func (g *Generator) Next() []Generated {
	switch n := g.r.IntN(100); {
	case n < 50:
		return []Generated{g.Select()}
	case n < 80:
		return []Generated{g.withParams(g.Select)}
	case n < 91:
		out := []Generated{g.Write()}
		if g.chance(25) {
			out = append(out, wholeTable(g.table()))
		}
		return out
	case n < 95:
		return []Generated{g.withParams(g.Write)}
	case n < 97:
		return []Generated{g.Write(), {SQL: "SELECT ROW_COUNT()", After: true}}
	case n < 98:
		return []Generated{g.Select(), {SQL: "SELECT FOUND_ROWS()", After: true}}
	}
	return g.transaction()
}

// transaction writes on one key's node and reads on all.
func (g *Generator) transaction() []Generated {
	t := g.table()
	where := " WHERE " + g.point(t)
	write := func() Generated {
		return Generated{SQL: "UPDATE " + t.Name + " SET " + g.changes(t) + where, Write: true}
	}
	out := []Generated{{SQL: g.pick("BEGIN", "START TRANSACTION", "SET autocommit = 0"), Write: true}, write(), wholeTable(t)}
	if g.chance(50) {
		out = append(out, Generated{SQL: "SAVEPOINT p", Write: true}, write(), Generated{SQL: fmt.Sprintf("DELETE FROM %s%s", t.Name, where), Write: true}, wholeTable(t),
			Generated{SQL: "ROLLBACK TO SAVEPOINT p", Write: true}, wholeTable(t))
	}
	return append(out, Generated{SQL: g.pick("COMMIT", "ROLLBACK"), Write: true}, Generated{SQL: "SET autocommit = 1", Write: true}, wholeTable(t))
}
