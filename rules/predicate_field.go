package rules

import "strings"

// The SQL constants that turn the server's day and second numbers into those since 1970-01-01.
const (
	epochDays    = "719528"
	epochSeconds = "62167219200"
)

// ownField is the condition that the outcome of a step that reads a field is in a set.
func (w *sqlWriter) ownField(st *step, set numSet) cond {
	f, col := &w.p.fields[st.field], w.col[st.field]
	switch {
	case st.kind == StepHash:
		set = set.within(hashCount)
		if set.size(hashCount+1) == hashCount {
			return always
		}
		return inSet(w.hashSQL(st), set)
	case st.kind == StepRing:
		return inSet(w.hashSQL(st), st.ring.hashes(set))
	case st.kind == StepList:
		return f.listSQL(col, st.list, set)
	case st.bounds != nil:
		return f.boundsSQL(col, st.bounds, set)
	case st.kind == StepMod:
		if set = set.within(st.mod); st.mod > 1 && set.size(st.mod) < st.mod {
			return inSet(f.numberSQL(col).mod(st.mod).sql(), set)
		}
		if len(set) == 0 {
			return never
		}
		return f.notNull(col)
	}
	var out []cond
	for _, r := range set {
		if inputs, ok := r.scale(st.width); ok {
			out = append(out, f.numbersSQL(col, inputs))
		}
	}
	return or(out...)
}

func (f *field) notNull(col string) cond {
	if f.typ.Nullable {
		return cond(col + " IS NOT NULL")
	}
	return always
}

// numbersSQL is the condition that the number of a numeric field lies in a range.
func (f *field) numbersSQL(col string, r numRange) cond {
	lowest, highest := f.typ.order().span()
	switch unit := f.typ.timeUnit(); {
	case unit != 0:
		micros, ok := r.scale(unit)
		if !ok {
			return never
		}
		return f.momentsSQL(col, moment(micros.lo), moment(micros.hi))
	case f.typ.Kind == FieldDecimal:
		next, _ := r.hi.next()
		var lo, hi *Value
		if !r.lo.less(intNumber(-1e18)) {
			lo = &Value{Kind: Decimal, S: r.lo.String()}
		}
		if !uintNumber(1e18).less(next) {
			hi = &Value{Kind: Decimal, S: next.String()}
		}
		return f.between(col, lo, hi)
	}
	set := numSet{r}.intersect(numSet{{lowest, highest}})
	if len(set) == 0 {
		return never
	}
	lo, hi := set[0].lo, set[0].hi
	col = f.comparable(col)
	switch {
	case lo == lowest && hi == highest:
		return f.notNull(col)
	case lo == hi:
		return cond(col + " = " + lo.String())
	case lo == lowest:
		return cond(col + " <= " + hi.String())
	case hi == highest:
		return cond(col + " >= " + lo.String())
	}
	return cond(col + " BETWEEN " + lo.String() + " AND " + hi.String())
}

// moment gives microseconds as a value; what is far outside of all times is moved to where it still is.
func moment(micros number) Value {
	const far = 1 << 62
	switch {
	case micros.less(intNumber(-far)):
		return Value{Kind: Time, I: -far}
	case uintNumber(far).less(micros):
		return Value{Kind: Time, I: far}
	}
	return Value{Kind: Time, I: int64(micros.u)}
}

// momentsSQL is the condition that a time field lies between two moments, both included.
func (f *field) momentsSQL(col string, lo, hi Value) cond {
	if lo.I > hi.I || f.typ.Kind != FieldTime && (lo.I > lastMoment || hi.I < firstMoment) {
		return never
	}
	hi.I++
	from, to := &lo, &hi
	if f.typ.Kind == FieldTime {
		if lo.I > longestTime || hi.I <= -longestTime {
			return never
		}
		if lo.I <= -longestTime {
			from = nil
		}
		if hi.I > longestTime {
			to = nil
		}
	} else {
		if lo.I <= firstMoment {
			from = nil
		}
		if hi.I > lastMoment {
			to = nil
		}
	}
	return f.between(col, from, to)
}

// between is the condition that a field lies in [lo, hi) of its own order; nil ends are open.
func (f *field) between(col string, lo, hi *Value) cond {
	c := f.comparable(col)
	out := always
	if lo != nil {
		out = and(out, cond(c+" >= "+f.literalSQL(lo)))
	}
	if hi != nil {
		out = and(out, cond(c+" < "+f.literalSQL(hi)))
	}
	if out == always {
		return f.notNull(col)
	}
	return out
}

// listSQL is the condition that the group of a column's value is in a set.
func (f *field) listSQL(col string, l *list, set numSet) cond {
	rest, hasRest := l.otherwise()
	hasRest = hasRest && set.has(uintNumber(rest))
	var values []string
	for g, group := range l.groups {
		if set.has(uintNumber(uint64(g))) == hasRest {
			continue // with the default in the set, those outside it are listed
		}
		for i := range group {
			if group[i].Kind != Null {
				values = append(values, f.literalSQL(&group[i]))
			}
		}
	}
	c := f.comparable(col)
	var out cond
	switch {
	case len(values) == 0 && hasRest:
		out = f.notNull(col)
	case len(values) == 0:
	case len(values) == 1 && !hasRest:
		out = cond(c + " = " + values[0])
	case hasRest:
		out = cond(c + " NOT IN (" + strings.Join(values, ", ") + ")")
	default:
		out = cond(c + " IN (" + strings.Join(values, ", ") + ")")
	}
	if f.typ.Nullable && l.null >= 0 && set.has(uintNumber(uint64(l.null))) {
		if hasRest && len(values) == 0 {
			return always
		}
		return or(out, cond(col+" IS NULL"))
	}
	return out
}

// boundsSQL is the condition that the interval of a column's value is in a set.
func (f *field) boundsSQL(col string, b *bounds, set numSet) cond {
	var out []cond
	for _, r := range set.intersect(below(uint64(b.intervals()))) {
		from, to := int(r.lo.u), int(r.hi.u)+1
		if b.minOpen {
			from, to = from-1, to-1
		}
		out = append(out, f.between(col, b.at(from), b.at(to)))
	}
	return or(out...)
}

// at gives bound i, nil outside.
func (b *bounds) at(i int) *Value {
	if i < 0 || i >= b.len() {
		return nil
	}
	return &b.values[i]
}

// excepted gives two conditions: that a row is placed on the node by hand, and that it is not placed by hand at all.
func (w *sqlWriter) excepted(node int) (byHand, free cond) {
	e, f, col := w.p.except, &w.p.fields[0], w.col[0]
	pieces := func(node int) cond {
		var out []cond
		for i := 0; i < len(e.nodes); i++ {
			from := i
			for i < len(e.nodes) && e.nodes[i] == node {
				i++
			}
			if i > from {
				out = append(out, f.between(col, e.cuts.at(from-1), e.cuts.at(i-1)))
			}
		}
		return or(out...)
	}
	byHand, free = pieces(node), pieces(NoPlace)
	if f.typ.Nullable {
		free = or(free, cond(col+" IS NULL"))
	}
	return byHand, free
}
