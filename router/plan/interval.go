package plan

import (
	"ballast/rules"
)

// inWords says whether values of the type can be compared here: numbers and times of 64 bits. Decimals and texts are left to the rules.
func inWords(t *rules.FieldType) bool {
	switch t.Kind {
	case rules.FieldString, rules.FieldBinary, rules.FieldDecimal:
		return false
	}
	return true
}

// less compares two values of an ordered type.
func less(a, b *rules.Value) bool {
	if a.Kind == rules.Uint || b.Kind == rules.Uint {
		return unsigned(a) < unsigned(b)
	}
	return a.I < b.I
}

func unsigned(v *rules.Value) uint64 {
	if v.Kind == rules.Uint {
		return v.U
	}
	return uint64(v.I)
}

// intersect gives what remains of a field under two constraints, or a set around it; ok is false if nothing remains.
func intersect(t *rules.FieldType, a, b rules.Constraint) (out rules.Constraint, ok bool) {
	switch {
	case !a.Known:
		return b, !b.Known || len(b.Points)+len(b.Intervals) > 0
	case !b.Known:
		return a, len(a.Points)+len(a.Intervals) > 0
	}
	out.Known = true
	if !inWords(t) {
		switch {
		case len(a.Points)+len(a.Intervals) == 0 || len(b.Points)+len(b.Intervals) == 0:
			return out, false
		case len(b.Intervals) == 0 && (len(a.Intervals) > 0 || len(b.Points) < len(a.Points)):
			return b, true
		}
		return a, true
	}
	for i := range a.Points {
		if contains(&b, &a.Points[i]) {
			out.Points = append(out.Points, a.Points[i])
		}
	}
	for i := range b.Points {
		if inIntervals(a.Intervals, &b.Points[i]) {
			out.Points = append(out.Points, b.Points[i])
		}
	}
	for _, x := range a.Intervals {
		for _, y := range b.Intervals {
			if iv, any := overlap(x, y); any {
				out.Intervals = append(out.Intervals, iv)
			}
		}
	}
	return out, len(out.Points)+len(out.Intervals) > 0
}

// contains says whether a value of an ordered type satisfies a known constraint.
func contains(c *rules.Constraint, v *rules.Value) bool {
	for i := range c.Points {
		p := &c.Points[i]
		if v.Kind == rules.Null || p.Kind == rules.Null {
			if v.Kind == p.Kind {
				return true
			}
			continue
		}
		if !less(p, v) && !less(v, p) {
			return true
		}
	}
	return inIntervals(c.Intervals, v)
}

func inIntervals(ivs []rules.Interval, v *rules.Value) bool {
	if v.Kind == rules.Null {
		return false
	}
	for i := range ivs {
		iv := &ivs[i]
		if iv.Lo != nil && (less(v, iv.Lo) || iv.LoOpen && !less(iv.Lo, v)) {
			continue
		}
		if iv.Hi != nil && (less(iv.Hi, v) || iv.HiOpen && !less(v, iv.Hi)) {
			continue
		}
		return true
	}
	return false
}

// overlap intersects two intervals of an ordered type.
func overlap(a, b rules.Interval) (rules.Interval, bool) {
	out := a
	if b.Lo != nil && (out.Lo == nil || less(out.Lo, b.Lo) || b.LoOpen && !less(b.Lo, out.Lo)) {
		out.Lo, out.LoOpen = b.Lo, b.LoOpen
	}
	if b.Hi != nil && (out.Hi == nil || less(b.Hi, out.Hi) || b.HiOpen && !less(out.Hi, b.Hi)) {
		out.Hi, out.HiOpen = b.Hi, b.HiOpen
	}
	if out.Lo != nil && out.Hi != nil {
		if less(out.Hi, out.Lo) || (out.LoOpen || out.HiOpen) && !less(out.Lo, out.Hi) {
			return out, false
		}
	}
	return out, true
}
