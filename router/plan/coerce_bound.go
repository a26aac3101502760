package plan

import (
	"ballast/rules"
)

// bound gives the interval of the keys whose rows compare with the literal as op says; always and never need no interval.
func (c comparer) bound(t *rules.FieldType, op comparison, l *Literal) (rules.Interval, verdict) {
	switch t.Kind {
	case rules.FieldInt, rules.FieldUint:
		var buf [24]byte
		n, e := l.numberOf(buf[:0], c.mariaDB)
		if e == notNumber || e == textNumber && (!n.isInt() || !n.safeDouble()) || e == doubleNumber && !n.safeDouble() {
			return rules.Interval{}, unsure
		}
		return boundInt(t, op, &n)
	case rules.FieldDecimal:
		return c.boundDecimal(t, op, l)
	}
	v, how := c.equal(t, l)
	if how != exact || t.Kind == rules.FieldYear {
		return rules.Interval{}, unsure
	}
	if (t.Kind == rules.FieldString || t.Kind == rules.FieldBinary) && l.Kind != LitString {
		return rules.Interval{}, unsure
	}
	if t.Kind == rules.FieldString && l.charsetOf(c.env) == "binary" {
		return rules.Interval{}, unsure // compared byte by byte
	}
	return halfOpen(op, v), exact
}

func halfOpen(op comparison, v rules.Value) rules.Interval {
	switch op {
	case opLT:
		return rules.Interval{Hi: &v, HiOpen: true}
	case opLE:
		return rules.Interval{Hi: &v}
	case opGT:
		return rules.Interval{Lo: &v, LoOpen: true}
	}
	return rules.Interval{Lo: &v}
}

// boundInt compares integers with a number that may have a fraction or lie outside the column's span.
func boundInt(t *rules.FieldType, op comparison, n *number) (rules.Interval, verdict) {
	low := op == opLT || op == opLE // the rows wanted are the low ones
	if !n.isInt() {
		// v < 2.5 is v <= 2, v > 2.5 is v > 2; for -2.5 the digits say -2: v < -2.5 is v < -2, v > -2.5 is v >= -2
		switch {
		case low && n.neg:
			op = opLT
		case low:
			op = opLE
		case n.neg:
			op = opGE
		default:
			op = opGT
		}
	}
	sideOf := func(below bool) (rules.Interval, verdict) {
		if below == low {
			return rules.Interval{}, never
		}
		return rules.Interval{}, always
	}
	if t.Kind == rules.FieldUint {
		u, ok := n.magnitude()
		switch {
		case !ok:
			return sideOf(n.neg)
		case n.neg && u > 0:
			return sideOf(true)
		case n.neg: // -0.5
			return sideOf(true)
		}
		return halfOpen(op, rules.Value{Kind: rules.Uint, U: u}), exact
	}
	i, below, above := n.signed()
	if below || above {
		return sideOf(below)
	}
	return halfOpen(op, rules.Value{Kind: rules.Int, I: i}), exact
}

func (c comparer) boundDecimal(t *rules.FieldType, op comparison, l *Literal) (rules.Interval, verdict) {
	var buf [40]byte
	n, e := l.numberOf(buf[:0], c.mariaDB)
	if e != exactNumber {
		return rules.Interval{}, unsure
	}
	low := op == opLT || op == opLE
	if len(n.frac) > t.Scale {
		switch {
		case low && n.neg:
			op = opLT
		case low:
			op = opLE
		case n.neg:
			op = opGE
		default:
			op = opGT
		}
	}
	v, ok := t.Parse(n.text(t.Scale))
	if !ok {
		return rules.Interval{}, unsure
	}
	return halfOpen(op, v), exact
}
