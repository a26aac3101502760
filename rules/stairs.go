package rules

import "slices"

// stairs is a rule over one field in the field's own order that is constant between cuts: nodes[i] holds from cuts[i-1] to cuts[i]. It serves
// strings, binary values and decimals with fractions, whose values are no integers.
type stairs struct {
	cuts  []Value
	nodes []int
}

// stairsOf gives the stairs of a placement whose first step has bounds; false for others.
func (p *Placement) stairsOf() (stairs, bool) {
	first := &p.chain.steps[0]
	if len(p.fields) > 1 || first.bounds == nil || first.branches != nil {
		return stairs{}, false
	}
	for i := range p.chain.steps[1:] {
		if p.chain.steps[i+1].field >= 0 || p.chain.steps[i+1].branches != nil {
			return stairs{}, false
		}
	}
	s := stairs{cuts: first.bounds.values, nodes: make([]int, first.bounds.len()+1)}
	for i := range s.nodes {
		s.nodes[i] = NoPlace
		if out, ok := first.bounds.outcome(i); ok {
			s.nodes[i] = p.nodeOfNumber(uintNumber(out))
		}
	}
	if p.except != nil {
		hand := stairs{p.except.cuts.values, p.except.nodes}
		s = p.fields[0].combine(hand, s, func(hand, base int) int {
			if hand != NoPlace {
				return hand
			}
			return base
		})
	}
	return s, true
}

// nodeOfNumber walks the steps behind the first, which read numbers only.
func (p *Placement) nodeOfNumber(n number) int {
	for i := range p.chain.steps[1:] {
		var err error
		if n, err = p.take(&p.chain.steps[i+1], n, nil); err != nil {
			return NoPlace
		}
	}
	place, ok := p.place(n)
	if !ok {
		return NoPlace
	}
	return p.on[place]
}

// combine makes stairs over the cuts of both.
func (f *field) combine(a, b stairs, node func(a, b int) int) stairs {
	var out stairs
	i, j := 0, 0
	for {
		out.nodes = append(out.nodes, node(a.nodes[i], b.nodes[j]))
		switch {
		case i == len(a.cuts) && j == len(b.cuts):
			return out
		case i == len(a.cuts):
			out.cuts = append(out.cuts, b.cuts[j])
			j++
			continue
		case j == len(b.cuts):
			out.cuts = append(out.cuts, a.cuts[i])
			i++
			continue
		}
		r, err := f.compare(&a.cuts[i], &b.cuts[j])
		if err != nil { // cuts were checked when they were compiled
			return out
		}
		if r <= 0 {
			out.cuts = append(out.cuts, a.cuts[i])
			i++
		} else {
			out.cuts = append(out.cuts, b.cuts[j])
		}
		if r >= 0 {
			j++
		}
	}
}

// listRule is a rule over one field whose first step is a list: nodes by group, and of values not listed and NULL.
type listRule struct {
	first       *list
	groups      []int
	other, null int
}

// listRuleOf gives the list rule of a placement; false for others.
func (p *Placement) listRuleOf() (listRule, bool) {
	first := &p.chain.steps[0]
	if len(p.fields) > 1 || first.list == nil || first.branches != nil || p.except != nil {
		return listRule{}, false
	}
	for i := range p.chain.steps[1:] {
		if p.chain.steps[i+1].field >= 0 || p.chain.steps[i+1].branches != nil {
			return listRule{}, false
		}
	}
	r := listRule{first: first.list, other: NoPlace, null: NoPlace}
	for g := range first.own {
		r.groups = append(r.groups, p.nodeOfNumber(uintNumber(g)))
	}
	if g, ok := first.list.otherwise(); ok {
		r.other = r.groups[g]
	}
	if first.list.null >= 0 {
		r.null = r.groups[first.list.null]
	}
	return r, true
}

// values lists the listed values of both rules, each once.
func (p *Placement) listedValues(rules ...listRule) []Value {
	var out []Value
	seen := &list{ords: map[uint64]uint32{}, keys: map[string]uint32{}, null: -1, signed: p.chain.steps[0].signed}
	for _, r := range rules {
		for _, group := range r.first.groups {
			for _, v := range group {
				if v.Kind != Null && seen.add(&p.chain.steps[0], p.fields, v, 0) {
					out = append(out, v)
				}
			}
		}
	}
	return slices.Clip(out)
}
