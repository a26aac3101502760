package rules

import (
	"math/bits"
	"slices"
)

// A rule that reads one field (or one hash) is a function of an axis, the integers that the field's values or the hash can be. On each piece of the axis
// it is constant or repeats itself. This is what Diff and Ordered work with; rules that are no such function are handled by their predicates alone.

// axisKind says what integers an axis consists of.
type axisKind uint8

const (
	axisNone  axisKind = iota
	axisField          // the field's values: integers, microseconds of times, floors of decimals
	axisHash           // the hash of the fields from axis.field to axis.end
)

// axis is what a rule is a function of.
type axis struct {
	kind       axisKind
	field, end int
}

// piece is a part of the axis and what the rule makes of it: floor(x / width), that mod modulus looked up in table, or a constant.
type piece struct {
	numRange
	form  pieceForm
	width uint64
	table []number // by residue, for cyclic
	value number   // for constant
}

type pieceForm uint8

const (
	formQuotient pieceForm = iota + 1
	formCyclic
	formConstant
	formNone // the rule has no place
)

// The limits of the analysis; beyond them a rule is handled by its predicates.
const (
	maxPieces  = 1 << 20
	maxModulus = 1 << 16
)

// axisOf says what the placement is a function of.
func (p *Placement) axisOf() axis {
	first := &p.chain.steps[0]
	for i := range p.chain.steps[1:] {
		if p.chain.steps[i+1].field >= 0 {
			return axis{}
		}
	}
	if first.kind == StepHash || first.kind == StepRing {
		if p.except != nil || first.end-first.field != len(p.fields) || first.branches != nil {
			return axis{}
		}
		return axis{axisHash, first.field, first.end}
	}
	if len(p.fields) > 1 || !p.wholeAxis() {
		return axis{}
	}
	return axis{axisField, 0, 1}
}

// wholeAxis says whether the first field's values count as integers for everything that reads it, exceptions included.
func (p *Placement) wholeAxis() bool {
	switch f := &p.fields[0]; f.typ.order() {
	case orderKey:
		return false
	case orderDecimal:
		return f.typ.Length-f.typ.Scale <= maxNumberDigits && p.chain.wholeDecimals() && (p.except == nil || wholeValues(p.except.cuts.values))
	}
	return true
}

// wholeDecimals says whether a chain compares decimals with whole numbers only.
func (c *chain) wholeDecimals() bool {
	for i := range c.steps {
		st := &c.steps[i]
		if st.field >= 0 && (st.list != nil || st.bounds != nil && !wholeValues(st.bounds.values)) {
			return false
		}
		for _, sub := range st.branches {
			if sub != nil && !sub.wholeDecimals() {
				return false
			}
		}
	}
	return true
}

func wholeValues(values []Value) bool {
	for i := range values {
		if _, ok := parseNumber(plainDecimal(values[i].S)); !ok {
			return false
		}
	}
	return true
}

// pieces gives the node of every integer of the axis; false when the analysis gives up.
func (p *Placement) pieces(a axis) ([]piece, bool) {
	all := numRange{uintNumber(0), uintNumber(hashCount - 1)}
	if a.kind == axisField {
		all = p.fields[0].axisSpan()
	}
	parts, ok := p.chainPieces(p.chain, piece{numRange: all, form: formQuotient, width: 1}, a)
	if !ok {
		return nil, false
	}
	var out []piece
	for _, part := range parts {
		out = append(out, p.toNodes(part)...)
	}
	if p.except != nil {
		out = p.overlay(out)
	}
	return joinPieces(out), len(out) <= maxPieces
}

// chainPieces walks a chain over a piece of the axis.
func (p *Placement) chainPieces(c *chain, over piece, a axis) ([]piece, bool) {
	now := []piece{over}
	for i := range c.steps {
		st := &c.steps[i]
		var next []piece
		for _, part := range now {
			parts, ok := p.stepPieces(st, part, a)
			if ok && st.branches != nil {
				parts, ok = p.branchPieces(st, parts, over, a)
			}
			if !ok || len(next)+len(parts) > maxPieces {
				return nil, false
			}
			next = append(next, parts...)
		}
		now = next
	}
	return now, true
}

