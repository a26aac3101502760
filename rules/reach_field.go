package rules

import "strings"

// reachField gives the outcomes of a step that reads fields.
func (p *Placement) reachField(st *step, cons []Constraint) numSet {
	f, c := &p.fields[st.field], cons[st.field]
	if st.kind == StepHash || st.kind == StepRing {
		return p.reachHashed(st, cons)
	}
	if !c.Known {
		c = Constraint{Points: []Value{{}}, Intervals: []Interval{{}}}
	}
	var out numSet
	key := make([]Value, len(p.fields))
	for _, v := range c.Points {
		key[st.field] = v
		if v.Kind != Null && !f.fits(&v) {
			return below(st.own).orEvery(st)
		}
		n, err := p.takeField(st, key)
		switch {
		case err == nil:
			out = append(out, numRange{n, n})
		case !NoPlaceError(err):
			return below(st.own).orEvery(st)
		}
	}
	if len(c.Intervals) == 0 {
		return out.widened()
	}
	switch {
	case st.kind == StepList:
		out = append(out, st.list.reachIntervals(f, c.Intervals)...)
	case st.bounds != nil:
		for _, s := range f.pieces(st.bounds, Constraint{Intervals: c.Intervals}) {
			out = append(out, st.bounds.outcomes(s)...)
		}
	default:
		for _, iv := range c.Intervals {
			if r, ok := f.numberRange(iv); ok {
				out = append(out, st.reachNumbers(numSet{r})...)
			}
		}
	}
	return out.widened()
}

// orEvery stands for all outcomes of a step: the set itself, or every number where the step is unbounded.
func (s numSet) orEvery(st *step) numSet {
	if st.own == 0 {
		return everyNumber()
	}
	return s
}

// reachHashed evaluates the hash for known points of all its fields.
func (p *Placement) reachHashed(st *step, cons []Constraint) numSet {
	total := 1
	for i := st.field; i < st.end; i++ {
		if !cons[i].Known || len(cons[i].Intervals) > 0 || len(cons[i].Points) == 0 || len(cons[i].Points) > maxKeys/total {
			return below(st.own)
		}
		total *= len(cons[i].Points)
	}
	var out numSet
	key := make([]Value, len(p.fields))
	for n := range total {
		for i := st.field; i < st.end; i++ {
			points := cons[i].Points
			key[i] = points[n%len(points)]
			n /= len(points)
			if key[i].Kind != Null && !p.fields[i].fits(&key[i]) {
				return below(st.own)
			}
		}
		h, err := p.takeField(st, key)
		if err != nil {
			return below(st.own)
		}
		out = append(out, numRange{h, h})
	}
	return out.widened()
}

// numberRange gives the numbers that uniform ranges and mod see of an interval; false when it is empty.
func (f *field) numberRange(iv Interval) (numRange, bool) {
	if f.typ.order() != orderDecimal {
		if iv.Lo != nil && !f.fits(iv.Lo) || iv.Hi != nil && !f.fits(iv.Hi) {
			return numRange{minNumber, maxNumber}, true
		}
		r, ok := f.wholeRange(iv)
		if unit := f.typ.timeUnit(); unit != 0 {
			r.lo, r.hi = r.lo.floorDiv(unit), r.hi.floorDiv(unit)
		}
		return r, ok
	}
	r := numRange{minNumber, uintNumber(1<<63 - 1)}
	if iv.Lo != nil && f.fits(iv.Lo) && decimalFits(iv.Lo.S) {
		r.lo = decimalFloor(iv.Lo.S)
	}
	if iv.Hi != nil && f.fits(iv.Hi) && decimalFits(iv.Hi.S) {
		r.hi = decimalFloor(iv.Hi.S)
		if iv.HiOpen && !strings.Contains(plainDecimal(iv.Hi.S), ".") {
			r.hi, _ = r.hi.prev()
		}
	}
	return r, !r.hi.less(r.lo)
}

// decimalFits says whether the floor of a decimal fits a number.
func decimalFits(s string) bool {
	_, whole, _ := splitDecimal(s)
	return len(whole) <= maxNumberDigits
}

// reachIntervals gives the groups of listed values that lie in the intervals, and the default.
func (l *list) reachIntervals(f *field, intervals []Interval) numSet {
	var out numSet
	for g, values := range l.groups {
		for i := range values {
			if values[i].Kind != Null && f.inAny(&values[i], intervals) {
				out = append(out, numRange{uintNumber(uint64(g)), uintNumber(uint64(g))})
				break
			}
		}
	}
	if g, ok := l.otherwise(); ok {
		out = append(out, numRange{uintNumber(g), uintNumber(g)})
	}
	return out
}

// inAny says whether a value lies in one of the intervals; true as well when that can't be told.
func (f *field) inAny(v *Value, intervals []Interval) bool {
	for _, iv := range intervals {
		if f.within(v, iv) {
			return true
		}
	}
	return false
}

func (f *field) within(v *Value, iv Interval) bool {
	if iv.Lo != nil && f.fits(iv.Lo) {
		r, err := f.compare(v, iv.Lo)
		if err == nil && (r < 0 || r == 0 && iv.LoOpen) {
			return false
		}
	}
	if iv.Hi != nil && f.fits(iv.Hi) {
		r, err := f.compare(v, iv.Hi)
		if err == nil && (r > 0 || r == 0 && iv.HiOpen) {
			return false
		}
	}
	return true
}
