package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (r *reader) steps(v any, path string, by []string) []Step {
	list := r.sequence(v, path)
	if strings.Count(path, ".") > 3*maxDepth {
		r.fault(path, "is nested too deep")
		return nil
	}
	out := make([]Step, 0, len(list))
	for i, item := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		if name, ok := item.(string); ok {
			item = object{{name, true}}
		}
		out = append(out, r.step(r.object(item, at), at, by))
	}
	return out
}

func (r *reader) step(o object, path string, by []string) Step {
	var s Step
	for _, m := range o {
		at := path + "." + m.key
		kind := StepKind(0)
		switch m.key {
		case "range":
			kind = StepRange
			r.rangeStep(&s, m.value, at)
		case "mod":
			kind = StepMod
			s.Mod = r.unsigned(m.value, at)
		case "list":
			kind = StepList
			r.listStep(&s, m.value, at, by)
		case "hash":
			kind = StepHash
			r.truth(m.value, at)
		case "ring":
			kind = StepRing
			r.ringStep(&s, m.value, at)
		case "of":
			name := r.text(m.value, at)
			s.Field = slices.IndexFunc(by, func(f string) bool { return strings.EqualFold(f, name) })
			if s.Field < 0 {
				r.fault(at, "is none of the fields (by)")
				s.Field = 0
			}
		case "branches":
			for _, b := range r.object(m.value, at) {
				i, err := strconv.Atoi(b.key)
				if err != nil || i < 0 {
					r.fault(at+"."+b.key, "must be the number of an outcome")
					continue
				}
				r.branch(&s, i, b.value, at+"."+b.key, by)
			}
		default:
			r.fault(at, "is no step (range, mod, list, hash, ring) and no part of one")
		}
		if kind != 0 && s.Kind != 0 {
			r.fault(at, "is a second step in one; write each step as its own item")
		}
		s.Kind = max(s.Kind, kind)
	}
	if s.Kind == 0 {
		r.fault(path, "is no step (range, mod, list, hash, ring)")
	}
	return s
}

func (r *reader) branch(s *Step, i int, v any, path string, by []string) {
	if s.Branches == nil {
		s.Branches = map[int][]Step{}
	}
	s.Branches[i] = r.steps(v, path, by)
	if len(s.Branches[i]) == 0 {
		r.fault(path, "needs steps")
	}
}

func (r *reader) rangeStep(s *Step, v any, path string) {
	o, ok := v.(object)
	if !ok {
		if s.Width = r.unsigned(v, path); s.Width == 0 {
			r.fault(path, "must be at least 1")
		}
		return
	}
	bounds, ok := o.find("bounds")
	if !ok || len(o) != 1 {
		r.fault(path, "must be a width or {bounds: […]}")
		return
	}
	list := r.sequence(bounds, path+".bounds")
	for i, item := range list {
		switch {
		case isWord(item, "MINVALUE") && i == 0:
			s.MinOpen = true
		case isWord(item, "MAXVALUE") && i == len(list)-1:
			s.MaxOpen = true
		default:
			s.Bounds = append(s.Bounds, r.literal(item, fmt.Sprintf("%s.bounds[%d]", path, i)))
		}
	}
}

// isWord says whether an item is the keyword, or {keyword: true}.
func isWord(v any, word string) bool {
	if o, ok := v.(object); ok {
		return len(o) == 1 && o[0].key == strings.ToLower(word) && o[0].value == true
	}
	return v == keyword(word)
}

func (r *reader) ringStep(s *Step, v any, path string) {
	o, ok := v.(object)
	if !ok {
		r.truth(v, path)
		return
	}
	n, ok := o.find("vnodes")
	if !ok || len(o) != 1 {
		r.fault(path, "must be true or {vnodes: N}")
		return
	}
	s.VNodes = int(min(r.unsigned(n, path+".vnodes"), maxVNodes+1))
}

func (r *reader) listStep(s *Step, v any, path string, by []string) {
	s.Default = -1
	for g, item := range r.sequence(v, path) {
		at := fmt.Sprintf("%s[%d]", path, g)
		if isWord(item, "DEFAULT") {
			r.otherwise(s, g, at)
			continue
		}
		if o, ok := item.(object); ok {
			item = r.group(s, g, o, at, by)
			if item == nil {
				continue
			}
		}
		var values []Literal
		for i, value := range r.sequence(item, at) {
			if isWord(value, "DEFAULT") {
				r.otherwise(s, g, at)
				continue
			}
			values = append(values, r.literal(value, fmt.Sprintf("%s[%d]", at, i)))
		}
		s.Lists = append(fillLists(s.Lists, g), values)
	}
}

func (r *reader) otherwise(s *Step, group int, path string) {
	if s.Default >= 0 {
		r.fault(path, "is a second default")
	}
	s.Default = group
}

// group reads a group with a sub-strategy; it gives its values, nil for the default alone.
func (r *reader) group(s *Step, g int, o object, path string, by []string) any {
	var values any
	for _, m := range o {
		switch m.key {
		case "values":
			values = m.value
		case "default":
			if r.truth(m.value, path+".default") {
				r.otherwise(s, g, path)
			}
		case "steps":
			r.branch(s, g, m.value, path+".steps", by)
		default:
			r.fault(path+"."+m.key, "is not known here")
		}
	}
	if values == nil && s.Default != g {
		r.fault(path, "needs values")
	}
	return values
}
