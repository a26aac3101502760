package diff

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
		return g.pick("NOT "+p+" = "+g.literal(c), "("+p+" > "+g.literal(c)+") IS "+g.pick("", "NOT ")+g.pick("TRUE", "FALSE", "UNKNOWN"), p+" <=> "+p, p+" > "+g.value(c)+" AND "+p+" < "+g.value(c), g.name(s, "a"))
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
