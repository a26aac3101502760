package rules

import (
	"slices"
	"strconv"
)

// Strategy gives the strategy that was compiled; a copy, free to change.
func (p *Placement) Strategy() Strategy { return p.strategy.clone() }

// Pinned gives the strategy with its nodes written out, so that it means the same when nodes join.
func (p *Placement) Pinned() Strategy {
	s := p.Strategy()
	if len(s.On) == 0 {
		for _, n := range p.on {
			s.On = append(s.On, p.nodes[n].Name)
		}
	}
	return s
}

// Fields gives the types of the balancing fields.
func (p *Placement) Fields() []FieldType {
	out := make([]FieldType, len(p.fields))
	for i := range p.fields {
		out[i] = p.fields[i].typ
	}
	return out
}

// NodeName gives the name of the node with the index.
func (p *Placement) NodeName(node int) string {
	if node < 0 || node >= len(p.nodes) {
		return "no node"
	}
	return p.nodes[node].Name
}

// String gives the step as SQL without its parentheses: "range 10000", "mod 32", "list", "hash".
func (s *Step) String() string {
	switch s.Kind {
	case StepRange:
		if s.Width > 0 {
			return "range " + strconv.FormatUint(s.Width, 10)
		}
		return "range"
	case StepMod:
		return "mod " + strconv.FormatUint(s.Mod, 10)
	case StepList:
		return "list"
	case StepHash:
		return "hash"
	case StepRing:
		return "ring"
	}
	return "step"
}

func (s Strategy) clone() Strategy {
	s.By = slices.Clone(s.By)
	s.On = slices.Clone(s.On)
	s.Steps = cloneSteps(s.Steps)
	s.Except = slices.Clone(s.Except)
	return s
}

func cloneSteps(steps []Step) []Step {
	out := slices.Clone(steps)
	for i := range out {
		s := &out[i]
		s.Bounds = slices.Clone(s.Bounds)
		if s.Lists != nil {
			lists := make([][]Literal, len(s.Lists))
			for j := range lists {
				lists[j] = slices.Clone(s.Lists[j])
			}
			s.Lists = lists
		}
		if s.Branches != nil {
			branches := make(map[int][]Step, len(s.Branches))
			for k, b := range s.Branches {
				branches[k] = cloneSteps(b)
			}
			s.Branches = branches
		}
	}
	return out
}
