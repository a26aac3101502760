package diff

import (
	"fmt"
	"strings"
)

// Side is one side of the comparison.
type Side struct {
	Addr, User, Password string
	// Clauses says whether CREATE TABLE takes Ballast's clause.
	Clauses bool
}

// Suite compares two sides over one set of tables in schema app.
type Suite struct {
	Ballast, Plain Side
	Tables         []Table
}

// Prepare makes schema app with empty tables on both sides.
func (s *Suite) Prepare() error {
	for _, side := range []Side{s.Plain, s.Ballast} {
		if err := s.prepare(side); err != nil {
			return fmt.Errorf("prepare %s: %w", side.Addr, err)
		}
	}
	return nil
}

func (s *Suite) prepare(side Side) error {
	p, err := Dial(side.Addr, side.User, side.Password, "")
	if err != nil {
		return err
	}
	sqls := []string{
		"SET NAMES utf8mb4 COLLATE utf8mb4_general_ci",
		"DROP DATABASE IF EXISTS app", "CREATE DATABASE app DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "USE app",
	}
	for _, t := range s.Tables {
		create := t.Create
		if side.Clauses {
			create += " " + t.Clause
		}
		sqls = append(sqls, create)
	}
	for _, sql := range sqls {
		a, err := p.Text(sql)
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		if a.Number != 0 {
			return fmt.Errorf("%s: %s", sql, a)
		}
	}
	return p.Close()
}

// pair is a connection to each side; both see the same statements in the same order.
type pair struct{ ballast, plain *Peer }

func (s *Suite) connect(capabilities ...uint32) (*pair, error) {
	b, err := Dial(s.Ballast.Addr, s.Ballast.User, s.Ballast.Password, "app", capabilities...)
	if err != nil {
		return nil, err
	}
	p, err := Dial(s.Plain.Addr, s.Plain.User, s.Plain.Password, "app", capabilities...)
	if err != nil {
		return nil, err
	}
	pr := &pair{ballast: b, plain: p}
	for _, sql := range []string{"SET NAMES utf8mb4 COLLATE utf8mb4_general_ci"} {
		if _, _, err := pr.run(sql, false); err != nil {
			return nil, err
		}
	}
	return pr, nil
}

// run sends one statement to both sides.
func (p *pair) run(sql string, prepared bool) (ballast, plain Answer, err error) {
	send := (*Peer).Text
	switch {
	case prepared:
		send = func(q *Peer, sql string) (Answer, error) { return q.Prepared(sql) }
	case isWrite(sql):
		send = (*Peer).Write
	}
	if plain, err = send(p.plain, sql); err != nil {
		return ballast, plain, fmt.Errorf("plain server: %s: %w", sql, err)
	}
	if ballast, err = send(p.ballast, sql); err != nil {
		return ballast, plain, fmt.Errorf("ballast: %s: %w", sql, err)
	}
	return ballast, plain, nil
}

// empty deletes all rows of all tables on both sides.
func (p *pair) empty(tables []Table) error {
	for _, t := range tables {
		for _, q := range []*Peer{p.plain, p.ballast} {
			a, err := q.Text("DELETE FROM " + t.Name)
			if err != nil {
				return err
			}
			if a.Number != 0 {
				return fmt.Errorf("empty %s: %s", t.Name, a)
			}
		}
	}
	return nil
}

func (p *pair) close() error {
	if err := p.ballast.Close(); err != nil {
		return err
	}
	return p.plain.Close()
}

// Counts is what a run saw, for its report.
type Counts struct {
	// Statements were compared; WithRows of them answered at least one row on the plain server; Refused were refused by Ballast.
	Statements, Queries, WithRows, Errors, Refused int
	// Differences are reports for people; a correct Ballast has none.
	Differences []string
	// Refusals counts refused statements by message id.
	Refusals map[string]int
	// RefusedStatements are they, with the messages.
	RefusedStatements []string
}

// Add takes the counts of another run in.
func (c *Counts) Add(o Counts) {
	c.Statements += o.Statements
	c.Queries += o.Queries
	c.WithRows += o.WithRows
	c.Errors += o.Errors
	c.Refused += o.Refused
	c.Differences = append(c.Differences, o.Differences...)
	c.RefusedStatements = append(c.RefusedStatements, o.RefusedStatements...)
	for k, n := range o.Refusals {
		c.refusal(k, n)
	}
}

func (c *Counts) refusal(id string, n int) {
	if c.Refusals == nil {
		c.Refusals = map[string]int{}
	}
	c.Refusals[id] += n
}

func (c *Counts) see(plain Answer) {
	c.Statements++
	switch {
	case plain.Number != 0:
		c.Errors++
	case plain.Columns != nil:
		c.Queries++
		if len(plain.Rows) > 0 {
			c.WithRows++
		}
	}
}

// String is the line that a run prints.
func (c *Counts) String() string {
	return fmt.Sprintf("%d statements: %d queries (%.0f%% of them with rows), %d answered an error by the plain server, %d (%.1f%%) refused by Ballast %v, %d differences",
		c.Statements, c.Queries, 100*float64(c.WithRows)/float64(max(c.Queries, 1)), c.Errors, c.Refused,
		100*float64(c.Refused)/float64(max(c.Statements, 1)), c.Refusals, len(c.Differences))
}

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

func (c *Counts) refused(b Answer, sql string) {
	c.Refused++
	c.refusal(b.Message[len(b.Message)-7:len(b.Message)-1], 1)
	c.RefusedStatements = append(c.RefusedStatements, sql+"\n  "+b.Message)
}

func (c *Counts) note(st Generated, b, pl Answer) {
	if d := Difference(b, pl, st.Ordered); d != "" {
		c.Differences = append(c.Differences, fmt.Sprintf("%s %q (after: %s)\n  %s\n  ballast %s\n  plain   %s", st.SQL, st.Args, st.last, d, b, pl))
	}
}
