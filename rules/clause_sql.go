package rules

import (
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SQL writes the clause so that ParseClause gives it back.
func (c Clause) SQL() string {
	var w strings.Builder
	switch c.Kind {
	case Everywhere:
		return "GLOBAL"
	case OneNode:
		if c.Single == "" {
			return "SINGLE"
		}
		return "SINGLE ON (" + quoteName(c.Single) + ")"
	default:
	}
	s := &c.Strategy
	w.WriteString("BALANCE BY (")
	for i, name := range s.By {
		if i > 0 {
			w.WriteString(", ")
		}
		if name == "PRIMARY KEY" {
			w.WriteString(name)
		} else {
			w.WriteString(quoteName(name))
		}
	}
	w.WriteByte(')')
	if len(s.Steps) > 0 {
		w.WriteByte(' ')
		writeSteps(&w, s.By, s.Steps)
	}
	writeNames(&w, " ON ", s.On)
	if c.Group != "" {
		w.WriteString(" IN GROUP " + quoteName(c.Group))
	}
	writeExcept(&w, s.Except)
	writeNames(&w, " UNIQUE PER NODE ", c.PerNode)
	if c.Wait {
		w.WriteString(" WAIT")
	}
	return w.String()
}

// Comment writes the clause as SHOW CREATE TABLE shows it: in a comment that plain servers skip.
func (c Clause) Comment() string { return clauseComment + " " + c.SQL() + " */" }

// SQL writes the strategy as a clause.
func (s Strategy) SQL() string { return Clause{Kind: Balanced, Strategy: s}.SQL() }

func writeNames(w *strings.Builder, before string, names []string) {
	for i, n := range names {
		if i == 0 {
			w.WriteString(before + "(")
		} else {
			w.WriteString(", ")
		}
		w.WriteString(quoteName(n))
	}
	if len(names) > 0 {
		w.WriteByte(')')
	}
}

func writeExcept(w *strings.Builder, except []Exception) {
	for i, x := range except {
		if i == 0 {
			w.WriteString(" EXCEPT (")
		} else {
			w.WriteString(", ")
		}
		from, to := "MINVALUE", "MAXVALUE"
		if x.From != nil {
			from = x.From.sql()
		}
		if x.To != nil {
			to = x.To.sql()
		}
		w.WriteString("[" + from + ", " + to + ") ON " + quoteName(x.On))
	}
	if len(except) > 0 {
		w.WriteByte(')')
	}
}

func writeSteps(w *strings.Builder, by []string, steps []Step) {
	for i := range steps {
		s := &steps[i]
		if i > 0 {
			w.WriteByte(' ')
		}
		w.WriteString(strings.ToUpper(s.String()))
		switch s.Kind {
		case StepRange:
			if s.Width == 0 {
				writeBounds(w, s)
			}
		case StepList:
			writeLists(w, by, s)
		case StepRing:
			if s.VNodes > 0 {
				w.WriteString(" (VNODES " + strconv.Itoa(s.VNodes) + ")")
			}
		default:
		}
		if s.Field > 0 && s.Field < len(by) {
			w.WriteString(" OF " + quoteName(by[s.Field]))
		}
		if len(s.Branches) == 0 || s.Kind == StepList {
			continue
		}
		w.WriteString(" BRANCH (")
		for n, k := range sortedKeys(s.Branches) {
			if n > 0 {
				w.WriteString(", ")
			}
			w.WriteString(strconv.Itoa(k) + " (")
			writeSteps(w, by, s.Branches[k])
			w.WriteByte(')')
		}
		w.WriteByte(')')
	}
}

func writeBounds(w *strings.Builder, s *Step) {
	w.WriteString(" (")
	sep := ""
	if s.MinOpen {
		w.WriteString("MINVALUE")
		sep = ", "
	}
	for _, b := range s.Bounds {
		w.WriteString(sep + b.sql())
		sep = ", "
	}
	if s.MaxOpen {
		w.WriteString(sep + "MAXVALUE")
	}
	w.WriteByte(')')
}

func writeLists(w *strings.Builder, by []string, s *Step) {
	w.WriteString(" (")
	for g := range max(len(s.Lists), s.Default+1) {
		if g > 0 {
			w.WriteString(", ")
		}
		var values []Literal
		if g < len(s.Lists) {
			values = s.Lists[g]
		}
		if len(values) > 0 {
			w.WriteByte('(')
			for i, v := range values {
				if i > 0 {
					w.WriteString(", ")
				}
				w.WriteString(v.sql())
			}
			if g == s.Default {
				w.WriteString(", DEFAULT")
			}
			w.WriteByte(')')
		} else {
			w.WriteString("DEFAULT")
		}
		if sub := s.Branches[g]; len(sub) > 0 {
			w.WriteString(" (")
			writeSteps(w, by, sub)
			w.WriteByte(')')
		}
	}
	w.WriteByte(')')
}

func (l Literal) sql() string {
	switch {
	case l.Null:
		return "NULL"
	case !l.Quoted:
		return l.Text
	}
	return quoteText(l.Text)
}

// quoteText writes a string so that every sql_mode reads it the same: in quotes where it holds nothing special, else in hex.
func quoteText(s string) string {
	if !utf8.ValidString(s) || strings.ContainsAny(s, "\\\x00\n\r\x1a") || strings.Contains(s, "*/") {
		return "X'" + strings.ToUpper(hex.EncodeToString([]byte(s))) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// quoteName writes a name in backquotes unless it is a plain word that is no keyword of the clause.
func quoteName(s string) string {
	plain := s != "" && !isDigit(s[0])
	for i := 0; i < len(s) && plain; i++ {
		plain = isWordByte(s[i])
	}
	if plain && !clauseWord(s) && utf8.ValidString(s) && !((s[0] == 'x' || s[0] == 'X') && len(s) == 1) {
		return s
	}
	return "`" + strings.ReplaceAll(s, "`", "``") + "`"
}

// clauseWord says whether a name could be read as a word of the clause's grammar.
func clauseWord(s string) bool {
	switch strings.ToUpper(s) {
	case "PRIMARY", "KEY", "ON", "IN", "GROUP", "EXCEPT", "UNIQUE", "WAIT", "RANGE", "MOD", "LIST", "HASH", "RING", "OF", "BRANCH",
		"MINVALUE", "MAXVALUE", "DEFAULT", "NULL", "BALANCE", "BY", "GLOBAL", "SINGLE":
		return true
	}
	return false
}
