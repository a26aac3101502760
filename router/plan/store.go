package plan

import (
	"strings"
	"time"
	"unicode/utf8"

	"ballast/rules"
	"ballast/rules/catalog"
)

// outcome says what storing a literal in a column comes to.
type outcome uint8

const (
	// storesUnsure: only the server can tell what it would store.
	storesUnsure outcome = iota
	// stores: the value is known.
	stores
	// fails: the server refuses the row for sure, and nothing is stored.
	fails
)

// storer turns literals into the keys that the server would store.
type storer struct {
	env     *Env
	mariaDB bool
	// strict: a value that does not fit is an error (strict sql_mode and no IGNORE).
	strict bool
	// single says that the statement has one row: then NULL for a NOT NULL column is an error in every mode but IGNORE.
	single, ignore bool
}

// value gives what the column would hold after the literal was stored in it.
func (s storer) value(c *catalog.Column, l *Literal) (v rules.Value, how outcome, why string) {
	t := &c.Field
	switch {
	case l.Kind == LitNull:
		return s.null(c)
	case l.Kind == LitDefault:
		return s.byDefault(c, true)
	case l.minus && l.Kind != LitInt && l.Kind != LitDecimal && l.Kind != LitFloat:
		return v, storesUnsure, "a minus sign before something that is no number"
	}
	switch t.Kind {
	case rules.FieldInt, rules.FieldUint, rules.FieldYear:
		return s.integer(t, l)
	case rules.FieldDecimal:
		return s.decimal(t, l)
	case rules.FieldString:
		return s.text(t, l)
	case rules.FieldBinary:
		return s.binary(t, l)
	case rules.FieldDate, rules.FieldDateTime, rules.FieldTimestamp, rules.FieldTime:
		return s.temporal(t, l)
	}
	return v, storesUnsure, "the column's type"
}

const noSequence = "no sequence generates its values"

// null gives what NULL becomes.
func (s storer) null(c *catalog.Column) (rules.Value, outcome, string) {
	switch {
	case c.AutoIncrement:
		return rules.Value{}, storesUnsure, noSequence
	case c.Nullable:
		return rules.Value{Kind: rules.Null}, stores, ""
	case c.Field.Kind == rules.FieldTimestamp:
		return rules.Value{}, storesUnsure, "NULL may become the current time"
	case !s.ignore && (s.single || s.strict):
		return rules.Value{}, fails, ""
	}
	return implicitDefault(c)
}

// byDefault gives what a column gets that the row leaves out, or names DEFAULT for.
func (s storer) byDefault(c *catalog.Column, named bool) (rules.Value, outcome, string) {
	switch {
	case c.AutoIncrement:
		return rules.Value{}, storesUnsure, noSequence
	case c.Generated:
		return rules.Value{}, storesUnsure, "the column is generated"
	case c.DefaultExpr:
		return rules.Value{}, storesUnsure, "its default is an expression"
	case c.HasDefault && c.Default != nil:
		if v, ok := c.Field.Parse(*c.Default); ok {
			return v, stores, ""
		}
		return rules.Value{}, storesUnsure, "its default"
	case c.Nullable:
		return rules.Value{Kind: rules.Null}, stores, ""
	case s.strict:
		return rules.Value{}, fails, ""
	case named:
		return rules.Value{}, storesUnsure, "it has no default"
	}
	return implicitDefault(c)
}

// implicitDefault is what the server stores in a NOT NULL column where it may not fail.
func implicitDefault(c *catalog.Column) (rules.Value, outcome, string) {
	switch c.Field.Kind {
	case rules.FieldInt, rules.FieldUint, rules.FieldYear, rules.FieldDecimal:
		if v, ok := c.Field.Parse("0"); ok {
			return v, stores, ""
		}
	case rules.FieldString, rules.FieldBinary:
		return rules.Value{Kind: rules.Bytes}, stores, ""
	}
	return rules.Value{}, storesUnsure, "the column's implicit default"
}

