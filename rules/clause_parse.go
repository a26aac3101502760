package rules

import "strings"

// ParseClause reads "BALANCE BY (…) step … ON (…) IN GROUP g EXCEPT (…)", "GLOBAL" or "SINGLE ON (node)", alone or inside the comment
// that SHOW CREATE TABLE shows it in. The error is a *failure.Error.
func ParseClause(sql string) (Clause, error) {
	p := newParser(lexer{src: sql})
	wrapped := p.tok.kind == tokenOpen
	if wrapped {
		p.take()
	}
	c := p.clause()
	if wrapped && p.err == nil {
		if p.tok.kind != tokenClose {
			p.fail("the comment does not end behind the clause")
		}
		p.take()
	}
	if p.tok.mark(';') {
		p.take()
	}
	if p.tok.kind != tokenEnd {
		p.fail("nothing more was expected")
	}
	if p.err != nil {
		return Clause{}, p.err
	}
	return c, nil
}

func (p *parser) clause() Clause {
	switch {
	case p.word("GLOBAL"):
		return Clause{Kind: Everywhere}
	case p.word("SINGLE"):
		c := Clause{Kind: OneNode}
		if p.word("ON") {
			p.need(p.mark('('), "(")
			c.Single = p.name("a node")
			p.need(p.mark(')'), ")")
		}
		return c
	case p.word("BALANCE"):
		p.need(p.word("BY"), "BY")
		return p.balanced()
	}
	p.fail("BALANCE BY, GLOBAL or SINGLE was expected")
	return Clause{}
}

func (p *parser) balanced() Clause {
	c := Clause{Kind: Balanced}
	s := &c.Strategy
	p.list(func() {
		if p.tok.is("PRIMARY") {
			p.take()
			p.need(p.word("KEY"), "KEY")
			s.By = append(s.By, "PRIMARY KEY")
			return
		}
		s.By = append(s.By, p.name("a field"))
	})
	s.Steps = p.steps(s.By, 0)
	seen := map[string]bool{}
	for p.err == nil {
		part := strings.ToUpper(p.tok.text)
		if p.tok.kind != tokenWord || seen[part] {
			break
		}
		switch part {
		case "ON":
			p.take()
			p.list(func() { s.On = append(s.On, p.name("a node")) })
		case "IN":
			p.take()
			p.need(p.word("GROUP"), "GROUP")
			c.Group = p.name("a group")
		case "EXCEPT":
			p.take()
			p.list(func() { s.Except = append(s.Except, p.exception()) })
		case "UNIQUE":
			p.take()
			p.need(p.word("PER"), "PER")
			p.need(p.word("NODE"), "NODE")
			p.list(func() { c.PerNode = append(c.PerNode, p.name("a key")) })
		case "WAIT":
			p.take()
			c.Wait = true
		default:
			part = ""
		}
		if part == "" {
			break
		}
		seen[part] = true
	}
	if p.err == nil && len(s.Steps) == 0 && c.Group == "" {
		p.fail("a step (RANGE, MOD, LIST, HASH, RING) was expected")
	}
	return c
}

func (p *parser) exception() Exception {
	var x Exception
	p.need(p.mark('['), "[")
	if !p.word("MINVALUE") {
		from := p.literal()
		x.From = &from
	}
	p.need(p.mark(','), ",")
	if !p.word("MAXVALUE") {
		to := p.literal()
		x.To = &to
	}
	p.need(p.mark(')'), ")")
	p.need(p.word("ON"), "ON")
	x.On = p.name("a node")
	return x
}
