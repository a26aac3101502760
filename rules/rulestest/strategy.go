package rulestest

import (
	"sort"
	"strconv"

	"ballast/rules"
)

// Strategy makes a strategy over fields of the given types and the nodes n0, n1, …. About half of what it makes does not compile.
func Strategy(c Chooser, types []rules.FieldType, nodes int) rules.Strategy {
	s := rules.Strategy{}
	for i := range types {
		s.By = append(s.By, "k"+strconv.Itoa(i))
	}
	s.Steps = steps(c, types, 0, 2, nodes)
	if last := s.Steps[len(s.Steps)-1]; c.IntN(2) == 0 && last.Kind != rules.StepRing {
		s.Steps = append(s.Steps, rules.Step{Kind: rules.StepMod, Mod: uint64(pick(c, 1, nodes, nodes*16, 7))})
	}
	if c.IntN(3) == 0 {
		for range 1 + c.IntN(3) {
			s.Except = append(s.Except, exception(c, types[0], nodes))
		}
	}
	return s
}

// steps makes a few steps, the first of which reads a field.
func steps(c Chooser, types []rules.FieldType, field, depth, nodes int) []rules.Step {
	var out []rules.Step
	for i := range 1 + c.IntN(3) {
		t := types[field]
		read := i == 0
		if i > 0 && len(types) > 1 && c.IntN(3) == 0 {
			read, t = true, types[1]
		}
		s := number(c)
		if read {
			s = first(c, t)
			if i > 0 {
				s.Field = 1
			}
		}
		if s.Kind != rules.StepHash && s.Kind != rules.StepRing && depth > 0 && c.IntN(4) == 0 {
			s.Branches = map[int][]rules.Step{}
			for range 1 + c.IntN(2) {
				s.Branches[c.IntN(3)] = append(steps(c, types, min(field+1, len(types)-1), depth-1, nodes), rules.Step{Kind: rules.StepMod, Mod: uint64(1 + c.IntN(4))})
			}
		}
		out = append(out, s)
		if s.Kind == rules.StepRing {
			break
		}
	}
	return out
}

func width(c Chooser) uint64 {
	return pick[uint64](c, 1, 2, 7, 10000, 1<<31, 1<<40, 1<<63-1, 1<<63, 1<<64-1)
}

// first makes a step that reads a field.
func first(c Chooser, t rules.FieldType) rules.Step {
	switch c.IntN(6) {
	case 0:
		return rules.Step{Kind: rules.StepRange, Width: width(c)}
	case 1:
		return rules.Step{Kind: rules.StepMod, Mod: width(c)}
	case 2:
		return list(c, func() rules.Literal { return Literal(t, Value(c, t)) }, t.Nullable)
	case 3:
		return boundsOf(c, t)
	case 4:
		return rules.Step{Kind: rules.StepRing, VNodes: pick(c, 0, 1, 3, 20)}
	}
	return rules.Step{Kind: rules.StepHash}
}

// number makes a step that reads the number of the step before.
func number(c Chooser) rules.Step {
	small := func() rules.Literal { return rules.Literal{Text: strconv.Itoa(c.IntN(10) - 1)} }
	switch c.IntN(6) {
	case 0:
		return rules.Step{Kind: rules.StepRange, Width: width(c)}
	case 1:
		return list(c, small, false)
	case 2:
		s := rules.Step{Kind: rules.StepRange, MinOpen: c.IntN(2) == 0, MaxOpen: c.IntN(2) == 0}
		at := -1
		for range 1 + c.IntN(4) {
			at += 1 + c.IntN(3)
			s.Bounds = append(s.Bounds, rules.Literal{Text: strconv.Itoa(at)})
		}
		return s
	case 3:
		return pick(c, rules.Step{Kind: rules.StepHash}, rules.Step{Kind: rules.StepRing, VNodes: 5})
	}
	return rules.Step{Kind: rules.StepMod, Mod: uint64(1 + c.IntN(40))}
}

func list(c Chooser, value func() rules.Literal, null bool) rules.Step {
	s := rules.Step{Kind: rules.StepList, Default: -1}
	for range 1 + c.IntN(3) {
		var group []rules.Literal
		for range 1 + c.IntN(3) {
			group = append(group, value())
		}
		s.Lists = append(s.Lists, group)
	}
	if null && c.IntN(2) == 0 {
		s.Lists[0] = append(s.Lists[0], rules.Literal{Null: true})
	}
	if c.IntN(2) == 0 {
		s.Default = c.IntN(len(s.Lists) + 1)
	}
	return s
}

// boundsOf makes bounds of a field, mostly in order.
func boundsOf(c Chooser, t rules.FieldType) rules.Step {
	s := rules.Step{Kind: rules.StepRange, MinOpen: c.IntN(2) == 0, MaxOpen: c.IntN(2) == 0}
	var values []rules.Value
	for range 1 + c.IntN(4) {
		values = append(values, Value(c, t))
	}
	sort.Slice(values, func(i, j int) bool { return t.Compare(values[i], values[j]) < 0 })
	for i, v := range values {
		if i == 0 || t.Compare(values[i-1], v) != 0 {
			s.Bounds = append(s.Bounds, Literal(t, v))
		}
	}
	return s
}

func exception(c Chooser, t rules.FieldType, nodes int) rules.Exception {
	from, to := Value(c, t), Value(c, t)
	if t.Compare(from, to) > 0 {
		from, to = to, from
	}
	x := rules.Exception{On: "n" + strconv.Itoa(c.IntN(nodes))}
	if c.IntN(5) > 0 {
		l := Literal(t, from)
		x.From = &l
	}
	if c.IntN(5) > 0 {
		l := Literal(t, to)
		x.To = &l
	}
	return x
}

// Literal writes a value as a rule does.
func Literal(t rules.FieldType, v rules.Value) rules.Literal {
	switch t.Kind {
	case rules.FieldInt, rules.FieldUint, rules.FieldYear, rules.FieldDecimal:
		return rules.Literal{Text: t.Text(v)}
	default:
		return rules.Literal{Quoted: true, Text: t.Text(v)}
	}
}

// Nodes names n nodes.
func Nodes(n int) []rules.NodeRef {
	out := make([]rules.NodeRef, n)
	for i := range out {
		out[i] = rules.NodeRef{Name: "n" + strconv.Itoa(i), Weight: 100}
	}
	return out
}