func (s storer) integer(t *rules.FieldType, l *Literal) (v rules.Value, how outcome, why string) {
	if v, ok := plainKey(t, l); ok {
		return v, stores, ""
	}
	var buf [24]byte
	n, e := l.numberOf(buf[:0], s.mariaDB)
	switch {
	case e == notNumber && l.Kind == LitString && s.strict && noNumber(l.Bytes(nil)):
		return v, fails, ""
	case e == notNumber:
		return v, storesUnsure, "not a plain number"
	case e != exactNumber && !n.isInt():
		return v, storesUnsure, "a fraction that is rounded"
	case e == doubleNumber && !n.safeDouble():
		return v, storesUnsure, "a floating-point number"
	case t.Kind == rules.FieldYear:
		if v, how := (comparer{env: s.env}).equalInt(t, &n, exactNumber); how == exact {
			return v, stores, ""
		}
		return v, storesUnsure, "a year outside 1901 to 2155"
	}
	n = n.rounded(0)
	if v, ok := holdsInt(t, &n); ok {
		return v, stores, ""
	}
	if s.strict {
		return v, fails, "" // out of range
	}
	return clamp(t, n.neg), stores, ""
}

// plainKey gives the value of an integer column for a literal of a few digits that fits; ok is false for any other.
func plainKey(t *rules.FieldType, l *Literal) (v rules.Value, ok bool) {
	u, ok := l.plainInt()
	if !ok || t.Kind != rules.FieldInt && t.Kind != rules.FieldUint {
		return v, false
	}
	max := clamp(t, false)
	return intValue(t, u), u <= unsigned(&max)
}

// holdsInt gives the value of an integer column; ok is false outside its span.
func holdsInt(t *rules.FieldType, n *number) (v rules.Value, ok bool) {
	if t.Kind == rules.FieldUint {
		u, ok := n.magnitude()
		return rules.Value{Kind: rules.Uint, U: u}, ok && (!n.neg || u == 0) && u <= clamp(t, false).U
	}
	i, below, above := n.signed()
	return rules.Value{Kind: rules.Int, I: i}, !below && !above && i <= clamp(t, false).I && i >= clamp(t, true).I
}

// clamp gives the end of an integer type's span.
func clamp(t *rules.FieldType, low bool) rules.Value {
	bits := t.Bits
	if bits == 0 {
		bits = 64
	}
	switch {
	case t.Kind == rules.FieldUint && low:
		return rules.Value{Kind: rules.Uint}
	case t.Kind == rules.FieldUint:
		return rules.Value{Kind: rules.Uint, U: ^uint64(0) >> (64 - bits)}
	case low:
		return rules.Value{Kind: rules.Int, I: -1 << (bits - 1)}
	}
	return rules.Value{Kind: rules.Int, I: 1<<(bits-1) - 1}
}

// noNumber says whether a text has no number at its beginning at all, so that a strict server refuses it for a numeric column.
func noNumber(b []byte) bool {
	b = trimSpaces(b)
	if len(b) == 0 {
		return true
	}
	c := b[0]
	return class[c] != clDigit && c != '-' && c != '+' && c != '.'
}

func (s storer) decimal(t *rules.FieldType, l *Literal) (v rules.Value, how outcome, why string) {
	var buf [40]byte
	n, e := l.numberOf(buf[:0], s.mariaDB)
	switch {
	case e == notNumber && l.Kind == LitString && s.strict && noNumber(l.Bytes(nil)):
		return v, fails, ""
	case e == notNumber, e == doubleNumber && !n.isInt():
		return v, storesUnsure, "not a plain decimal number"
	}
	n = n.rounded(t.Scale)
	if v, ok := t.Parse(n.text(t.Scale)); ok {
		return v, stores, ""
	}
	if s.strict {
		return v, fails, ""
	}
	return v, storesUnsure, "out of range"
}

