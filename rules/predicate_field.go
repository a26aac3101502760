package rules

import (
	"encoding/hex"
	"strings"
)

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

// comparable writes a column so that comparing it with literalSQL means comparing values, whatever the session is. It is the bare column, which an index
// serves, except for types whose comparison depends on the session or on the literal.
func (f *field) comparable(col string) string {
	switch f.typ.Kind {
	case FieldTimestamp: // literals are read in the session's zone, and twice a year are ambiguous
		return "UNIX_TIMESTAMP(" + col + ")"
	case FieldYear: // literals below 100 mean years of this or the last century
		return "(" + col + " + 0)"
	}
	return col
}

// literalSQL writes a value for comparing with comparable.
func (f *field) literalSQL(v *Value) string {
	switch f.typ.Kind {
	case FieldDecimal:
		return plainDecimal(v.S)
	case FieldDate:
		return "DATE'" + f.typ.timeText(v.I) + "'"
	case FieldDateTime:
		return "TIMESTAMP'" + f.typ.timeText(v.I) + "'"
	case FieldTime:
		return "TIME'" + f.typ.timeText(v.I) + "'"
	case FieldTimestamp:
		return secondsText(v.I)
	case FieldString:
		return f.stringSQL(v.S)
	case FieldBinary:
		key, err := f.appendKey(nil, v) // never errs for bytes
		if err != nil {
			return "NULL"
		}
		return "X'" + strings.ToUpper(hex.EncodeToString(key)) + "'"
	}
	return whole(v).String()
}

// secondsText writes microseconds as seconds with a fraction.
func secondsText(micros int64) string {
	sec := micros / microsPerSecond
	if frac := micros % microsPerSecond; frac != 0 {
		return itoa(int(sec)) + fraction(frac)
	}
	return itoa(int(sec))
}

// stringSQL writes a string in the column's character set.
func (f *field) stringSQL(s string) string {
	if f.typ.Fixed { // as the column reads
		s = strings.TrimRight(s, " ")
	}
	raw, ok := f.coll.Encode(nil, s)
	if !ok { // refused when the rule was compiled
		return "NULL"
	}
	simple := true
	for _, c := range raw {
		simple = simple && c >= ' ' && c < 0x7F && c != '\'' && c != '\\'
	}
	if simple {
		return "_" + f.coll.Charset() + "'" + string(raw) + "'"
	}
	return "_" + f.coll.Charset() + " X'" + strings.ToUpper(hex.EncodeToString(raw)) + "'"
}

// numberSQL writes what uniform ranges and mod see of a column.
func (f *field) numberSQL(col string) sqlNumber {
	var n string
	switch f.typ.Kind {
	case FieldUint, FieldYear:
		return sqlNumber{pos: f.comparable(col)}
	case FieldDecimal:
		n = "CAST(FLOOR(" + col + ") AS SIGNED)"
	case FieldDate:
		n = "(TO_DAYS(" + col + ") - " + epochDays + ")"
	case FieldDateTime:
		n = "(TO_SECONDS(" + col + ") - " + epochSeconds + ")"
	case FieldTime:
		n = "(TO_SECONDS(" + momentOfTime(col) + ") - " + epochSeconds + ")"
	case FieldTimestamp:
		return sqlNumber{pos: "CAST(FLOOR(UNIX_TIMESTAMP(" + col + ")) AS SIGNED)"} // never below zero
	default:
		n = col
	}
	return sqlNumber{pos: n, neg: "(-1 - " + n + ")", test: n}
}

// momentOfTime turns a TIME into the moment that lies as far from 1970-01-01, so that the date functions round it down.
func momentOfTime(col string) string {
	return "ADDTIME(TIMESTAMP'1970-01-01 00:00:00.000000', " + col + ")"
}

// crcOfNumber hashes the decimal text of an integer expression.
func crcOfNumber(n string) string { return "CRC32(CAST(" + n + " AS CHAR CHARACTER SET latin1))" }

// hashSQL writes the hash of the fields that a step reads.
func (w *sqlWriter) hashSQL(st *step) string {
	if st.end == st.field+1 {
		return w.p.fields[st.field].hashSQL(w.col[st.field])
	}
	parts := make([]string, 0, st.end-st.field)
	for i := st.field; i < st.end; i++ {
		parts = append(parts, "CAST("+w.p.fields[i].hashSQL(w.col[i])+" AS CHAR CHARACTER SET latin1)")
	}
	return "CRC32(CONCAT(" + strings.Join(parts, ", _latin1',', ") + "))"
}

// hashSQL writes the hash of a column.
func (f *field) hashSQL(col string) string {
	var h string
	switch f.typ.Kind {
	case FieldDecimal:
		text := "CAST(" + col + " AS CHAR CHARACTER SET latin1)"
		if f.typ.Scale > 0 {
			text = "TRIM(TRAILING _latin1'.' FROM TRIM(TRAILING _latin1'0' FROM " + text + "))"
		}
		h = "CRC32(" + text + ")"
	case FieldDate:
		h = crcOfNumber("(TO_DAYS(" + col + ") - " + epochDays + ") * 86400000000")
	case FieldDateTime:
		h = crcOfNumber("(TO_SECONDS(" + col + ") - " + epochSeconds + ") * 1000000 + MICROSECOND(" + col + ")")
	case FieldTime:
		m := momentOfTime(col)
		h = crcOfNumber("(TO_SECONDS(" + m + ") - " + epochSeconds + ") * 1000000 + MICROSECOND(" + m + ")")
	case FieldTimestamp:
		h = crcOfNumber("CAST(UNIX_TIMESTAMP(" + col + ") * 1000000 AS SIGNED)")
	case FieldString:
		h = "CRC32(" + f.keySQL(col) + ")"
	case FieldBinary:
		h = "CRC32(" + col + ")"
	default:
		h = crcOfNumber(f.comparable(col))
	}
	if f.typ.Nullable {
		return "IFNULL(" + h + ", 0)"
	}
	return h
}

// keySQL writes the key of a string column, as package collate computes it.
func (f *field) keySQL(col string) string {
	if f.typ.Fixed || f.coll.PadSpace() {
		col = "RTRIM(" + col + ")"
	}
	if f.coll.ByBytes() {
		return col
	}
	return "WEIGHT_STRING(" + col + ")"
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
