package rules

import (
	"strings"

	"ballast/rules/collate"
)

// The units of time fields in microseconds.
const (
	microsPerSecond = 1_000_000
	microsPerDay    = 86_400 * microsPerSecond
)

// The least and the greatest moment that DATE and DATETIME columns hold here, and the longest TIME, in microseconds. MySQL also stores dates with
// zero parts and of the year 0, which are no days of a calendar: they are refused as keys.
const (
	firstMoment = -62135596800 * microsPerSecond   // 0001-01-01
	lastMoment  = 253402300800*microsPerSecond - 1 // 9999-12-31 23:59:59.999999
	longestTime = 839*3600*microsPerSecond - 1
)

// maxNumberDigits is how many digits before the point a DECIMAL may have to count as a number (its floor must fit 64 bits).
const maxNumberDigits = 18

// field is a balancing field with what evaluation needs of its type.
type field struct {
	name string
	typ  FieldType
	coll *collate.Collation // of FieldString
}

// order says how values of a field compare.
type order uint8

const (
	orderSigned   order = iota + 1 // by a signed 64-bit integer
	orderUnsigned                  // by an unsigned one
	orderDecimal                   // by canonical decimal text
	orderKey                       // by the weights of a collation, or the bytes of a binary value
)

func (t FieldType) order() order {
	switch t.Kind {
	case FieldUint:
		return orderUnsigned
	case FieldDecimal:
		return orderDecimal
	case FieldString, FieldBinary:
		return orderKey
	default:
		return orderSigned
	}
}

// numeric says whether values of the type count as numbers for uniform ranges and mod.
func (t FieldType) numeric() bool { return t.order() != orderKey }

// timeUnit is the number of microseconds that count as one for uniform ranges and mod; 0 for types that are no times.
func (t FieldType) timeUnit() uint64 {
	switch t.Kind {
	case FieldDate:
		return microsPerDay
	case FieldDateTime, FieldTimestamp, FieldTime:
		return microsPerSecond
	default:
		return 0
	}
}

// fits says whether a non-NULL value is of the kind that the field holds.
func (f *field) fits(v *Value) bool {
	switch f.typ.Kind {
	case FieldInt, FieldYear:
		return v.Kind == Int || v.Kind == Uint && v.U < 1<<63
	case FieldUint:
		return v.Kind == Uint || v.Kind == Int && v.I >= 0
	case FieldDecimal:
		return v.Kind == Decimal && isDecimal(v.S)
	case FieldString, FieldBinary:
		return v.Kind == Bytes
	default:
	}
	if v.Kind != Time {
		return false
	}
	switch f.typ.Kind {
	case FieldTime:
		return v.I >= -longestTime && v.I <= longestTime
	case FieldTimestamp:
		return v.I >= 0 && v.I <= lastMoment
	default:
		return v.I >= firstMoment && v.I <= lastMoment
	}
}

// whole gives the full-precision integer of a value whose field orders as a 64-bit integer.
func whole(v *Value) number {
	if v.Kind == Uint {
		return uintNumber(v.U)
	}
	return intNumber(v.I)
}

// number gives what uniform ranges and mod see of a value that fits.
func (f *field) number(v *Value) number {
	switch f.typ.Kind {
	case FieldDecimal:
		return decimalFloor(v.S)
	case FieldDate:
		return intNumber(v.I).floorDiv(microsPerDay)
	case FieldDateTime, FieldTimestamp, FieldTime:
		return intNumber(v.I).floorDiv(microsPerSecond)
	default:
		return whole(v)
	}
}

// ordinal maps a number to an unsigned integer that orders the same among numbers of one signedness.
func ordinal(n number, signed bool) uint64 {
	if signed {
		return n.u ^ 1<<63
	}
	return n.u
}

// fromOrdinal undoes ordinal.
func fromOrdinal(o uint64, signed bool) number {
	if signed {
		return intNumber(int64(o ^ 1<<63))
	}
	return uintNumber(o)
}

// appendKey appends the bytes by which two values of a string or binary field are the same.
func (f *field) appendKey(dst []byte, v *Value) ([]byte, error) {
	s := v.S
	if f.typ.Kind == FieldBinary {
		dst = append(dst, s...)
		if f.typ.Fixed {
			for n := len(s); n < f.typ.Length; n++ {
				dst = append(dst, 0)
			}
		}
		return dst, nil
	}
	if f.typ.Fixed {
		s = strings.TrimRight(s, " ")
	}
	dst, ok := f.coll.AppendKey(dst, s)
	if !ok {
		return dst, errKeyText.New(f.name)
	}
	return dst, nil
}

// compareKeys orders two results of appendKey as the server orders the values.
func (f *field) compareKeys(a, b []byte) int {
	if f.typ.Kind == FieldBinary {
		return collate.Binary.CompareKeys(a, b)
	}
	return f.coll.CompareKeys(a, b)
}

// compare orders two non-NULL values of the field.
func (f *field) compare(a, b *Value) (int, error) {
	switch f.typ.order() {
	case orderDecimal:
		return compareDecimal(a.S, b.S), nil
	case orderKey:
		ka, err := f.appendKey(nil, a)
		if err != nil {
			return 0, err
		}
		kb, err := f.appendKey(nil, b)
		if err != nil {
			return 0, err
		}
		return f.compareKeys(ka, kb), nil
	default:
	}
	na, nb := whole(a), whole(b)
	switch {
	case na.less(nb):
		return -1, nil
	case nb.less(na):
		return 1, nil
	}
	return 0, nil
}

// Compare orders two non-NULL values of the type as the servers do: below zero, zero, above. Values that are none of the type compare as equal.
func (t FieldType) Compare(a, b Value) int {
	f := field{typ: t}
	if t.Kind == FieldString {
		coll, ok := collate.Lookup(t.Collation)
		if !ok {
			return 0
		}
		f.coll = coll
	}
	if a.Kind == Null || b.Kind == Null || !f.fits(&a) || !f.fits(&b) {
		return 0
	}
	c, err := f.compare(&a, &b)
	if err != nil {
		return 0
	}
	return c
}
