package plan

import (
	"strings"
	"time"

	"ballast/rules"
)

// verdict says what comparing a column with a literal comes to.
type verdict uint8

const (
	// unsure: any row may match; nothing is pruned.
	unsure verdict = iota
	// never: no row can match.
	never
	// always: every row that is not NULL matches.
	always
	// exact: the value, or the interval's end, is known.
	exact
)

// comparison is the operator between a column and a constant.
type comparison uint8

const (
	opEQ comparison = iota
	opNullEQ
	opLT
	opLE
	opGT
	opGE
)

// mirrored gives the operator with its sides swapped.
func (c comparison) mirrored() comparison {
	switch c {
	case opLT:
		return opGT
	case opLE:
		return opGE
	case opGT:
		return opLT
	case opGE:
		return opLE
	}
	return c
}

// comparer turns literals into keys for comparing, by the rules that the server compares a column with a constant by. Whatever is not
// certain comes out unsure.
type comparer struct {
	env     *Env
	mariaDB bool
	// direct says that the constant stands alone opposite the column, so that the server converts a string to the column's integer type
	// rather than both sides to doubles.
	direct bool
	// loose says that a constant which fits no value of the column may be bent by the server until it does (inside rows, and in lists of
	// several types): then nothing is sure but equal values.
	loose bool
}

// equal gives the key whose rows are those that equal the literal.
func (c comparer) equal(t *rules.FieldType, l *Literal) (rules.Value, verdict) {
	if c.loose && (l.Kind == LitHexNumber || l.Kind == LitHexString || l.Kind == LitBit) {
		return rules.Value{}, unsure // a number or a string, as the server likes
	}
	v, how := c.equalTo(t, l)
	if how == never && c.loose {
		how = unsure
	}
	return v, how
}

func (c comparer) equalTo(t *rules.FieldType, l *Literal) (rules.Value, verdict) {
	switch t.Kind {
	case rules.FieldInt, rules.FieldUint, rules.FieldYear:
		if u, ok := l.plainInt(); ok && t.Kind != rules.FieldYear {
			return intValue(t, u), exact
		}
		var buf [24]byte
		n, e := l.numberOf(buf[:0], c.mariaDB)
		return c.equalInt(t, &n, e)
	case rules.FieldDecimal:
		return c.equalDecimal(t, l)
	case rules.FieldString:
		s, ok := c.text(t, l)
		if !ok {
			return rules.Value{}, unsure
		}
		return rules.Value{Kind: rules.Bytes, S: s}, exact
	case rules.FieldBinary:
		b, ok := c.bytes(l)
		if !ok {
			return rules.Value{}, unsure
		}
		return rules.Value{Kind: rules.Bytes, S: unsafeString(b)}, exact
	case rules.FieldDate, rules.FieldDateTime, rules.FieldTimestamp, rules.FieldTime:
		return c.temporal(t, l)
	}
	return rules.Value{}, unsure
}

// intValue is a number below 2^63 as a value of an integer column.
func intValue(t *rules.FieldType, u uint64) rules.Value {
	if t.Kind == rules.FieldUint {
		return rules.Value{Kind: rules.Uint, U: u}
	}
	return rules.Value{Kind: rules.Int, I: int64(u)}
}

func (c comparer) equalInt(t *rules.FieldType, n *number, e exactness) (rules.Value, verdict) {
	switch e {
	case notNumber:
		return rules.Value{}, unsure
	case textNumber:
		if !n.isInt() || !n.safeDouble() && !c.direct {
			return rules.Value{}, unsure
		}
	case doubleNumber:
		if !n.safeDouble() {
			return rules.Value{}, unsure
		}
	}
	if !n.isInt() && t.Kind != rules.FieldYear {
		return rules.Value{}, never
	}
	if t.Kind == rules.FieldYear {
		i, below, above := n.signed()
		if !n.isInt() || below || above || i <= 1900 || i > 2155 {
			return rules.Value{}, unsure // 70 means 1970
		}
		return rules.Value{Kind: rules.Int, I: i}, exact
	}
	if t.Kind == rules.FieldUint {
		u, ok := n.magnitude()
		if n.neg || !ok {
			return rules.Value{}, outside(e)
		}
		return rules.Value{Kind: rules.Uint, U: u}, exact
	}
	i, below, above := n.signed()
	if below || above {
		return rules.Value{}, outside(e)
	}
	return rules.Value{Kind: rules.Int, I: i}, exact
}