// stepPieces applies a step to a piece.
func (p *Placement) stepPieces(st *step, part piece, a axis) ([]piece, bool) {
	if part.form == formConstant || part.form == formCyclic {
		return p.mapPiece(st, part)
	}
	if part.form == formNone {
		return []piece{part}, true
	}
	if st.field >= 0 && a.kind == axisField && (st.mod > 0 || st.width > 0) {
		if unit := p.fields[st.field].typ.timeUnit(); unit != 0 {
			part.width = unit
		}
	}
	switch {
	case st.kind == StepHash || st.kind == StepRing:
		if st.field < 0 || a.kind != axisHash {
			return nil, false
		}
		if st.kind == StepRing {
			return st.ring.pieces(), true
		}
		return []piece{part}, true
	case st.width > 0:
		hi, width := bits.Mul64(part.width, st.width)
		if hi == 0 {
			part.width = width
			return []piece{part}, true
		}
		return part.splitAt([]number{uintNumber(0)}, func(r numRange) (number, bool) {
			return intNumber(map[bool]int64{true: -1}[r.lo.neg]), true
		}), true
	case st.mod > 0:
		if st.mod > maxModulus {
			return nil, false
		}
		part.form, part.table = formCyclic, make([]number, st.mod)
		for i := range part.table {
			part.table[i] = uintNumber(uint64(i))
		}
		return []piece{part}, true
	case st.bounds != nil:
		return p.boundPieces(st, part), true
	case st.list != nil:
		return p.listPieces(st, part), true
	}
	return nil, false
}

// mapPiece applies a step to the numbers of a constant or cyclic piece. A cyclic piece in which some numbers have no place keeps them as missing.
func (p *Placement) mapPiece(st *step, part piece) ([]piece, bool) {
	take := func(n number) number {
		if n == missing {
			return missing
		}
		out, err := p.take(st, n, nil)
		if err != nil {
			return missing
		}
		return out
	}
	if st.field >= 0 {
		return nil, false
	}
	if part.form == formConstant {
		part.value = take(part.value)
		if part.value == missing {
			part.form = formNone
		}
		return []piece{part}, true
	}
	table := make([]number, len(part.table))
	for i, n := range part.table {
		table[i] = take(n)
	}
	part.table = table
	return []piece{part}, true
}

// missing stands for "no place" in tables; it is no outcome that a place could have.
var missing = minNumber

// splitAt cuts a piece before each of the rising numbers and makes every part constant.
func (pc piece) splitAt(cuts []number, value func(numRange) (number, bool)) []piece {
	var out []piece
	add := func(r numRange) {
		part := piece{numRange: r, form: formNone}
		if v, ok := value(r); ok {
			part.form, part.value = formConstant, v
		}
		out = append(out, part)
	}
	from := pc.lo
	for _, cut := range cuts {
		if !from.less(cut) || pc.hi.less(cut) {
			continue
		}
		before, _ := cut.prev() // above from
		add(numRange{from, before})
		from = cut
	}
	add(numRange{from, pc.hi})
	return out
}

// cutsOf gives where the quotient floor(x / width) becomes each of the rising numbers.
func (pc piece) cutsOf(quotients []number) []number {
	cuts := make([]number, 0, len(quotients))
	for _, q := range quotients {
		if at, ok := q.times(pc.width); ok {
			cuts = append(cuts, at)
		}
	}
	return cuts
}

// axisSpan gives the integers that values of the field can be.
func (f *field) axisSpan() numRange {
	switch f.typ.Kind {
	case FieldDate, FieldDateTime:
		return numRange{intNumber(firstMoment), intNumber(lastMoment)}
	case FieldTimestamp:
		return numRange{intNumber(0), intNumber(lastMoment)}
	case FieldTime:
		return numRange{intNumber(-longestTime), intNumber(longestTime)}
	}
	lo, hi := f.typ.order().span()
	return numRange{lo, hi}
}

