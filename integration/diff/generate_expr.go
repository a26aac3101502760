package diff

// source is a table reference that expressions are made over.
type source struct {
	// prefix is "" or "x.".
	prefix string
	table  *Table
}

func (g *Generator) column() string {
	return g.pick("id", "a", "b", "c", "e", "s", "dt", "y", "f", "g", "k", "vb", "ts", "ti", "yr", "bi", "en", "se", "tx", "bl")
}

// name writes a column of s, sometimes in quotes.
func (g *Generator) name(s source, column string) string {
	switch {
	case g.chance(4):
		column = "`" + column + "`"
	case g.mode.identifiers && g.chance(20):
		column = `"` + column + `"`
	case s.prefix == "" && s.table != nil && g.chance(4):
		return s.table.Name + "." + column
	}
	return s.prefix + column
}

// number is an expression that gives a number without a fraction in floating point, so that sums don't depend on the order of rows.
// It has no parameters: beside a DECIMAL, MySQL takes them for numbers with 30 decimals, and the answer gets as many.
func (g *Generator) number(s source, depth int) string {
	defer g.withoutParams()()
	if depth <= 0 {
		return g.name(s, g.pick("id", "a", "b", "c", "f", "id", "a", "f"))
	}
	n := func() string { return g.number(s, depth-1) }
	switch g.r.IntN(26) {
	case 0:
		return n() + g.pick(" + ", " - ") + g.integer(int64(g.r.IntN(5)))
	case 1:
		return "(" + g.name(s, g.pick("id", "a", "f", "c")) + " * " + g.integer(int64(g.r.IntN(4))) + ")"
	case 2:
		return n() + " % 3"
	case 3:
		return "-" + g.name(s, g.pick("id", "a", "f", "c"))
	case 4:
		return g.name(s, g.pick("a", "f", "id")) + " DIV 2"
	case 5:
		return "ABS(" + g.name(s, g.pick("a", "f", "id", "c")) + ")"
	case 6:
		return "ROUND(" + g.name(s, "c") + g.pick("", ", 1", ", 0") + ")"
	case 7:
		return g.pick("LENGTH(", "CHAR_LENGTH(", "ASCII(", "CRC32(") + g.str(s, depth-1) + ")"
	case 8:
		return g.pick("IFNULL(", "COALESCE(") + n() + ", " + g.integer(int64(g.r.IntN(3))) + ")"
	case 9:
		return "CASE WHEN " + g.condition(s, 0) + " THEN " + n() + g.pick(" ELSE 0", "", " ELSE "+n()) + " END"
	case 10:
		return "IF(" + g.condition(s, 0) + ", " + n() + ", " + g.integer(1) + ")"
	case 11:
		return "CASE " + g.name(s, "a") + " WHEN 1 THEN 10 WHEN 2 THEN 20 ELSE " + g.name(s, "f") + " END"
	case 12:
		return g.pick("GREATEST(", "LEAST(") + g.name(s, "a") + ", " + g.name(s, "f") + ")"
	case 13:
		return g.pick("YEAR(", "MONTH(", "DAYOFWEEK(", "TO_DAYS(", "DAY(", "QUARTER(") + g.name(s, g.pick("dt", "y", "ts")) + ")"
	case 14:
		return "DATEDIFF(" + g.name(s, "dt") + ", '2024-01-01')"
	case 15:
		return "CAST(" + g.name(s, g.pick("c", "a", "f")) + " AS " + g.pick("SIGNED", "DECIMAL(10,1)", "DECIMAL(12,2)") + ")"
	case 16:
		return "(" + g.condition(s, 0) + ")"
	case 17:
		return g.pick("FLOOR(", "CEILING(", "SIGN(", "TRUNCATE(1 * ") + g.name(s, "c") + g.pick(")", ")", ")", ")")
	case 18:
		return g.name(s, g.pick("a", "f")) + g.pick(" & 3", " | 1", " ^ 2")
	case 19:
		return g.pick(s.prefix+"bi", s.prefix+"en", s.prefix+"se", s.prefix+"yr") + "+0"
	case 20:
		// Not NULLIF: MariaDB loses rows of DISTINCT and groups of it.
		return "IF(" + g.name(s, "a") + " = 2, NULL, " + g.name(s, "a") + ")"
	case 21:
		return "INSTR(" + g.str(s, 0) + ", 'b')"
	case 22:
		return "MOD(" + g.name(s, "id") + ", 4)"
	}
	return g.number(s, 0)
}

