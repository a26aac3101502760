package rules

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Strategy) UnmarshalJSON(text []byte) error {
	v, err := readJSON(text)
	if err != nil {
		return errFileSyntax.Wrap(err, err)
	}
	r := &reader{}
	o := r.object(v, "strategy")
	*s = Strategy{}
	for _, m := range o {
		if !r.strategyMember(s, o, m, "strategy") {
			r.fault("strategy."+m.key, "is not known here")
		}
	}
	return errors.Join(r.faults...)
}

// reader turns trees into rules and collects what is wrong, each fault with the path to it.
type reader struct{ faults []error }

func (r *reader) fault(path, what string) { r.faults = append(r.faults, errFileForm.New(path, what)) }

func (r *reader) object(v any, path string) object {
	o, ok := v.(object)
	if !ok {
		r.fault(path, "must be a mapping")
	}
	return o
}

func (r *reader) sequence(v any, path string) sequence {
	s, ok := v.(sequence)
	if !ok {
		r.fault(path, "must be a list")
	}
	return s
}

// text reads a name.
func (r *reader) text(v any, path string) string {
	switch v := v.(type) {
	case string:
		if v != "" {
			return v
		}
	case keyword:
		return string(v)
	}
	r.fault(path, "must be a name")
	return ""
}

func (r *reader) names(v any, path string) []string {
	var out []string
	for i, item := range r.sequence(v, path) {
		out = append(out, r.text(item, fmt.Sprintf("%s[%d]", path, i)))
	}
	return out
}

func (r *reader) unsigned(v any, path string) uint64 {
	n, _ := v.(numeral)
	u, err := strconv.ParseUint(string(n), 10, 64)
	if err != nil {
		r.fault(path, "must be a whole number")
	}
	return u
}

func (r *reader) truth(v any, path string) bool {
	b, ok := v.(bool)
	if !ok || !b {
		r.fault(path, "must be true or left out")
	}
	return ok && b
}

// strategyMember reads one of the members by, steps, on and except; false if it is another one.
func (r *reader) strategyMember(s *Strategy, o object, m member, path string) bool {
	path += "." + m.key
	switch m.key {
	case "by":
		s.By = r.names(m.value, path)
	case "steps":
		var by []string
		if v, ok := o.find("by"); ok {
			by = (&reader{}).names(v, path)
		}
		s.Steps = r.steps(m.value, path, by)
	case "on":
		s.On = r.names(m.value, path)
	case "except":
		for i, item := range r.sequence(m.value, path) {
			s.Except = append(s.Except, r.exception(item, fmt.Sprintf("%s[%d]", path, i)))
		}
	default:
		return false
	}
	return true
}

func (r *reader) exception(v any, path string) Exception {
	var x Exception
	for _, m := range r.object(v, path) {
		switch m.key {
		case "from", "to":
			l := r.literal(m.value, path+"."+m.key)
			if m.key == "from" {
				x.From = &l
			} else {
				x.To = &l
			}
		case "on":
			x.On = r.text(m.value, path+".on")
		default:
			r.fault(path+"."+m.key, "is not known here")
		}
	}
	if x.On == "" {
		r.fault(path, "needs a node (on)")
	}
	return x
}

func (r *reader) literal(v any, path string) Literal {
	switch v := v.(type) {
	case nil:
		return Literal{Null: true}
	case string:
		return Literal{Quoted: true, Text: v}
	case keyword:
		return Literal{Quoted: true, Text: string(v)}
	case bool:
		return Literal{Quoted: true, Text: strconv.FormatBool(v)}
	case numeral:
		if isDecimal(string(v)) {
			return Literal{Text: canonicalDecimal(string(v))}
		}
		r.fault(path, "must be a number in plain digits, or a text in quotes")
		return Literal{}
	case object:
		if text, ok := v.find("hex"); ok && len(v) == 1 {
			digits, _ := text.(string)
			if n, ok := text.(numeral); ok {
				digits = string(n)
			}
			raw, err := hex.DecodeString(digits)
			if err == nil {
				return Literal{Quoted: true, Text: string(raw)}
			}
		}
	}
	r.fault(path, "must be a number, a text, null or {hex: …}")
	return Literal{}
}

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
