package rules

import (
	"strconv"
	"strings"
	"time"

	"ballast/rules/collate"
)

// Parse reads a value of the type from its text as MySQL prints it: digits, a decimal, the string itself, 'YYYY-MM-DD',
// 'YYYY-MM-DD hh:mm:ss.ffffff' (UTC for TIMESTAMP), '-hhh:mm:ss.ffffff'. False when the text is no such value or out of the column's range.
func (t FieldType) Parse(text string) (Value, bool) {
	switch t.Kind {
	case FieldInt, FieldUint, FieldYear:
		n, ok := parseNumber(text)
		if !ok || !t.holds(n) {
			return Value{}, false
		}
		if t.Kind == FieldUint {
			return Value{Kind: Uint, U: n.u}, true
		}
		return Value{Kind: Int, I: int64(n.u)}, true
	case FieldDecimal:
		return t.parseDecimal(text)
	case FieldString:
		coll, ok := collate.Lookup(t.Collation)
		return Value{Kind: Bytes, S: text}, ok && coll.Holds(text)
	case FieldBinary:
		return Value{Kind: Bytes, S: text}, t.Length == 0 || len(text) <= t.Length
	case FieldDate:
		at, err := time.Parse(time.DateOnly, text)
		return Value{Kind: Time, I: at.UnixMicro()}, err == nil && at.Year() > 0
	case FieldDateTime, FieldTimestamp:
		return t.parseDateTime(text)
	case FieldTime:
		return t.parseTime(text)
	default:
		return Value{}, false
	}
}

// parseNumber reads an integer of the joint span of int64 and uint64.
func parseNumber(text string) (number, bool) {
	if strings.HasPrefix(text, "-") {
		i, err := strconv.ParseInt(text, 10, 64)
		return intNumber(i), err == nil
	}
	u, err := strconv.ParseUint(text, 10, 64)
	return uintNumber(u), err == nil
}

// holds says whether an integer column of the type holds n.
func (t FieldType) holds(n number) bool {
	lo, hi := t.span()
	return !n.less(lo) && !hi.less(n)
}

// span gives the least and the greatest integer of an integer type; a type of unknown width counts as 64 bits wide.
func (t FieldType) span() (lo, hi number) {
	if t.Kind == FieldYear {
		return uintNumber(0), uintNumber(2155)
	}
	width := uint(t.Bits)
	if width == 0 || width > 64 {
		width = 64
	}
	if t.Kind == FieldUint {
		return uintNumber(0), uintNumber(^uint64(0) >> (64 - width))
	}
	top := int64(1)<<(width-1) - 1
	return intNumber(-top - 1), intNumber(top)
}

func (t FieldType) parseDecimal(text string) (Value, bool) {
	if !isDecimal(text) {
		return Value{}, false
	}
	text = canonicalDecimal(text)
	_, whole, frac := splitDecimal(text)
	return Value{Kind: Decimal, S: text}, len(frac) <= t.Scale && (t.Length == 0 || len(whole) <= t.Length-t.Scale)
}

func (t FieldType) parseDateTime(text string) (Value, bool) {
	layout := time.DateTime
	switch {
	case len(text) == len(time.DateOnly):
		layout = time.DateOnly
	case !fractionFits(text, len(time.DateTime), t.Scale):
		return Value{}, false
	}
	at, err := time.Parse(layout, text)
	return Value{Kind: Time, I: at.UnixMicro()}, err == nil && at.Year() > 0 && (t.Kind != FieldTimestamp || at.Unix() >= 0)
}

// fractionFits says whether a time of n characters is followed by nothing or by a point and 1 to scale digits.
func fractionFits(text string, n, scale int) bool {
	if len(text) == n {
		return true
	}
	return len(text) > n+1 && text[n] == '.' && len(text)-n-1 <= scale && digits(text[n+1:])
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func (t FieldType) parseTime(text string) (Value, bool) {
	rest, neg := strings.CutPrefix(text, "-")
	parts := strings.SplitN(rest, ":", 3)
	if len(parts) != 3 || len(parts[2]) < 2 || !fractionFits(parts[2], 2, t.Scale) {
		return Value{}, false
	}
	sec, frac, _ := strings.Cut(parts[2], ".")
	if !digits(parts[0]) || len(parts[0]) > 3 || !digits(parts[1]) || len(parts[1]) != 2 || !digits(sec) {
		return Value{}, false
	}
	h, m, s, micros := smallNumber(parts[0]), smallNumber(parts[1]), smallNumber(sec), smallNumber((frac + "000000")[:6])
	if h > 838 || m > 59 || s > 59 {
		return Value{}, false
	}
	total := ((h*60+m)*60+s)*microsPerSecond + micros
	if neg {
		total = -total
	}
	return Value{Kind: Time, I: total}, true
}

// smallNumber reads a few digits.
func smallNumber(digits string) int64 {
	var n int64
	for i := 0; i < len(digits); i++ {
		n = n*10 + int64(digits[i]-'0')
	}
	return n
}

// value gives the value that a literal of a rule means for a field; false if it is no value of the field's type. Numbers are written
// without quotes, everything else with.
func (f *field) value(l Literal) (Value, bool) {
	if l.Null {
		return Value{}, true
	}
	quoted := true
	switch f.typ.Kind {
	case FieldInt, FieldUint, FieldYear, FieldDecimal:
		quoted = false
	default:
	}
	if l.Quoted != quoted {
		return Value{}, false
	}
	return f.typ.Parse(l.Text)
}

// bound gives the value of a literal that bounds a range: like value, but a number may lie beyond the column's own width.
func (f *field) bound(l Literal) (Value, bool) {
	wide := *f
	switch f.typ.Kind {
	case FieldInt, FieldUint:
		wide.typ.Bits = 64
	case FieldDecimal:
		wide.typ.Length = 0
	case FieldBinary:
		wide.typ.Length = 0
	default:
	}
	v, ok := wide.value(l)
	return v, ok && !l.Null
}
