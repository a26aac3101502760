package diff

import (
	"fmt"
	"strings"
)

// RunCase runs a hand-written case in a session of its own. Read statements are repeated as prepared statements, so that the binary
// protocol is compared as well.
func (s *Suite) RunCase(c Case) (Counts, error) {
	var n Counts
	p, err := s.connect()
	if err != nil {
		return n, err
	}
	if err := p.empty(s.Tables); err != nil {
		return n, err
	}
	for _, st := range c.Statements {
		modes := []bool{false}
		if !st.TextOnly && (isQuery(st.SQL)) {
			modes = append(modes, true)
		}
		for _, prepared := range modes {
			if st.Refused != 0 && !isQuery(st.SQL) {
				// What Ballast does not do must not be done on the plain server, or the two would drift apart.
				b, err := p.ballast.Text(st.SQL)
				if err != nil {
					return n, err
				}
				n.Statements++
				n.refusedCase(c, st, b)
				continue
			}
			b, pl, err := p.run(st.SQL, prepared)
			if err != nil {
				return n, err
			}
			n.see(pl)
			if !countsWarnings(st.SQL) {
				b.forgetWarnings()
				pl.forgetWarnings()
			}
			if st.Refused != 0 {
				n.refusedCase(c, st, b)
			} else if d := Difference(b, pl, isOrdered(st.SQL)); d != "" {
				n.Differences = append(n.Differences, fmt.Sprintf("%s:%d (prepared=%v) %s\n  %s\n  ballast %s\n  plain   %s", c.File, st.Line, prepared, st.SQL, d, b, pl))
			}
		}
	}
	return n, p.close()
}

// refusedCase checks that Ballast refused a statement by the number that the case names.
func (c *Counts) refusedCase(in Case, st Statement, b Answer) {
	if Refused(b) && b.Number == st.Refused {
		c.refused(b, st.SQL)
		return
	}
	c.Differences = append(c.Differences, fmt.Sprintf("%s:%d %s\n  should be refused with %d\n  ballast %s", in.File, st.Line, st.SQL, st.Refused, b))
}

func isQuery(sql string) bool {
	s := strings.ToUpper(strings.TrimLeft(sql, " (\n"))
	return strings.HasPrefix(s, "SELECT")
}

// countsWarnings says whether the number of a statement's warnings must agree. It must for rows that are stored. In conditions a server warns
// of a constant as often as it reads it, and each node reads it.
func countsWarnings(sql string) bool {
	verb := verbOf(sql)
	return verb == "INSERT" || verb == "REPLACE"
}

func verbOf(sql string) string {
	verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimLeft(sql, " \n")), " ")
	return verb
}

// isWrite says whether a statement changes rows and answers none.
func isWrite(sql string) bool {
	switch verbOf(sql) {
	case "INSERT", "REPLACE", "UPDATE", "DELETE":
		return true
	}
	return false
}

func isOrdered(sql string) bool { return strings.Contains(strings.ToUpper(sql), "ORDER BY") }
