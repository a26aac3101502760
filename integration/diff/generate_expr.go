package diff

import "fmt"

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
		return "NULLIF(" + g.name(s, "a") + ", " + g.integer(2) + ")"
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

// byBytes is an expression of whose equal values all print alike, so that it may stand beside GROUP BY and DISTINCT.
//
// It has no parameters: a server that is given the same value twice, in the select list and in GROUP BY, may or may not see that they are one.
func (g *Generator) byBytes(s source) string {
	defer g.withoutParams()()
	switch g.r.IntN(12) {
	case 0, 1:
		return g.number(s, 1+g.r.IntN(2))
	case 2, 3:
		return "HEX(" + g.str(s, g.r.IntN(2)) + ")"
	case 4:
		return g.date(s)
	case 5:
		// MariaDB makes BIGINT of BIT in some of its temporary tables, so BIT goes as a number.
		return g.pick(s.prefix+"bi+0", g.name(s, g.pick("en", "se", "yr", "vb", "ti", "ts")))
	case 6:
		return g.pick("DATE_FORMAT("+g.name(s, "dt")+", '%Y-%m')", "("+g.condition(s, 0)+")", "CASE WHEN "+g.name(s, "a")+" > 1 THEN 'big' ELSE 'small' END", "CAST("+g.name(s, "f")+" AS CHAR)")
	}
	return g.name(s, g.pick("a", "b", "c", "f", "y", "dt", "a", "f"))
}

// condition makes a predicate.
func (g *Generator) condition(s source, depth int) string {
	if depth > 0 && g.chance(45) {
		op := g.pick("AND", "OR", "OR", "OR", "XOR")
		c := "(" + g.condition(s, depth-1) + " " + op + " " + g.condition(s, depth-1) + ")"
		if g.chance(12) {
			c = g.pick("NOT ", "NOT ", "! ") + c
		}
		return c
	}
	c := g.column()
	if g.chance(45) {
		c = "id"
		if s.table != nil && len(s.table.Key) > 0 && g.chance(60) {
			c = s.table.Key[g.r.IntN(len(s.table.Key))]
		}
	}
	p := g.name(s, c)
	switch g.r.IntN(17) {
	case 0, 1, 2, 3:
		return p + " " + g.pick("=", "=", "<=>", "<>", "!=") + " " + g.literal(c)
	case 4:
		return p + " " + g.pick("<", "<=", ">", ">=") + " " + g.literal(c)
	case 5, 6:
		return p + g.pick(" IN ", " IN ", " IN ", " NOT IN ") + "(" + g.list(1+g.r.IntN(5), func() string { return g.literal(c) }) + ")"
	case 7:
		return p + g.pick(" BETWEEN ", " BETWEEN ", " NOT BETWEEN ") + g.literal(c) + " AND " + g.literal(c)
	case 8:
		return p + g.pick(" IS NULL", " IS NOT NULL")
	case 9:
		return g.number(s, 1) + " " + g.pick("=", ">", "<") + " " + g.literal(g.pick("a", "f", "id"))
	case 10:
		return g.literal(c) + " " + g.pick("=", "<", ">=", "<=>") + " " + p
	case 11:
		return g.name(s, g.pick("s", "k", "tx")) + g.pick(" LIKE ", " LIKE ", " NOT LIKE ") + g.pick(g.text("a%"), g.text("%b%"), g.text("_"), g.text("é%"), g.text("%"))
	case 12:
		if len(g.mode.strings) > 4 {
			return g.name(s, "s") + g.pick(" REGEXP ", " RLIKE ") + g.pick("'^a'", "'b'", "'[a-f]'")
		}
		return p + " = " + p
	case 13:
		d := g.pick("a", "f")
		return "(" + p + ", " + g.name(s, d) + ")" + g.pick(
			" = ("+g.literal(c)+", "+g.literal(d)+")",
			" IN (("+g.literal(c)+", "+g.literal(d)+"), ("+g.literal(c)+", "+g.literal(d)+"))",
			" IN (("+g.literal(c)+", "+g.literal(d)+"), ("+g.literal(c)+", "+g.literal(d)+"))")
	case 14:
		return "(" + p + " = " + g.literal(c) + " OR " + p + " = " + g.literal(c) + ")"
	case 15:
		return g.pick("NOT "+p+" = "+g.literal(c), "("+p+" > "+g.literal(c)+") IS "+g.pick("", "NOT ")+g.pick("TRUE", "FALSE", "UNKNOWN"), "TRUE", p+" > "+g.value(c)+" AND "+p+" < "+g.value(c), g.name(s, "a"))
	default:
		switch g.r.IntN(5) {
		case 3:
			if g.inGroup(s) {
				return s.outer() + "id" + g.pick(" IN ", " NOT IN ") + "(SELECT id FROM " + g.pick("gh", "gi", "gj") + " WHERE " + g.pick("f", "a") + " > " + g.integer(int64(g.r.IntN(5))) + ")"
			}
			return p + " IS NOT NULL"
		case 4:
			if g.inGroup(s) {
				return g.pick("EXISTS", "NOT EXISTS") + " (SELECT 1 FROM " + g.pick("gh", "gi", "gj") + " q WHERE q.id = " + s.outer() + "id AND q.a > " + g.integer(int64(g.r.IntN(4))) + ")"
			}
			return p + " IS NULL OR " + p + " IS NOT NULL"
		case 0:
			return p + " IN (SELECT " + c + " FROM gg WHERE " + g.name(source{"gg.", nil}, "f") + " > " + g.integer(int64(g.r.IntN(9))) + ")"
		case 1:
			return g.name(s, "a") + " > (SELECT " + g.pick("MIN", "MAX", "COUNT") + "(f) FROM gg)"
		}
		return g.pick("EXISTS", "NOT EXISTS") + " (SELECT 1 FROM gg q WHERE q.id = " + s.outer() + "id AND q.f > " + g.integer(int64(g.r.IntN(9))) + ")"
	}
}

