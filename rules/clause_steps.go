package rules

import (
	"slices"
	"strings"
)

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
