package rules

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
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