// inGroup says whether s is a table of the balance group.
func (g *Generator) inGroup(s source) bool {
	return s.table != nil && (s.table.Name == "gh" || s.table.Name == "gi" || s.table.Name == "gj")
}

// outer is how a subquery names columns of s.
func (s source) outer() string {
	if s.prefix != "" || s.table == nil {
		return s.prefix
	}
	return s.table.Name + "."
}

func (g *Generator) where(s source) string {
	if g.chance(40) {
		return ""
	}
	c := g.condition(s, g.r.IntN(3))
	if g.chance(40) { // most queries shall find something
		c += " OR " + g.name(s, "f") + " > " + g.integer(int64(g.r.IntN(8)))
	}
	return " WHERE " + c
}

func (g *Generator) aggregate(s source) string {
	switch g.r.IntN(15) {
	case 0, 1:
		return "COUNT(*)"
	case 2:
		return "COUNT(" + g.anything(s) + ")"
	case 3, 4:
		return "SUM(" + g.number(s, g.r.IntN(3)) + ")"
	case 5:
		return "AVG(" + g.number(s, g.r.IntN(3)) + ")"
	case 6, 7, 8:
		return g.pick("MIN(", "MAX(") + g.extreme(s) + ")"
	case 9:
		return "COUNT(DISTINCT " + g.list(1+g.r.IntN(2), func() string {
			return g.pick(g.name(s, g.column()), g.name(s, g.column()), g.number(s, 1), g.str(s, 1))
		}) + ")"
	case 10:
		return g.pick("SUM", "AVG") + "(DISTINCT " + g.number(s, g.r.IntN(2)) + ")"
	case 11:
		return fmt.Sprintf("SUM(%s) %s %d", g.number(s, 0), g.pick("+", "-", "*"), g.r.IntN(4))
	case 13:
		return g.pick("BIT_OR(", "BIT_AND(", "BIT_XOR(", "SUM(", "AVG(", "SUM(", "COUNT(") + g.name(s, g.pick("bi", "yr", "ti", "se", "en", "b", "f")) + ")"
	case 12:
		return g.pick("SUM("+g.name(s, "e")+")", "AVG("+g.name(s, "e")+")", "COUNT(*) * 2", "MAX("+g.name(s, "a")+") - MIN("+g.name(s, "a")+")", "IFNULL(SUM("+g.name(s, "a")+"), 0)",
			"SUM("+g.name(s, "a")+") / COUNT(*)", "COUNT(*) > 3", "ROUND(AVG("+g.name(s, "c")+"), 1)", "SUM(IF("+g.condition(s, 0)+", 1, 0))", "COALESCE(MAX("+g.name(s, "f")+"), -1)")
	default:
		return "SUM(" + g.condition(s, 1) + ")"
	}
}

// extreme gives an argument of MIN or MAX. Of strings that are equal under their collation either server may give any, so strings go by bytes.
func (g *Generator) extreme(s source) string {
	switch g.r.IntN(4) {
	case 0:
		return g.name(s, g.pick("e", "g", "ti", "yr", "vb", "dt", "y", "ts", "id", "b"))
	case 1:
		return "HEX(" + g.name(s, g.pick("s", "k", "tx", "bl")) + ")"
	}
	return g.byBytes(s)
}
