package rules

import "slices"

// Ordered gives the nodes in the order of the first field: reading them one after the other, each in that order, yields the values sorted. It is false
// when no such order exists. NULL, where it has a place, is on the first node, as MySQL sorts it first. The slice is shared: don't change it.
func (p *Placement) Ordered() ([]int, bool) { return p.order() }

func (p *Placement) ordered() ([]int, bool) {
	nodes, ok := p.sequence()
	if !ok {
		return nil, false
	}
	if p.fields[0].typ.Nullable {
		if null := nodeOr(p, []Value{{}}); null != NoPlace {
			nodes = append([]int{null}, nodes...)
		}
	}
	var out []int
	seen := make(map[int]bool, len(p.nodes))
	for _, n := range nodes {
		if n == NoPlace || len(out) > 0 && out[len(out)-1] == n {
			continue
		}
		if seen[n] {
			return nil, false
		}
		seen[n] = true
		out = append(out, n)
	}
	return slices.Clip(out), true
}

// sequence gives the nodes along the first field of a rule that is constant on pieces of it.
func (p *Placement) sequence() ([]int, bool) {
	if len(p.fields) > 1 {
		return nil, false
	}
	if a := p.axisOf(); a.kind == axisField {
		pieces, ok := p.pieces(a)
		nodes := make([]int, 0, len(pieces))
		for i := range pieces {
			if pieces[i].form == formCyclic {
				return nil, false
			}
			nodes = append(nodes, pieces[i].node())
		}
		return nodes, ok
	}
	s, ok := p.stairsOf()
	return s.nodes, ok
}
