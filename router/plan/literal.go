package plan

import (
	"strconv"
)

// LitKind is what kind of literal stands in a slot.
type LitKind uint8

// The kinds of literals.
const (
	LitInt LitKind = iota + 1
	LitDecimal
	LitFloat
	// LitString is '…', "…", N'…' and _charset'…'.
	LitString
	// LitHexNumber is 0x…, LitHexString x'…', LitBit b'…' or 0b….
	LitHexNumber
	LitHexString
	LitBit
	LitNull
	LitTrue
	LitFalse
	// LitDefault is the word DEFAULT in a row of VALUES.
	LitDefault
	// LitDate, LitTime and LitTimestamp are DATE '…', TIME '…', TIMESTAMP '…'.
	LitDate
	LitTime
	LitTimestamp
	// LitMarker is a ? whose value has not come yet.
	LitMarker
	// LitBytes is a value of a binary type; it has no charset.
	LitBytes
)

// Literal is the content of one slot: a piece of the client's text, or a value made of a parameter.
type Literal struct {
	// Raw is the text as written; for a Bare literal the value itself, not quoted.
	Raw  []byte
	Kind LitKind
	// Bare says that Raw is a value (of a parameter or of the session) rather than SQL text.
	Bare       bool
	introduced bool
	noEscape   bool
	derived    bool   // the result of a CAST: its collation counts as much as a column's
	minus      bool   // a minus sign stands before it in the statement
	body       uint32 // offset in Raw of the quote, of x' or 0x behind an introducer, of the digits behind a sign
}

// AppendSQL appends the literal as SQL text.
func (l *Literal) AppendSQL(dst []byte, flags Flags) []byte {
	switch {
	case l.Kind == LitNull:
		return append(dst, "NULL"...)
	case !l.Bare:
		return append(dst, l.Raw...)
	case l.Kind == LitString:
		return AppendString(dst, l.Raw, flags)
	case l.Kind == LitBytes:
		return AppendString(append(dst, "_binary"...), l.Raw, flags)
	case l.Kind == LitDate:
		return appendTemporal(dst, "DATE", l.Raw)
	case l.Kind == LitTime:
		return appendTemporal(dst, "TIME", l.Raw)
	case l.Kind == LitTimestamp:
		return appendTemporal(dst, "TIMESTAMP", l.Raw)
	case l.Kind == LitTrue:
		return append(dst, "TRUE"...)
	case l.Kind == LitFalse:
		return append(dst, "FALSE"...)
	}
	return append(dst, l.Raw...)
}