// outside is the verdict on equality with a number that the column can't hold: a string is clipped or compared as a double by the server.
func outside(e exactness) verdict {
	if e == exactNumber {
		return never
	}
	return unsure
}

func (c comparer) equalDecimal(t *rules.FieldType, l *Literal) (rules.Value, verdict) {
	var buf [40]byte
	n, e := l.numberOf(buf[:0], c.mariaDB)
	switch {
	case e == notNumber:
		return rules.Value{}, unsure
	case e != exactNumber && (t.Length > 15 || len(n.whole)+len(n.frac) > 15):
		return rules.Value{}, unsure // compared as doubles, where several decimals may be one
	case len(n.frac) > t.Scale && c.mariaDB:
		return rules.Value{}, unsure // through an index MariaDB finds what equals the rounded number
	case len(n.frac) > t.Scale:
		return rules.Value{}, never
	}
	v, ok := t.Parse(n.text(t.Scale))
	if !ok {
		return rules.Value{}, never
	}
	return v, exact
}

// text gives a string literal as the column's collation sees it.
func (c comparer) text(t *rules.FieldType, l *Literal) (string, bool) {
	if l.minus || l.derived && t.Collation != c.env.Collation {
		return "", false
	}
	switch l.Kind {
	case LitString:
	case LitHexNumber, LitHexString, LitBit, LitBytes:
		if l.introduced {
			break
		}
		if strings.HasPrefix(t.Collation, "latin1") {
			return "", false
		}
	default:
		return "", false
	}
	s, ok := l.utf8Of(c.env, "utf8mb4")
	if !ok || !holds(t.Collation, s) {
		return "", false
	}
	return s, true
}

// bytes gives a literal as a binary column sees it: the bytes of a string in the connection's character set.
func (c comparer) bytes(l *Literal) ([]byte, bool) {
	switch {
	case l.minus:
		return nil, false
	case l.Kind == LitString:
		if !strings.HasPrefix(c.env.Collation, c.env.Charset) && !(l.introduced || plainASCII(unsafeString(l.Raw))) {
			return nil, false // the literal is converted on its way
		}
		return l.Bytes(nil), true
	case l.Kind == LitHexNumber, l.Kind == LitHexString, l.Kind == LitBit, l.Kind == LitBytes:
		return l.Bytes(nil), true
	}
	return nil, false
}

// temporal reads dates and times in their full written form only; relaxed forms are the server's business.
func (c comparer) temporal(t *rules.FieldType, l *Literal) (rules.Value, verdict) {
	switch l.Kind {
	case LitString, LitDate, LitTime, LitTimestamp:
	default:
		return rules.Value{}, unsure
	}
	if l.minus || l.introduced {
		return rules.Value{}, unsure
	}
	v, ok := parseTemporal(t, c.env, unsafeString(l.Bytes(nil)))
	if !ok {
		return rules.Value{}, unsure
	}
	return v, exact
}

// parseTemporal reads 'YYYY-MM-DD[ hh:mm:ss[.ffffff]]' or 'hh:mm:ss[.ffffff]', in the session's zone for TIMESTAMP.
func parseTemporal(t *rules.FieldType, env *Env, text string) (rules.Value, bool) {
	if t.Kind == rules.FieldDate && len(text) == len(time.DateTime) && text[len(time.DateOnly):] == " 00:00:00" {
		text = text[:len(time.DateOnly)]
	}
	v, ok := t.Parse(text)
	if !ok {
		return v, false
	}
	if t.Kind == rules.FieldTimestamp {
		offset, known := zoneOffset(env.TimeZone)
		if !known {
			return v, false
		}
		v.I -= int64(offset / time.Microsecond)
	}
	return v, true
}

// zoneOffset gives the offset of a zone without daylight saving: UTC or a fixed ±hh:mm.
func zoneOffset(zone string) (time.Duration, bool) {
	if zone == "UTC" {
		return 0, true
	}
	at, err := time.Parse("-07:00", zone)
	if err != nil {
		return 0, false
	}
	_, seconds := at.Zone()
	return time.Duration(seconds) * time.Second, true
}
