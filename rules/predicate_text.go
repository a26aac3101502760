package rules

import (
	"encoding/hex"
	"strings"
)

// comparable writes a column so that comparing it with literalSQL means comparing values, whatever the session is. It is the bare column, which an index
// serves, except for types whose comparison depends on the session or on the literal.
func (f *field) comparable(col string) string {
	switch f.typ.Kind {
	case FieldTimestamp: // literals are read in the session's zone, and twice a year are ambiguous
		return "UNIX_TIMESTAMP(" + col + ")"
	case FieldYear: // literals below 100 mean years of this or the last century
		return "(" + col + " + 0)"
	default:
		return col
	}
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
	default:
		return whole(v).String()
	}
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
		text := "CAST((" + col + " + 0) AS CHAR CHARACTER SET latin1)" // + 0: ZEROFILL shows in the text otherwise
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
		h = crcOfNumber("(" + col + " + 0)")
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
