package rules

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"ballast/rules/failure"
)

func unhex(digits string) (string, bool) {
	raw, err := hex.DecodeString(digits)
	return string(raw), err == nil
}

// parser reads a clause from tokens. The first fault sticks and ends all loops.
type parser struct {
	lex  lexer
	tok  token
	prev int // end of the last token taken
	err  *failure.Error
}

func newParser(l lexer) *parser {
	p := &parser{lex: l}
	p.tok = p.lex.next()
	return p
}

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

func (p *parser) take() token {
	t := p.tok
	if p.err == nil {
		p.prev = t.end
		p.tok = p.lex.next()
	}
	return t
}

// fail notes a fault at the token ahead; the parser then sees the end of the text.
func (p *parser) fail(what string) {
	if p.err != nil {
		return
	}
	near := "the end"
	if p.tok.kind != tokenEnd {
		near = "character " + strconv.Itoa(p.tok.start+1)
	}
	p.err = errSyntax.New(what, near)
	p.tok = token{kind: tokenEnd, start: p.tok.start, end: p.tok.start}
}

// word takes the word if it comes next.
func (p *parser) word(w string) bool {
	if !p.tok.is(w) {
		return false
	}
	p.take()
	return true
}

func (p *parser) mark(c byte) bool {
	if !p.tok.mark(c) {
		return false
	}
	p.take()
	return true
}

func (p *parser) need(ok bool, what string) {
	if !ok {
		p.fail(what + " was expected")
	}
}

// list reads "( item , item … )".
func (p *parser) list(item func()) {
	p.need(p.mark('('), "(")
	for p.err == nil {
		item()
		if !p.mark(',') {
			break
		}
	}
	p.need(p.mark(')'), ")")
}

func (p *parser) name(what string) string {
	if p.tok.kind != tokenWord && p.tok.kind != tokenName || p.tok.text == "" {
		p.fail(what + " was expected")
		return ""
	}
	return p.take().text
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

// steps reads steps as long as there are any. By names the fields, for OF.
func (p *parser) steps(by []string, depth int) []Step {
	var out []Step
	if depth > maxDepth {
		p.fail("less nesting")
	}
	for p.err == nil && len(out) <= maxSteps {
		var s Step
		switch {
		case p.word("RANGE"):
			s = p.rangeStep()
		case p.word("MOD"):
			s = Step{Kind: StepMod, Mod: p.unsigned()}
		case p.word("LIST"):
			s = p.listStep(by, depth)
		case p.word("HASH"):
			s = Step{Kind: StepHash}
		case p.word("RING"):
			s = p.ringStep()
		default:
			return out
		}
		if s.Kind != StepList {
			s.Default = 0
		}
		if p.word("OF") {
			s.Field = p.fieldIndex(by)
		}
		if p.word("BRANCH") {
			p.list(func() {
				i := p.unsigned()
				if i > maxBranches {
					p.fail("a smaller outcome")
					return
				}
				p.branch(&s, int(i), by, depth)
			})
		}
		out = append(out, s)
	}
	return out
}

func (p *parser) fieldIndex(by []string) int {
	name := p.name("a field")
	i := slices.IndexFunc(by, func(f string) bool { return strings.EqualFold(f, name) })
	if i < 0 {
		p.fail("a field of BY")
	}
	return max(i, 0)
}

// branch reads a sub-strategy in parentheses.
func (p *parser) branch(s *Step, i int, by []string, depth int) {
	p.need(p.mark('('), "(")
	sub := p.steps(by, depth+1)
	p.need(len(sub) > 0, "a step")
	p.need(p.mark(')'), ")")
	if s.Branches == nil {
		s.Branches = map[int][]Step{}
	}
	if _, twice := s.Branches[i]; twice {
		p.fail("another outcome")
	}
	s.Branches[i] = sub
}

func (p *parser) unsigned() uint64 {
	u, err := strconv.ParseUint(p.tok.text, 10, 64)
	if p.tok.kind != tokenNumber || err != nil {
		p.fail("a whole number was expected")
		return 0
	}
	p.take()
	return u
}

func (p *parser) rangeStep() Step {
	s := Step{Kind: StepRange}
	if !p.tok.mark('(') {
		s.Width = p.unsigned()
		if s.Width == 0 {
			p.fail("a width of at least 1 was expected")
		}
		return s
	}
	p.list(func() {
		switch {
		case s.MaxOpen:
			p.fail("nothing may follow MAXVALUE")
		case p.tok.is("MINVALUE"):
			if s.MinOpen || len(s.Bounds) > 0 {
				p.fail("MINVALUE stands first")
			}
			p.take()
			s.MinOpen = true
		case p.word("MAXVALUE"):
			s.MaxOpen = true
		default:
			s.Bounds = append(s.Bounds, p.literal())
		}
	})
	return s
}

func (p *parser) ringStep() Step {
	s := Step{Kind: StepRing}
	if p.mark('(') {
		p.need(p.word("VNODES"), "VNODES")
		n := p.unsigned()
		if n > maxVNodes {
			p.fail("fewer virtual nodes")
		}
		s.VNodes = int(min(n, maxVNodes))
		p.need(p.mark(')'), ")")
	}
	return s
}

// listStep reads "LIST ((v, …) (steps), (v, …), DEFAULT (steps))". DEFAULT may also stand among the values of a group.
func (p *parser) listStep(by []string, depth int) Step {
	s := Step{Kind: StepList, Default: -1}
	group := 0
	p.list(func() {
		if p.tok.is("DEFAULT") {
			p.defaultGroup(&s, group)
		} else {
			s.Lists = fillLists(s.Lists, group)
			var values []Literal
			p.list(func() {
				if p.tok.is("DEFAULT") {
					p.defaultGroup(&s, group)
					return
				}
				values = append(values, p.literal())
			})
			s.Lists = append(s.Lists, values)
		}
		if p.tok.mark('(') {
			p.branch(&s, group, by, depth)
		}
		group++
	})
	return s
}

func (p *parser) defaultGroup(s *Step, group int) {
	if s.Default >= 0 {
		p.fail("only one DEFAULT")
	}
	p.take()
	s.Default = group
}

// fillLists gives a group of nothing but DEFAULT its empty place once another group follows.
func fillLists(lists [][]Literal, group int) [][]Literal {
	for len(lists) < group {
		lists = append(lists, nil)
	}
	return lists
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

func (p *parser) literal() Literal {
	sign := ""
	if p.tok.mark('-') {
		sign = "-"
		p.take()
	}
	switch {
	case p.tok.kind == tokenNumber:
		return Literal{Text: canonicalDecimal(sign + p.take().text)}
	case sign != "":
	case p.tok.kind == tokenString, p.tok.kind == tokenHex:
		return Literal{Quoted: true, Text: p.take().text}
	case p.word("NULL"):
		return Literal{Null: true}
	}
	p.fail("a number, a quoted text or NULL was expected")
	return Literal{}
}
