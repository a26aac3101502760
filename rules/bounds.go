package rules

import "sort"

// bounds are the compiled bounds of a range step, rising. One of ords, decs and keys is used.
type bounds struct {
	order order
	// ords holds 64-bit integers as ordinals, decs plain decimals, keys the keys of a collation.
	ords []uint64
	decs []string
	keys [][]byte
	f    *field // of keys
	// values are the bounds as values of the field (as integers for numbers), for SQL and sentences.
	values           []Value
	minOpen, maxOpen bool
}

func (b *bounds) len() int { return len(b.values) }

// intervals is the number of intervals, open ends included.
func (b *bounds) intervals() int {
	n := b.len() - 1
	if b.minOpen {
		n++
	}
	if b.maxOpen {
		n++
	}
	return n
}

// outcome turns the number of bounds at or below a value into the interval's number; false outside all of them.
func (b *bounds) outcome(below int) (uint64, bool) {
	if !b.minOpen {
		below--
	}
	if below < 0 || below >= b.intervals() {
		return 0, false
	}
	return uint64(below), true
}

// below counts the bounds that are at or below an ordinal.
func (b *bounds) below(o uint64) int {
	lo, hi := 0, len(b.ords)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if b.ords[mid] <= o {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// belowValue counts the bounds at or below a value that fits f.
func (b *bounds) belowValue(f *field, v *Value) (int, error) {
	switch b.order {
	case orderDecimal:
		return sort.Search(len(b.decs), func(i int) bool { return compareDecimal(b.decs[i], v.S) > 0 }), nil
	case orderKey:
		var buf [keyBuffer]byte
		key, err := f.appendKey(buf[:0], v)
		if err != nil {
			return 0, err
		}
		return sort.Search(len(b.keys), func(i int) bool { return f.compareKeys(b.keys[i], key) > 0 }), nil
	default:
		return b.below(ordinal(whole(v), b.order == orderSigned)), nil
	}
}

// keyBuffer is the room for a key on the stack; longer keys allocate.
const keyBuffer = 256

func (c *compiler) boundsStep(st *step, s *Step, in uint64) {
	b := &bounds{minOpen: s.MinOpen, maxOpen: s.MaxOpen, order: orderUnsigned}
	if st.field < 0 && st.signed {
		b.order = orderSigned
	}
	if st.field >= 0 {
		b.f = &c.fields[st.field]
		b.order = b.f.typ.order()
	}
	before := len(c.faults)
	b.values = make([]Value, 0, len(s.Bounds))
	for i, l := range s.Bounds {
		v, ok := c.boundValue(b, l)
		if !ok {
			c.fault(errLiteralType.New("bound number "+itoa(i+1), c.inputName(st)))
			continue
		}
		b.add(v)
	}
	if len(c.faults) > before {
		return
	}
	if b.intervals() < 1 {
		c.fault(errBoundsFew.New())
		return
	}
	for i := 1; i < b.len(); i++ {
		if !b.rises(i) {
			c.fault(errBoundsOrder.New(i + 1))
		}
	}
	st.bounds, st.own = b, uint64(b.intervals())
	if in > 0 && len(c.faults) == before {
		c.coverBounds(b, in)
	}
}

func (c *compiler) boundValue(b *bounds, l Literal) (Value, bool) {
	if b.f != nil {
		return b.f.bound(l)
	}
	n, ok := parseNumber(l.Text)
	if !ok || l.Null || l.Quoted || b.order == orderSigned && !n.neg && n.u >= 1<<63 || b.order == orderUnsigned && n.neg {
		return Value{}, false
	}
	return numberValue(n), true
}

func numberValue(n number) Value {
	if n.neg || n.u < 1<<63 {
		return Value{Kind: Int, I: int64(n.u)}
	}
	return Value{Kind: Uint, U: n.u}
}

func (b *bounds) add(v Value) {
	b.values = append(b.values, v)
	switch b.order {
	case orderDecimal:
		b.decs = append(b.decs, v.S)
	case orderKey:
		key, err := b.f.appendKey(nil, &v)
		if err == nil { // checked with the literal
			b.keys = append(b.keys, key)
		}
	default:
		b.ords = append(b.ords, ordinal(whole(&v), b.order == orderSigned))
	}
}

// rises says whether bound i is above bound i-1.
func (b *bounds) rises(i int) bool {
	switch b.order {
	case orderDecimal:
		return compareDecimal(b.decs[i-1], b.decs[i]) < 0
	case orderKey:
		return b.f.compareKeys(b.keys[i-1], b.keys[i]) < 0
	default:
		return b.ords[i-1] < b.ords[i]
	}
}

// coverBounds checks that the outcomes 0..in-1 of the step before all lie inside.
func (c *compiler) coverBounds(b *bounds, in uint64) {
	for _, n := range []uint64{0, in - 1} {
		if _, ok := b.outcome(b.below(ordinal(uintNumber(n), b.order == orderSigned))); !ok {
			c.fault(errGap.New(utoa(n), "the bounds behind it"))
			return
		}
	}
}

func (c *compiler) inputName(st *step) string {
	if st.field < 0 {
		return "the number of the step before"
	}
	return c.fields[st.field].name
}
