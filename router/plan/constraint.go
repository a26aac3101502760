package plan

import (
	"slices"

	"ballast/rules"
)

// cond is what a condition says of one table's balancing fields. It is made when the statement is planned and evaluated at bind time.
// It never says less rows match than do: whatever is not understood is condAny.
type cond struct {
	kind  condKind
	field int
	op    comparison
	args  []operand
	kids  []*cond
	// fields and rows belong to condRows: (a, b) IN ((1, 2), (3, 4)).
	fields []int
	rows   [][]operand
	// inRow says that the comparison is part of a row's, where the server converts constants differently.
	inRow bool
}

type condKind uint8

const (
	condAny condKind = iota
	condNone
	// condCompare is field op args[0].
	condCompare
	// condIn is field IN (args).
	condIn
	// condBetween is field BETWEEN args[0] AND args[1].
	condBetween
	condIsNull
	condAnd
	condOr
	condRows
	// condConst is a constant as a condition: args[0].
	condConst
)

var anyCond = &cond{kind: condAny}

// box is a constraint per balancing field; a list of boxes means any of them.
type box []rules.Constraint

// maxBoxes bounds the alternatives that are kept apart.
const maxBoxes = 4096

// within gives the boxes that remain of in under the condition.
func (c *cond) within(bc *bindCtx, fields []rules.FieldType, in []box) []box {
	switch c.kind {
	case condAny:
		return in
	case condNone:
		return nil
	case condAnd:
		for _, k := range c.kids {
			if in = k.within(bc, fields, in); len(in) == 0 {
				return nil
			}
		}
		return in
	case condOr:
		var out []box
		for _, k := range c.kids {
			out = append(out, k.within(bc, fields, in)...)
		}
		return bounded(out)
	case condConst:
		l, ok := c.args[0].value(bc)
		if ok && isFalse(&l) {
			return nil
		}
		return in
	case condRows:
		return c.withinRows(bc, fields, in)
	}
	k := c.constraint(bc, &fields[c.field], !c.inRow)
	if !k.Known {
		return in
	}
	out := make([]box, 0, len(in))
	for _, b := range in {
		both, ok := intersect(&fields[c.field], b[c.field], k)
		if !ok {
			continue
		}
		nb := slices.Clone(b)
		nb[c.field] = both
		out = append(out, nb)
	}
	return out
}

// withinRows is within for a list of rows. The server compares a column with the whole list in one type, so a position where one row's
// constant leaves doubt says nothing in any row.
func (c *cond) withinRows(bc *bindCtx, fields []rules.FieldType, in []box) []box {
	known := make([]bool, len(c.fields))
	leaves := make([]cond, len(c.fields))
	for i, f := range c.fields {
		known[i] = f >= 0
		for _, row := range c.rows {
			leaves[i] = cond{kind: condCompare, field: max(f, 0), op: opEQ, args: row[i : i+1], inRow: true}
			known[i] = known[i] && leaves[i].constraint(bc, &fields[f], false).Known
		}
	}
	var out []box
	for _, row := range c.rows {
		boxes := in
		for i := range c.fields {
			if known[i] && len(boxes) > 0 {
				leaves[i].args = row[i : i+1]
				boxes = leaves[i].within(bc, fields, boxes)
			}
		}
		out = append(out, boxes...)
	}
	return bounded(out)
}

// bounded unites boxes when they are too many to keep apart.
func bounded(boxes []box) []box {
	if len(boxes) <= maxBoxes {
		return boxes
	}
	one := make(box, len(boxes[0]))
	for i := range one {
		one[i].Known = true
		for _, b := range boxes {
			if !b[i].Known {
				one[i] = rules.Constraint{}
				break
			}
			one[i].Points = append(one[i].Points, b[i].Points...)
			one[i].Intervals = append(one[i].Intervals, b[i].Intervals...)
		}
	}
	return []box{one}
}

// isFalse says whether a literal as a condition is false or NULL for sure.
func isFalse(l *Literal) bool {
	switch l.Kind {
	case LitNull, LitFalse:
		return true
	case LitInt, LitDecimal:
		var buf [24]byte
		n, e := l.numberOf(buf[:0], false)
		return e == exactNumber && len(n.whole)+len(n.frac) == 0
	}
	return false
}

// constraint evaluates a condition on one field.
func (c *cond) constraint(bc *bindCtx, t *rules.FieldType, direct bool) rules.Constraint {
	cmp := comparer{env: bc.env, mariaDB: bc.plan.mariaDB, direct: direct, loose: !direct}
	switch c.kind {
	case condIsNull:
		return rules.Constraint{Known: true, Points: []rules.Value{{Kind: rules.Null}}}
	case condCompare:
		return cmp.compare(bc, t, c.op, &c.args[0])
	case condIn:
		cmp = c.comparer(bc)
		out := rules.Constraint{Known: true}
		for i := range c.args {
			k := cmp.compare(bc, t, opEQ, &c.args[i])
			if !k.Known {
				return rules.Constraint{}
			}
			out.Points = append(out.Points, k.Points...)
		}
		return out
	case condBetween:
		cmp.direct = false
		lo := cmp.compare(bc, t, opGE, &c.args[0])
		hi := cmp.compare(bc, t, opLE, &c.args[1])
		switch {
		case !lo.Known:
			return hi
		case !hi.Known:
			return lo
		case len(lo.Intervals) == 0 || len(hi.Intervals) == 0:
			return rules.Constraint{Known: true}
		}
		iv := lo.Intervals[0]
		iv.Hi, iv.HiOpen = hi.Intervals[0].Hi, hi.Intervals[0].HiOpen
		return rules.Constraint{Known: true, Intervals: []rules.Interval{iv}}
	}
	return rules.Constraint{}
}

// compare gives the constraint that field op operand puts on the field.
func (c comparer) compare(bc *bindCtx, t *rules.FieldType, op comparison, o *operand) rules.Constraint {
	l, ok := o.value(bc)
	if !ok {
		return rules.Constraint{}
	}
	c.direct = c.direct && o.op == 0 && o.cast == castNone
	if l.Kind == LitNull {
		if op == opNullEQ {
			return rules.Constraint{Known: true, Points: []rules.Value{{Kind: rules.Null}}}
		}
		return rules.Constraint{Known: true}
	}
	if op == opEQ || op == opNullEQ {
		v, how := c.equal(t, &l)
		switch how {
		case never:
			return rules.Constraint{Known: true}
		case exact:
			return rules.Constraint{Known: true, Points: []rules.Value{v}}
		}
		return rules.Constraint{}
	}
	if o.cast != castNone && o.cast != castSigned && o.cast != castUnsigned {
		return rules.Constraint{}
	}
	iv, how := c.bound(t, op, &l)
	switch how {
	case never:
		return rules.Constraint{Known: true}
	case always:
		return rules.Constraint{Known: true, Intervals: []rules.Interval{{}}}
	case exact:
		return rules.Constraint{Known: true, Intervals: []rules.Interval{iv}}
	}
	return rules.Constraint{}
}

// allIntegers says whether a list holds plain integers only.
func (c *cond) allIntegers(bc *bindCtx) bool {
	for i := range c.args {
		if l := c.args[i].plain(bc); l != nil && l.Kind == LitInt {
			continue
		}
		if l, ok := c.args[i].value(bc); !ok || l.Kind != LitInt && l.Kind != LitNull {
			return false
		}
	}
	return true
}
