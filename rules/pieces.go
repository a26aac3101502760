package rules

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
	default:
		return true
	}
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
	default:
	}
	lo, hi := f.typ.order().span()
	return numRange{lo, hi}
}

// after gives the axis place of the value that follows a value of the field.
func (f *field) after(n number) (number, bool) {
	unit := f.typ.timeUnit()
	switch unit {
	case 0:
		return n.next()
	case microsPerSecond:
		for range f.typ.Scale {
			unit /= 10
		}
	}
	return intNumber(int64(n.u + unit)), true
}

// axisNumber gives the place of a field's value on the axis.
func (f *field) axisNumber(v *Value) number {
	if v.Kind == Decimal {
		return decimalFloor(v.S)
	}
	return whole(v)
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

// pieces gives the hashes that each place owns.
func (r *ring) pieces() []piece {
	var cuts []number
	for _, at := range r.points {
		cuts = append(cuts, uintNumber(uint64(at)))
	}
	whole := piece{numRange: numRange{uintNumber(0), uintNumber(hashCount - 1)}}
	return whole.splitAt(cuts, func(p numRange) (number, bool) { return uintNumber(r.owner(uint32(p.lo.u))), true })
}