// str is an expression that gives a string.
func (g *Generator) str(s source, depth int) string {
	if depth <= 0 {
		return g.name(s, g.pick("s", "k", "s", "k", "tx"))
	}
	x := func() string { return g.str(s, depth-1) }
	switch g.r.IntN(18) {
	case 0:
		return "CONCAT(" + x() + ", " + g.text("-") + ", " + g.name(s, g.pick("id", "a", "s")) + ")"
	case 1, 2:
		return g.pick("UPPER(", "LOWER(", "TRIM(", "REVERSE(", "RTRIM(") + x() + ")"
	case 3:
		return g.pick("LEFT(", "RIGHT(") + x() + ", " + g.integer(int64(1+g.r.IntN(3))) + ")"
	case 4:
		return "SUBSTRING(" + x() + ", " + g.integer(int64(1+g.r.IntN(2))) + ")"
	case 5:
		return "HEX(" + g.name(s, g.pick("id", "s", "vb", "bl")) + ")"
	case 6:
		return "CAST(" + g.name(s, g.pick("id", "c", "dt", "y", "en", "f")) + " AS CHAR)"
	case 7:
		return "DATE_FORMAT(" + g.name(s, g.pick("dt", "y")) + ", " + g.text("%Y-%m") + ")"
	case 8:
		return "IFNULL(" + x() + ", " + g.text("none") + ")"
	case 9:
		return "CASE WHEN " + g.condition(s, 0) + " THEN " + x() + " ELSE " + g.text("other") + " END"
	case 10:
		return "REPLACE(" + x() + ", 'a', 'zz')"
	case 11:
		return "LPAD(" + x() + ", 4, '.')"
	case 12:
		return "CONCAT_WS(',', " + x() + ", " + g.name(s, "a") + ")"
	case 13:
		if g.mode.pipes {
			return "(" + x() + " || " + g.name(s, "f") + ")"
		}
		return "REPEAT(" + x() + ", 2)"
	case 14:
		return "IF(" + g.condition(s, 0) + ", " + x() + ", 'no')"
	}
	return g.str(s, 0)
}

// date is an expression that gives a date or a time.
func (g *Generator) date(s source) string {
	c := g.name(s, g.pick("dt", "y", "ts"))
	switch g.r.IntN(9) {
	case 0:
		return "DATE(" + c + ")"
	case 1:
		return c + g.pick(" + ", " - ") + "INTERVAL " + g.pick("1", "2") + " " + g.pick("DAY", "MONTH", "HOUR")
	case 2:
		return "LAST_DAY(" + c + ")"
	case 3:
		// One precision only: MariaDB takes CAST(dt AS DATETIME) and CAST(dt AS DATETIME(3)) for the same expression, and loses rows of a DISTINCT.
		return "CAST(" + g.name(s, "dt") + " AS " + g.pick("DATE", "TIME", "DATETIME(3)") + ")"
	case 4:
		return "IFNULL(" + c + ", '2024-01-01')"
	case 5:
		return g.name(s, "ti")
	}
	return c
}

// anything is an expression of any type.
func (g *Generator) anything(s source) string {
	switch g.r.IntN(10) {
	case 0, 1:
		return g.number(s, 1+g.r.IntN(2))
	case 2, 3:
		return g.str(s, 1+g.r.IntN(2))
	case 4:
		return g.date(s)
	case 6:
		switch g.r.IntN(5) {
		case 0:
			return "(SELECT MAX(f) FROM gg)"
		case 1:
			return "(SELECT q.s FROM gg q WHERE q.id = " + s.outer() + "id)"
		case 2:
			return "JSON_EXTRACT(" + g.name(s, "js") + ", '$.a')"
		case 3:
			return g.name(s, "js")
		}
		return "FIELD(" + g.name(s, "s") + ", 'a', 'b', 'zz')"
	case 5:
		return g.pick("1", "'x'", "NULL", "2.50", "TRUE", "x'41'", "1e0")
	}
	return g.name(s, g.column())
}
