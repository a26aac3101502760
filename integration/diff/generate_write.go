package diff

import (
	"strconv"
	"strings"
)

// written is an expression for a column of a row that is written.
func (g *Generator) written(column string) string {
	if g.chance(75) {
		return g.literal(column)
	}
	switch column {
	case "a", "f":
		return g.pick("1 + 2", "DEFAULT", "LENGTH('abc')", "- 2", "IF(1 > 2, 3, 4)", "'3'", "2.5", "id % 5", "300", "NULL")
	case "b":
		return g.pick("7 DIV 2", "DEFAULT", "5 - 3", "b'11'", "-1")
	case "c":
		return g.pick("1.5 * 2", "1 / 3", "'2.50'", "1.23456")
	case "s", "k", "tx":
		return g.pick("UPPER('x')", "CONCAT('a', 'b')", "12", "NULL", "DEFAULT", "REPEAT('y', 3)", "'a very long string that does not fit into any of these columns at all'")
	case "dt", "ts", "y":
		return g.pick("'2024-01-01' + INTERVAL 1 DAY", "DATE('2024-05-06 07:08:09')", "DEFAULT", "'2024-13-01'", "'not a date'", "'2024-1-2'", "20240607")
	}
	return g.literal(column)
}

// Write makes a statement that changes rows.
func (g *Generator) Write() Generated {
	t := g.table()
	s := source{"", t}
	id := func() int { return g.r.IntN(60) - 20 }
	rows := func(most int) string {
		n := 1 + g.r.IntN(most)
		bad := g.r.IntN(n) // at most one row is odd: of several faults the servers name the first they meet
		i := -1
		return g.list(n, func() string {
			i++
			if i == bad {
				return g.row(t, id(), g.written)
			}
			return g.Row(t, id())
		})
	}
	var sql string
	switch g.r.IntN(16) {
	case 0, 1:
		sql = "INSERT INTO " + t.Name + " VALUES " + rows(4)
	case 2, 3:
		sql = "INSERT IGNORE INTO " + t.Name + " VALUES " + rows(5)
	case 4:
		sql = "REPLACE INTO " + t.Name + " VALUES " + rows(4)
	case 5, 6:
		sql = "INSERT INTO " + t.Name + " VALUES " + rows(4) + " ON DUPLICATE KEY UPDATE " + g.pick("c = VALUES(c)", "tx = VALUES(tx), e = e + 1", "bi = 5", "g = IF(VALUES(id) > 3, g, 1)", "tx = tx", "en = VALUES(en), yr = 2000")
	case 7:
		sql = g.pick("INSERT INTO ", "REPLACE INTO ", "INSERT IGNORE ") + t.Name + " SET " + g.assignments(t, id())
	case 8, 9, 10:
		sql = "UPDATE " + t.Name + " SET " + g.changes(t) + g.where(s)
	case 11:
		sql = "UPDATE " + t.Name + " SET " + g.changes(t) + " WHERE " + g.point(t) + g.order(nil, s) + " LIMIT 1"
	case 12:
		sql = "DELETE FROM " + t.Name + " WHERE " + g.point(t)
	case 13:
		sql = "DELETE FROM " + t.Name + " WHERE id " + g.pick("BETWEEN "+strconv.Itoa(id())+" AND "+strconv.Itoa(id()), "IN ("+g.list(3, func() string { return g.literal("id") })+")", "> 36")
	case 14:
		sql = "DELETE FROM " + t.Name + " WHERE " + g.condition(s, 0) + " AND " + g.condition(s, 0)
	default:
		sql = "INSERT INTO " + t.Name + g.keyOnly(t)
	}
	return Generated{SQL: sql, Write: true}
}

// keyOnly makes columns and values of an INSERT that leaves out what it can.
func (g *Generator) keyOnly(t *Table) string {
	g.stored = true
	defer func() { g.stored = false }()
	columns, values := []string{"tx"}, []string{g.literal("tx")}
	for _, c := range g.keyOf(t) {
		columns, values = append(columns, c), append(values, g.value(c))
	}
	return " (" + strings.Join(columns, ", ") + ") VALUES (" + strings.Join(values, ", ") + ")"
}

func (g *Generator) keyOf(t *Table) []string {
	if len(t.Key) == 0 {
		return []string{"a", "id"}
	}
	return t.Key
}

func (g *Generator) assignments(t *Table, id int) string {
	out := []string{"id = " + strconv.Itoa(id)}
	for _, c := range t.Key {
		if c != "id" {
			out = append(out, c+" = "+g.value(c))
		}
	}
	for _, c := range []string{"e", "tx", "bi", "yr", "en", "ti"} {
		if g.chance(40) && !t.isKey(c) {
			out = append(out, c+" = "+g.literal(c))
		}
	}
	g.r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return strings.Join(out, ", ")
}

// changes sets columns that are balancing fields of no table.
func (g *Generator) changes(t *Table) string {
	return g.pick("e = e + 1", "tx = "+g.literal("tx"), "e = CASE WHEN id > 5 THEN 1 ELSE 0 END", "bi = 3, en = "+g.literal("en"), "tx = CONCAT(IFNULL(tx, ''), 'x')", "g = "+g.literal("g"),
		"yr = "+g.literal("yr"), "ti = "+g.literal("ti")+", e = id * 2", "bl = "+g.literal("bl"), "tx = NULL", "js = "+g.literal("js"), "bi = bi + 1", "tx = DEFAULT", "e = (SELECT MAX(f) FROM gg)", "tx = UPPER(k)", "bi = 2000")
}
