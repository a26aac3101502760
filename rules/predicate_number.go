package rules

import (
	"math/bits"
	"slices"
	"strings"
)

// scale gives the numbers v of the span with floor(v / w) in the range; false when there are none.
func (r numRange) scale(w uint64) (numRange, bool) {
	lo, ok := r.lo.times(w)
	if !ok {
		if !r.lo.neg {
			return r, false // all above the span
		}
		lo = minNumber
	}
	end, ok := r.hi.next()
	if ok {
		end, ok = end.times(w)
	}
	if !ok {
		if r.hi.neg {
			return r, false // all below the span
		}
		return numRange{lo, maxNumber}, true
	}
	hi, ok := end.prev()
	return numRange{lo, hi}, ok
}

// times multiplies; false when the product is outside the span.
func (n number) times(w uint64) (number, bool) {
	if n.neg {
		hi, lo := bits.Mul64(-n.u, w)
		return number{u: -lo, neg: lo != 0}, hi == 0 && lo <= 1<<63
	}
	hi, lo := bits.Mul64(n.u, w)
	return uintNumber(lo), hi == 0
}

// plain says whether the number behind step i can be written as an SQL expression.
func (c *chain) plain(i int) bool {
	st := &c.steps[i]
	if st.refine > 0 || st.branches != nil {
		return false
	}
	switch {
	case st.kind == StepHash, st.kind == StepMod, st.width > 0:
		return st.field >= 0 || c.plain(i-1)
	}
	return false
}

// expression writes the number behind step i, or behind the field that step 0 reads for i = -1 of the step given.
func (w *sqlWriter) expression(c *chain, i int) sqlNumber {
	st := &c.steps[i]
	if st.kind == StepHash {
		return w.hashOf(c, i)
	}
	var in sqlNumber
	if st.field >= 0 {
		in = w.p.fields[st.field].numberSQL(w.col[st.field])
	} else {
		in = w.expression(c, i-1)
	}
	if st.kind == StepMod {
		return in.mod(st.mod)
	}
	return in.div(st.width)
}

// hashOf writes the hash that step i makes.
func (w *sqlWriter) hashOf(c *chain, i int) sqlNumber {
	st := &c.steps[i]
	if st.field >= 0 {
		return sqlNumber{pos: w.hashSQL(st)}
	}
	// + 0: behind RANGE 1 the number is the bare column, whose text has zeros in front if it is ZEROFILL.
	return sqlNumber{pos: crcOfNumber("(" + w.expression(c, i-1).sql() + " + 0)")}
}

// computed is the condition that the outcome of step i, computed by SQL, is in a set.
func (w *sqlWriter) computed(c *chain, i int, set numSet) cond {
	st := &c.steps[i]
	if st.kind == StepRing {
		return inSet(w.hashOf(c, i).sql(), st.ring.hashes(set).within(hashCount))
	}
	return inSet(w.expression(c, i).sql(), set.within(st.own))
}

// sqlNumber is an SQL expression of an integer. Where the integer may be negative, neg writes -1 - value for a value below zero, so that
// division rounds down without leaving the span, and test is the expression whose sign decides.
type sqlNumber struct {
	pos, neg, test string
	// modulus is set once neg is counted from above: the value is modulus - 1 - neg.
	modulus uint64
}

func (n sqlNumber) div(w uint64) sqlNumber {
	if n.modulus != 0 {
		n = sqlNumber{pos: n.sql()}
	}
	if w == 1 {
		return n
	}
	n.pos = "(" + n.pos + " DIV " + utoa(w) + ")"
	if n.neg != "" {
		n.neg = "(" + n.neg + " DIV " + utoa(w) + ")"
		if w >= 1<<63 { // the quotient would be unsigned
			n.neg = "CAST(" + n.neg + " AS SIGNED)"
		}
	}
	return n
}

func (n sqlNumber) mod(m uint64) sqlNumber {
	if n.modulus != 0 {
		n = sqlNumber{pos: n.sql()}
	}
	n.pos = "(" + n.pos + " MOD " + utoa(m) + ")"
	if n.neg != "" {
		n.neg = "(" + n.neg + " MOD " + utoa(m) + ")"
		n.modulus = m
	}
	return n
}

// sql writes the value.
func (n sqlNumber) sql() string {
	if n.neg == "" {
		return n.pos
	}
	below := "-1 - " + n.neg
	if n.modulus != 0 {
		below = utoa(n.modulus-1) + " - " + n.neg
	}
	return "IF(" + n.test + " < 0, " + below + ", " + n.pos + ")"
}

// maxListed is up to how many numbers a range is written out in an IN list.
const maxListed = 3

// inSet is the condition that an integer expression is in a set.
func inSet(expr string, set numSet) cond {
	var listed []string
	var out []cond
	for _, r := range set {
		d, ok := distance(r.lo, r.hi)
		switch {
		case ok && d < maxListed:
			for n := r.lo; ; n, _ = n.next() {
				listed = append(listed, n.String())
				if n == r.hi {
					break
				}
			}
		case r.lo == minNumber && r.hi == maxNumber:
			return cond(expr + " IS NOT NULL")
		case r.lo == minNumber:
			out = append(out, cond(expr+" <= "+r.hi.String()))
		case r.hi == maxNumber:
			out = append(out, cond(expr+" >= "+r.lo.String()))
		default:
			out = append(out, cond(expr+" BETWEEN "+r.lo.String()+" AND "+r.hi.String()))
		}
	}
	switch len(listed) {
	case 0:
	case 1:
		out = slices.Insert(out, 0, cond(expr+" = "+listed[0]))
	default:
		out = slices.Insert(out, 0, cond(expr+" IN ("+strings.Join(listed, ", ")+")"))
	}
	return or(out...)
}

// hashes gives the hashes that the places in the set own.
func (r *ring) hashes(set numSet) numSet {
	var out numSet
	for i, at := range r.points {
		if !set.has(uintNumber(uint64(r.owners[i]))) {
			continue
		}
		end := uint64(hashCount - 1)
		if i+1 < len(r.points) {
			end = uint64(r.points[i+1]) - 1
		} else if r.points[0] > 0 {
			out = append(out, numRange{uintNumber(0), uintNumber(uint64(r.points[0]) - 1)})
		}
		out = append(out, numRange{uintNumber(uint64(at)), uintNumber(end)})
	}
	return out.normal()
}
