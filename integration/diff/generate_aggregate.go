package diff

import (
	"fmt"
	"regexp"
)

// instant finds the TIMESTAMP column: of two instants that print alike where clocks are turned back, MySQL makes one group or two, as its plan is.
var instant = regexp.MustCompile("\\bts\\b")

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
		if d := g.date(s); !instant.MatchString(d) {
			return d
		}
	case 5:
		// MariaDB makes BIGINT of BIT in some of its temporary tables, so BIT goes as a number.
		return g.pick(s.prefix+"bi+0", g.name(s, g.pick("en", "se", "yr", "vb", "ti")))
	case 6:
		return g.pick("DATE_FORMAT("+g.name(s, "dt")+", '%Y-%m')", "("+g.condition(s, 0)+")", "CASE WHEN "+g.name(s, "a")+" > 1 THEN 'big' ELSE 'small' END", "CAST("+g.name(s, "f")+" AS CHAR)")
	}
	return g.name(s, g.pick("a", "b", "c", "f", "y", "dt", "a", "f"))
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
			return g.pick(g.name(s, g.counted()), g.name(s, g.counted()), g.number(s, 1), g.str(s, 1))
		}) + ")"
	case 10:
		if g.chance(50) { // of plain columns only: MariaDB clips AVG(DISTINCT ASCII(…)) to two digits
			return "AVG(DISTINCT " + g.number(s, 0) + ")"
		}
		return "SUM(DISTINCT " + g.number(s, g.r.IntN(2)) + ")"
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

// counted is a column for COUNT(DISTINCT). It is no TIMESTAMP: of two instants that print alike where clocks are turned back, MySQL makes one
// or two, as its plan is.
func (g *Generator) counted() string {
	for {
		if c := g.column(); c != "ts" {
			return c
		}
	}
}