// after gives the axis place of the value that follows a value of the field.
func (f *field) after(n number) (number, bool) {
	step := int64(1)
	switch {
	case f.typ.Kind == FieldDate:
		step = microsPerDay
	case f.typ.timeUnit() != 0:
		step = microsPerSecond
		for range f.typ.Scale {
			step /= 10
		}
	default:
		return n.next()
	}
	return intNumber(int64(n.u) + step), true
}

// axisNumber gives the place of a field's value on the axis.
func (f *field) axisNumber(v *Value) number {
	if v.Kind == Decimal {
		return decimalFloor(v.S)
	}
	return whole(v)
}

func (p *Placement) boundPieces(st *step, part piece) []piece {
	cuts := make([]number, st.bounds.len())
	for i := range cuts {
		v := &st.bounds.values[i]
		cuts[i] = whole(v)
		if st.field >= 0 {
			cuts[i] = p.fields[st.field].axisNumber(v)
		}
	}
	return part.splitAt(part.cutsOf(cuts), func(r numRange) (number, bool) {
		q := r.lo.floorDiv(part.width)
		n, _ := slices.BinarySearchFunc(cuts, q, compareNumbers)
		if n < len(cuts) && cuts[n] == q {
			n++
		}
		out, ok := st.bounds.outcome(n)
		return uintNumber(out), ok
	})
}

func compareNumbers(a, b number) int {
	switch {
	case a.less(b):
		return -1
	case b.less(a):
		return 1
	}
	return 0
}

func (p *Placement) listPieces(st *step, part piece) []piece {
	var cuts []number
	for o := range st.list.ords {
		n := fromOrdinal(o, st.list.signed)
		after, ok := n.next()
		if st.field >= 0 {
			after, ok = p.fields[st.field].after(n)
		}
		cuts = append(cuts, n)
		if ok {
			cuts = append(cuts, after)
		}
	}
	slices.SortFunc(cuts, compareNumbers)
	cuts = slices.Compact(cuts)
	return part.splitAt(part.cutsOf(cuts), func(r numRange) (number, bool) {
		out, ok := st.list.ofNumber(r.lo.floorDiv(part.width))
		return uintNumber(out), ok
	})
}

// branchPieces follows constant outcomes into their sub-strategies, which read the same field again.
func (p *Placement) branchPieces(st *step, parts []piece, over piece, a axis) ([]piece, bool) {
	var out []piece
	for _, part := range parts {
		switch part.form {
		case formNone:
			out = append(out, part)
			continue
		case formCyclic:
			table := make([]number, len(part.table))
			for i, n := range part.table {
				table[i] = n
				if n == missing {
					continue
				}
				if st.branches[n.u] != nil {
					return nil, false
				}
				table[i] = uintNumber(st.offsets[n.u])
			}
			part.table = table
			out = append(out, part)
			continue
		case formQuotient:
			return nil, false
		}
		sub, offset := st.branches[part.value.u], st.offsets[part.value.u]
		if sub == nil {
			part.value = uintNumber(offset)
			out = append(out, part)
			continue
		}
		inner, ok := p.chainPieces(sub, piece{numRange: part.numRange, form: formQuotient, width: 1}, a)
		if !ok || a.kind != axisField || len(out)+len(inner) > maxPieces {
			return nil, false
		}
		for _, in := range inner {
			out = append(out, in.shiftBy(offset))
		}
	}
	return out, true
}

func (pc piece) shiftBy(offset uint64) piece {
	switch pc.form {
	case formConstant:
		pc.value = uintNumber(pc.value.u + offset)
	case formCyclic:
		table := make([]number, len(pc.table))
		for i, n := range pc.table {
			table[i] = n
			if n != missing {
				table[i] = uintNumber(n.u + offset)
			}
		}
		pc.table = table
	}
	return pc
}

// pieces gives the hashes that each place owns.
func (r *ring) pieces() []piece {
	var cuts []number
	for _, at := range r.points {
		cuts = append(cuts, uintNumber(uint64(at)))
	}
	whole := piece{numRange: numRange{uintNumber(0), uintNumber(hashCount - 1)}}
	return whole.splitAt(cuts, func(p numRange) (number, bool) { return uintNumber(r.owner(uint32(p.lo.u))), true })
}
