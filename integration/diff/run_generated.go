package diff

import (
	"fmt"
	"strings"
)

// RunGenerated fills the tables and runs n statements of a seed: mostly queries, a write now and then, followed by a comparison of the whole table.
func (s *Suite) RunGenerated(seed uint64, n int) (Counts, error) {
	var c Counts
	g := NewGenerator(seed)
	p, err := s.connect(g.mode.capabilities...)
	if err != nil {
		return c, err
	}
	if err := p.empty(s.Tables); err != nil {
		return c, err
	}
	run := generatedRun{s, p, &c, g}
	mode := g.mode
	g.mode, g.plain = modes[0], true
	if err := run.begin("SET time_zone = '+00:00'"); err != nil {
		return c, err
	}
	for _, t := range s.Tables {
		rows := make([]string, 0, 50)
		for id := -20; id < 40; id++ {
			if g.chance(80) {
				rows = append(rows, g.Row(&t, id))
			}
		}
		if err := run.compare(Generated{SQL: "INSERT INTO " + t.Name + " VALUES " + strings.Join(rows, ", "), Write: true}); err != nil {
			return c, err
		}
	}
	g.mode, g.plain = mode, false
	if err := run.begin("SET time_zone = SYSTEM"); err != nil {
		return c, err
	}
	if err := run.begin(mode.set...); err != nil {
		return c, err
	}
	for range n {
		before, last := c.Refused+c.Errors, ""
		for _, st := range g.Next() {
			if st.After && c.Refused+c.Errors > before {
				continue
			}
			st.last, last = last, st.SQL
			if err := run.compare(st); err != nil {
				return c, err
			}
		}
	}
	for i := range s.Tables {
		if err := run.compare(wholeTable(&s.Tables[i])); err != nil {
			return c, err
		}
	}
	return c, p.close()
}

// wholeTable reads all rows of a table.
func wholeTable(t *Table) Generated {
	st := Generated{SQL: "SELECT * FROM " + t.Name}
	if len(t.Key) > 0 {
		st.SQL += " ORDER BY " + strings.Join(t.Key, ", ")
		st.Ordered = true
	}
	return st
}

// generatedRun is one seed's run.
type generatedRun struct {
	*Suite
	p *pair
	c *Counts
	g *Generator
}

// begin runs statements that must work.
func (r generatedRun) begin(statements ...string) error {
	for _, sql := range statements {
		b, pl, err := r.p.run(sql, false)
		if err != nil {
			return err
		}
		if b.Number != 0 || pl.Number != 0 {
			return fmt.Errorf("%s: ballast %s, plain %s", sql, b, pl)
		}
	}
	return nil
}

// compare runs one generated statement on both sides. A write that Ballast refused is not run on the plain server, or the two would drift apart.
func (r generatedRun) compare(st Generated) error {
	text := r.g.mode.encode(st.SQL)
	send := (*Peer).Text
	switch {
	case st.Args != nil:
		send = func(p *Peer, sql string) (Answer, error) { return p.Prepared(sql, st.Args...) }
	case st.Write:
		send = (*Peer).Write
	}
	b, err := send(r.p.ballast, text)
	if err != nil {
		return fmt.Errorf("ballast: %s %v: %w", st.SQL, st.Args, err)
	}
	if st.Write && Refused(b) {
		r.c.Statements++
		r.c.refused(b, st.SQL)
		return nil
	}
	pl, err := send(r.p.plain, text)
	if err != nil {
		return fmt.Errorf("plain server: %s %v: %w", st.SQL, st.Args, err)
	}
	r.c.see(pl)
	if Refused(b) {
		r.c.refused(b, st.SQL)
		return nil
	}
	if st.Write && b.Number != 0 && pl.Number != 0 && strings.Contains(st.SQL, "), (") {
		// Of several bad rows a server names the first it meets, and the nodes meet theirs at one time.
		return nil
	}
	if st.Args != nil || !countsWarnings(st.SQL) {
		b.forgetWarnings() // what is said of a text is said when it is prepared
		pl.forgetWarnings()
	}
	if r.g.mode.capabilities != nil && strings.Contains(st.SQL, "ON DUPLICATE") {
		b.Info, pl.Info = "", "" // with CLIENT_FOUND_ROWS a single row's answer does not tell whether it met a duplicate that was like it
	}
	if st.Args != nil || strings.Contains(st.SQL, "GROUP BY") || strings.Contains(st.SQL, "DISTINCT") || strings.Contains(st.SQL, "UNION") {
		forgetLengths(b.Columns)
		forgetLengths(pl.Columns)
	}
	if b.Number == 0 && (pl.Number == 1055 || pl.Number == 3065) {
		return nil // the server does not see that an item of ORDER BY is one of GROUP BY or of the select list
	}
	if st.Counted && len(b.Rows) == len(pl.Rows) {
		b.Rows, pl.Rows = nil, nil
	}
	r.c.note(st, b, pl)
	return nil
}