// rounded rounds half away from zero to scale digits behind the point.
func (n number) rounded(scale int) number {
	if len(n.frac) <= scale {
		return n
	}
	up := n.frac[scale] >= '5'
	digits := append(append(make([]byte, 1, len(n.whole)+scale+1), n.whole...), n.frac[:scale]...)
	digits[0] = '0'
	if up {
		for i := len(digits) - 1; ; i-- {
			if digits[i] != '9' {
				digits[i]++
				break
			}
			digits[i] = '0'
		}
	}
	out, _ := parseNumber(append(append(append([]byte{}, digits[:len(digits)-scale]...), '.'), digits[len(digits)-scale:]...))
	out.neg = n.neg && len(out.whole)+len(out.frac) > 0
	return out
}

func (s storer) text(t *rules.FieldType, l *Literal) (v rules.Value, how outcome, why string) {
	text, ok := s.written(l)
	switch {
	case !ok:
		return v, storesUnsure, "its text is the server's to form"
	case !holds(t.Collation, text):
		return v, storesUnsure, "the column's character set can't hold it"
	}
	if len(text) <= t.Length || t.Length == 0 || utf8.RuneCountInString(text) <= t.Length {
		return rules.Value{Kind: rules.Bytes, S: text}, stores, ""
	}
	at := 0
	for range t.Length {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	if s.strict && strings.Trim(text[at:], " ") != "" {
		return v, fails, ""
	}
	return rules.Value{Kind: rules.Bytes, S: text[:at]}, stores, ""
}

// written gives a literal as the text that it becomes in a string column.
func (s storer) written(l *Literal) (string, bool) {
	switch l.Kind {
	case LitString, LitHexNumber, LitHexString, LitBit, LitBytes:
		return l.utf8Of(s.env, "utf8mb4")
	case LitInt:
		var buf [24]byte
		n, e := l.numberOf(buf[:0], s.mariaDB)
		return n.text(0), e == exactNumber
	case LitTrue:
		return "1", true
	case LitFalse:
		return "0", true
	case LitDate:
		text := unsafeString(l.Bytes(nil))
		_, err := time.Parse(time.DateOnly, text)
		return text, err == nil
	}
	return "", false
}

func (s storer) binary(t *rules.FieldType, l *Literal) (v rules.Value, how outcome, why string) {
	b, ok := (comparer{env: s.env}).bytes(l)
	if !ok {
		text, ok := s.written(l)
		if !ok || l.Kind == LitString {
			return v, storesUnsure, "its bytes are the server's to form"
		}
		b = []byte(text)
	}
	if t.Length > 0 && len(b) > t.Length {
		if s.strict {
			return v, fails, ""
		}
		b = b[:t.Length]
	}
	return rules.Value{Kind: rules.Bytes, S: unsafeString(b)}, stores, ""
}

func (s storer) temporal(t *rules.FieldType, l *Literal) (v rules.Value, how outcome, why string) {
	text := ""
	switch l.Kind {
	case LitString, LitDate, LitTime, LitTimestamp:
		text = unsafeString(l.Bytes(nil))
	case LitInt:
		text = unsafeString(l.Raw)
		if l.minus || len(text) != len("20060102") && len(text) != len("20060102150405") {
			return v, storesUnsure, "not written as a date or time"
		}
	default:
		return v, storesUnsure, "not written as a date or time"
	}
	if t.Kind != rules.FieldTime && t.Kind != rules.FieldYear {
		text = fullDate(text)
	}
	if t.Kind == rules.FieldDate && len(text) == len(time.DateTime) {
		if _, err := time.Parse(time.DateTime, text); err == nil {
			text = text[:len(time.DateOnly)] // the time is cut off
		}
	}
	if t.Kind == rules.FieldTimestamp {
		if _, known := zoneOffset(s.env.TimeZone); !known {
			return v, storesUnsure, "the session's time zone is no offset such as '+00:00'"
		}
	}
	if v, ok := parseTemporal(t, s.env, text); ok && !l.introduced {
		return v, stores, ""
	}
	return v, storesUnsure, "not in the form YYYY-MM-DD hh:mm:ss"
}
