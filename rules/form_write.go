package rules

import (
	"encoding/hex"
	"strconv"
	"unicode/utf8"
)

// MarshalJSON writes the strategy in the form of the rules file: {"by": ["user_id"], "steps": [{"range": 10000}, {"mod": 4}], "on": […], "except": […]}.
func (s Strategy) MarshalJSON() ([]byte, error) { return appendJSON(nil, strategyTree(&s)) }

// strategyTree gives the members by, steps, on and except, those that are not empty.
func strategyTree(s *Strategy) object {
	o := object{{"by", names(s.By)}}
	if len(s.Steps) > 0 {
		o = append(o, member{"steps", stepsTree(s.By, s.Steps)})
	}
	if len(s.On) > 0 {
		o = append(o, member{"on", names(s.On)})
	}
	if len(s.Except) > 0 {
		var list sequence
		for _, x := range s.Except {
			e := object{}
			if x.From != nil {
				e = append(e, member{"from", literalTree(*x.From)})
			}
			if x.To != nil {
				e = append(e, member{"to", literalTree(*x.To)})
			}
			list = append(list, append(e, member{"on", x.On}))
		}
		o = append(o, member{"except", list})
	}
	return o
}

func names(list []string) sequence {
	out := make(sequence, len(list))
	for i, n := range list {
		out[i] = n
	}
	return out
}

func literalTree(l Literal) any {
	switch {
	case l.Null:
		return nil
	case !l.Quoted:
		return numeral(l.Text)
	case !utf8.ValidString(l.Text):
		return object{{"hex", hex.EncodeToString([]byte(l.Text))}}
	}
	return l.Text
}

func stepsTree(by []string, steps []Step) sequence {
	out := make(sequence, 0, len(steps))
	for i := range steps {
		out = append(out, stepTree(by, &steps[i]))
	}
	return out
}

func stepTree(by []string, s *Step) any {
	var o object
	switch s.Kind {
	case StepRange:
		if s.Width > 0 {
			o = object{{"range", numeral(strconv.FormatUint(s.Width, 10))}}
			break
		}
		bounds := sequence{}
		if s.MinOpen {
			bounds = append(bounds, object{{"minvalue", true}})
		}
		for _, b := range s.Bounds {
			bounds = append(bounds, literalTree(b))
		}
		if s.MaxOpen {
			bounds = append(bounds, object{{"maxvalue", true}})
		}
		o = object{{"range", object{{"bounds", bounds}}}}
	case StepMod:
		o = object{{"mod", numeral(strconv.FormatUint(s.Mod, 10))}}
	case StepList:
		o = object{{"list", listTree(by, s)}}
	case StepHash:
		o = object{{"hash", true}}
	case StepRing:
		o = object{{"ring", true}}
		if s.VNodes > 0 {
			o = object{{"ring", object{{"vnodes", numeral(strconv.Itoa(s.VNodes))}}}}
		}
	}
	if s.Field > 0 && s.Field < len(by) {
		o = append(o, member{"of", by[s.Field]})
	}
	if len(s.Branches) > 0 && s.Kind != StepList {
		var b object
		for _, k := range sortedKeys(s.Branches) {
			b = append(b, member{strconv.Itoa(k), stepsTree(by, s.Branches[k])})
		}
		o = append(o, member{"branches", b})
	}
	if len(o) == 1 && o[0].value == true {
		return o[0].key
	}
	return o
}

func listTree(by []string, s *Step) sequence {
	other := object{{"default", true}}
	out := sequence{}
	for g := range max(len(s.Lists), s.Default+1) {
		var values sequence
		if g < len(s.Lists) {
			for _, l := range s.Lists[g] {
				values = append(values, literalTree(l))
			}
		}
		sub := s.Branches[g]
		if len(values) == 0 && g == s.Default {
			alone := other
			if len(sub) > 0 {
				alone = object{{"default", true}, {"steps", stepsTree(by, sub)}}
			}
			out = append(out, alone)
			continue
		}
		if g == s.Default {
			values = append(values, other)
		}
		if len(sub) > 0 {
			out = append(out, object{{"values", values}, {"steps", stepsTree(by, sub)}})
			continue
		}
		out = append(out, values)
	}
	return out
}
