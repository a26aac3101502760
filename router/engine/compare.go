package engine

import (
	"bytes"
	"cmp"
)

// compare orders two values of one column as the server does: NULL first, numbers by value, strings by their weights.
func compare(a, b *value) int {
	if a.kind == null || b.kind == null {
		return cmp.Compare(min(a.kind, 1), min(b.kind, 1))
	}
	if a.kind == b.kind {
		switch a.kind {
		case integer, instant, duration:
			return cmp.Compare(a.i, b.i)
		case unsigned:
			return cmp.Compare(a.u, b.u)
		case exact:
			return compareDecimalText(a.b, b.b)
		case floating:
			return cmp.Compare(a.f, b.f)
		default:
			return comparePadded(a.b, b.b, a.pad, b.pad)
		}
	}
	return compareMixed(a, b)
}

// compareMixed compares numbers of different kinds: exactly, unless one is a float.
func compareMixed(a, b *value) int {
	if a.kind == floating || b.kind == floating {
		return cmp.Compare(a.float(), b.float())
	}
	x, ok1 := a.number()
	y, ok2 := b.number()
	if !ok1 || !ok2 {
		return cmp.Compare(a.kind, b.kind)
	}
	return x.cmp(y)
}

// comparePadded compares weights as if the shorter were filled up with the weight of a space. An empty pad is a NO PAD collation, or binary.
func comparePadded(a, b, padA, padB []byte) int {
	n := min(len(a), len(b))
	if c := bytes.Compare(a[:n], b[:n]); c != 0 || len(a) == len(b) {
		return c
	}
	if len(a) > n {
		return aboveSpaces(a[n:], padB)
	}
	return -aboveSpaces(b[n:], padA)
}

// aboveSpaces compares what one string has more than the other with spaces.
func aboveSpaces(rest, pad []byte) int {
	if len(pad) == 0 {
		return 1
	}
	for i, c := range rest {
		if p := pad[i%len(pad)]; c != p {
			return cmp.Compare(c, p)
		}
	}
	return 0
}

// identity appends bytes that are equal for exactly the values that compare as equal, for sets of one column's values.
func identity(dst []byte, v value) []byte {
	dst = append(dst, byte(v.kind))
	switch v.kind {
	case null:
		return dst
	case integer, instant, duration:
		return appendUint64(dst, uint64(v.i))
	case unsigned:
		return appendUint64(dst, v.u)
	case floating:
		f := v.f
		if f == 0 {
			f = 0 // -0 is 0
		}
		return appendFloat(dst, f)
	case exact:
		neg, whole, frac, _ := splitDecimal(v.b)
		frac = bytes.TrimRight(frac, "0")
		if neg && len(whole)+len(frac) > 0 {
			dst = append(dst, '-')
		}
		dst = append(dst, whole...)
		dst = append(dst, '.')
		dst = append(dst, frac...)
		return append(dst, 0)
	}
	b := v.b
	for len(v.pad) > 0 && bytes.HasSuffix(b, v.pad) {
		b = b[:len(b)-len(v.pad)]
	}
	return append(appendUint64(dst, uint64(len(b))), b...)
}