// AppendString appends value as a quoted SQL string.
func AppendString(dst, value []byte, flags Flags) []byte {
	dst = append(dst, '\'')
	for _, c := range value {
		switch {
		case c == '\'':
			dst = append(dst, '\'', '\'')
		case flags&NoBackslashEscapes != 0:
			dst = append(dst, c)
		case c == '\\':
			dst = append(dst, '\\', '\\')
		case c == 0:
			dst = append(dst, '\\', '0')
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == 0x1a:
			dst = append(dst, '\\', 'Z')
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '\'')
}

// appendTemporal writes a typed literal; zero dates, which no literal can name, are written as strings.
func appendTemporal(dst []byte, word string, value []byte) []byte {
	if word == "TIME" || len(value) >= 10 && string(value[:4]) != "0000" && string(value[5:7]) != "00" && string(value[8:10]) != "00" {
		dst = append(dst, word...)
	}
	dst = append(dst, '\'')
	dst = append(dst, value...)
	return append(dst, '\'')
}

// Introducer gives the character set named before the literal, without the underscore; "" if there is none.
func (l *Literal) Introducer() string {
	if l.Bare || len(l.Raw) == 0 {
		return ""
	}
	if l.introduced {
		end := 1
		for end < len(l.Raw) && class[l.Raw[end]] <= clWord && l.Raw[end] != '\'' {
			end++
		}
		return string(l.Raw[1:end])
	}
	if l.Kind == LitString && (l.Raw[0]|0x20) == 'n' {
		return "utf8"
	}
	return ""
}

// Bytes gives the value of a string, hex, bit or temporal literal: quotes and escapes undone. It copies into buf only where escapes or
// digits must be translated.
func (l *Literal) Bytes(buf []byte) []byte {
	if l.Bare {
		return l.Raw
	}
	raw := l.Raw[l.body:]
	switch l.Kind {
	case LitHexNumber:
		return decodeHex(buf, raw[2:])
	case LitHexString:
		if raw[0] != '\'' {
			raw = raw[1:]
		}
		return decodeHex(buf, raw[1:len(raw)-1])
	case LitBit:
		switch {
		case raw[0] == '0':
			raw = raw[2:]
		case raw[0] == '\'':
			raw = raw[1 : len(raw)-1]
		default:
			raw = raw[2 : len(raw)-1]
		}
		return decodeBits(buf, raw)
	case LitString, LitDate, LitTime, LitTimestamp:
		return unquote(buf, raw, l.noEscape)
	}
	return raw
}

// unquote undoes a quoted text. Without escapes inside it returns a slice of raw.
func unquote(buf, raw []byte, noEscape bool) []byte {
	q, body := raw[0], raw[1:len(raw)-1]
	plain := true
	for _, c := range body {
		if c == q || c == '\\' && !noEscape {
			plain = false
			break
		}
	}
	if plain {
		return body
	}
	buf = buf[:0]
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case c == q:
			i++
		case c == '\\' && !noEscape && i+1 < len(body):
			i++
			c = body[i]
			switch c {
			case '0':
				c = 0
			case 'b':
				c = 8
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			case 't':
				c = '\t'
			case 'Z':
				c = 0x1a
			case '%', '_':
				buf = append(buf, '\\')
			}
		}
		buf = append(buf, c)
	}
	return buf
}

func decodeHex(buf, digits []byte) []byte {
	buf = buf[:0]
	if len(digits)%2 == 1 {
		buf = append(buf, hexValue(digits[0]))
		digits = digits[1:]
	}
	for i := 0; i+1 < len(digits); i += 2 {
		buf = append(buf, hexValue(digits[i])<<4|hexValue(digits[i+1]))
	}
	return buf
}

func hexValue(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 0
}

func decodeBits(buf, digits []byte) []byte {
	buf = buf[:0]
	for range (len(digits) + 7) / 8 {
		buf = append(buf, 0)
	}
	for i := range digits {
		if digits[len(digits)-1-i] == '1' {
			buf[len(buf)-1-i/8] |= 1 << (i % 8)
		}
	}
	return buf
}

func parseDigits(b []byte) (u uint64) {
	for _, c := range b {
		u = u*10 + uint64(c-'0')
	}
	return u
}

// plainInt gives the number of a literal that is nothing but a few digits, as nearly all keys are.
func (l *Literal) plainInt() (u uint64, ok bool) {
	const most = 18 // digits that fit an int64 for sure
	if l.Kind != LitInt || l.minus || len(l.Raw) == 0 || len(l.Raw) > most {
		return 0, false
	}
	for _, c := range l.Raw {
		if c -= '0'; c > 9 {
			return 0, false
		}
		u = u*10 + uint64(c)
	}
	return u, true
}

// fitsUint says whether a run of digits is a number below 2^64.
func fitsUint(b []byte) bool {
	for len(b) > 1 && b[0] == '0' {
		b = b[1:]
	}
	if len(b) < 20 {
		return true
	}
	return len(b) == 20 && string(b) <= "18446744073709551615"
}

// intLiteral makes a literal of a number.
func intLiteral(v uint64) Literal {
	return Literal{Raw: strconv.AppendUint(nil, v, 10), Kind: LitInt, Bare: true}
}
