package plan

import (
	"math"
	"strconv"
)

// number is an exact decimal number read from a literal: sign, digits before the point without leading zeros, digits behind it without
// trailing ones.
type number struct {
	neg         bool
	whole, frac []byte
}

// isInt says whether nothing stands behind the point.
func (n *number) isInt() bool { return len(n.frac) == 0 }

// magnitude gives the digits before the point as a number; ok is false if they do not fit 64 bits.
func (n *number) magnitude() (u uint64, ok bool) {
	if !fitsUint(n.whole) {
		return 0, false
	}
	return parseDigits(n.whole), true
}

// text writes the number with at most scale digits behind the point, cutting the rest off.
func (n *number) text(scale int) string {
	b := make([]byte, 0, len(n.whole)+len(n.frac)+3)
	if n.neg {
		b = append(b, '-')
	}
	if len(n.whole) == 0 {
		b = append(b, '0')
	}
	b = append(b, n.whole...)
	if f := n.frac[:min(scale, len(n.frac))]; len(f) > 0 {
		b = append(append(b, '.'), f...)
	}
	return string(b)
}

// parseNumber reads [+-]digits[.digits] without exponent; ok is false for anything else.
func parseNumber(b []byte) (n number, ok bool) {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		n.neg = b[0] == '-'
		b = b[1:]
	}
	i := 0
	for i < len(b) && class[b[i]] == clDigit {
		i++
	}
	n.whole = b[:i]
	if i < len(b) && b[i] == '.' {
		j := i + 1
		for j < len(b) && class[b[j]] == clDigit {
			j++
		}
		n.frac = b[i+1 : j]
		i = j
	}
	if i != len(b) || len(n.whole)+len(n.frac) == 0 {
		return number{}, false
	}
	for len(n.whole) > 0 && n.whole[0] == '0' {
		n.whole = n.whole[1:]
	}
	for len(n.frac) > 0 && n.frac[len(n.frac)-1] == '0' {
		n.frac = n.frac[:len(n.frac)-1]
	}
	if len(n.whole)+len(n.frac) == 0 {
		n.neg = false
	}
	return n, true
}

// exactness says how a literal's number may be relied upon.
type exactness uint8

const (
	// notNumber: the literal is no number, or nobody can tell which.
	notNumber exactness = iota
	// exactNumber: compared as exactly this number.
	exactNumber
	// doubleNumber: compared as a double, which is this number.
	doubleNumber
	// textNumber: a string that reads as this number.
	textNumber
)

// numberOf reads the number that a literal is in a numeric context; buf holds digits that must be written out.
func (l *Literal) numberOf(buf []byte, mariaDB bool) (n number, e exactness) {
	switch l.Kind {
	case LitInt, LitDecimal:
		raw := l.Raw
		neg := l.minus
		if len(raw) > 0 && (raw[0] == '-' || raw[0] == '+') {
			neg = neg != (raw[0] == '-')
			for raw = raw[1:]; len(raw) > 0 && class[raw[0]] == clSpace; raw = raw[1:] {
			}
		}
		var ok bool
		if n, ok = parseNumber(raw); !ok {
			return n, notNumber
		}
		n.neg = neg && len(n.whole)+len(n.frac) > 0
		return n, exactNumber
	case LitTrue, LitFalse:
		n.whole = buf[:0]
		if l.Kind == LitTrue {
			n.whole = append(n.whole, '1')
		}
		n.neg = l.minus && l.Kind == LitTrue
		return n, exactNumber
	case LitHexNumber, LitHexString, LitBit:
		if l.introduced || l.minus || l.Kind == LitHexString && mariaDB {
			return n, notNumber
		}
		var tmp [16]byte
		b := l.Bytes(tmp[:0])
		for len(b) > 0 && b[0] == 0 {
			b = b[1:]
		}
		if len(b) > 8 {
			return n, notNumber
		}
		var u uint64
		for _, c := range b {
			u = u<<8 | uint64(c)
		}
		if u != 0 {
			n.whole = strconv.AppendUint(buf[:0], u, 10)
		}
		return n, exactNumber
	case LitFloat:
		f, err := strconv.ParseFloat(unsafeString(trimSign(l.Raw)), 64)
		if err != nil || f > 1e18 {
			return n, notNumber
		}
		var ok bool
		if n, ok = parseNumber(strconv.AppendFloat(buf[:0], f, 'f', -1, 64)); !ok {
			return n, notNumber
		}
		n.neg = (l.minus != (len(l.Raw) > 0 && l.Raw[0] == '-')) && len(n.whole)+len(n.frac) > 0
		return n, doubleNumber
	case LitString:
		if l.minus {
			return n, notNumber
		}
		b := trimSpaces(l.Bytes(nil))
		var ok bool
		if n, ok = parseNumber(b); !ok {
			return n, notNumber
		}
		return n, textNumber
	}
	return n, notNumber
}

func trimSign(b []byte) []byte {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		for b = b[1:]; len(b) > 0 && class[b[0]] == clSpace; b = b[1:] {
		}
	}
	return b
}

func trimSpaces(b []byte) []byte {
	for len(b) > 0 && class[b[0]] == clSpace {
		b = b[1:]
	}
	for len(b) > 0 && class[b[len(b)-1]] == clSpace {
		b = b[:len(b)-1]
	}
	return b
}

// maxExactDouble is the bound below which every integer is its own double.
const maxExactDouble = 1 << 53

// safeDouble says whether comparing integers with n as doubles is the same as comparing them exactly.
func (n *number) safeDouble() bool {
	u, ok := n.magnitude()
	return ok && u < maxExactDouble
}

// signed gives the integer part as an int64; below and above say on which side it lies when it does not fit.
func (n *number) signed() (i int64, below, above bool) {
	u, ok := n.magnitude()
	switch {
	case n.neg && (!ok || u > 1<<63):
		return 0, true, false
	case n.neg && u > 0:
		return -int64(u-1) - 1, false, false
	case !ok || u > math.MaxInt64:
		return 0, false, true
	}
	return int64(u), false, false
}
