package diff

import "fmt"

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
