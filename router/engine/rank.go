package engine

import (
	"encoding/binary"
	"math"

	"ballast/sqlfront/wire"
)

// ranker turns a key's value into a number whose order is that of the values, as far as it goes: rows are compared by it first. How it does
// so is chosen once for a query.
type ranker struct {
	shape shape
	key   boundKey
	kind  ranking
	// whole says that values of equal rank are equal, but for those of rank none, which NULL has too.
	whole bool
	none  uint64
	flip  uint64 // all bits where the order is descending
}

// ranking is how a value is read for its rank.
type ranking uint8

const (
	rankNot ranking = iota // compare in full
	rankInt
	rankUint
	rankFloat
	rankDecimal
	rankTime
	rankWeight
	rankBytes
)

func newRanker(s shape, k boundKey) ranker {
	r := ranker{shape: s, key: k}
	switch k.class {
	case classInt:
		r.kind, r.whole = rankInt, true
	case classUint:
		r.kind, r.whole = rankUint, true
	case classDecimal:
		r.kind = rankDecimal
	case classFloat, classDouble:
		r.kind = rankFloat
	case classDateTime, classTime:
		r.kind, r.whole = rankTime, true
	case classText, classBytes:
		r.kind = rankBytes
		if k.Weight >= 0 {
			r.kind = rankWeight
		}
	}
	if k.Desc {
		r.flip = math.MaxUint64
		r.none = math.MaxUint64
	}
	return r
}

// rank reads a row whose fields have been scanned.
func (r *ranker) rank(row []byte, fields []field) (uint64, error) {
	f := &fields[r.key.Column]
	if f.null || r.kind == rankNot {
		return r.none, nil
	}
	data := row[f.data:f.end]
	var n uint64
	switch r.kind {
	case rankInt, rankUint:
		if r.shape.format == wire.Text {
			if u, ok := smallNumber(data); ok {
				n = u
				if r.kind == rankInt {
					n ^= 1 << 63
				}
				break
			}
		}
		v, ok := r.shape.decodeInt(data, r.key.Column, r.key.class)
		if !ok {
			return 0, errBadRow.New()
		}
		if n = v.u; r.kind == rankInt {
			n = uint64(v.i) ^ 1<<63
		}
	case rankDecimal:
		var ok bool
		if n, ok = wholePart(data); !ok {
			return 0, errBadRow.New()
		}
	case rankFloat, rankTime:
		v, err := r.shape.decode(row, *f, r.key.Column, r.key.class)
		if err != nil {
			return 0, err
		}
		if n = uint64(v.i) ^ 1<<63; r.kind == rankFloat {
			n = orderedFloat(v.f)
		}
	case rankWeight:
		w := &fields[r.key.Weight]
		var pad []byte
		if r.key.Pad > 0 {
			p := &fields[r.key.Pad]
			pad = row[p.data:p.end]
		}
		n = firstBytes(row[w.data:w.end], pad)
	default:
		n = firstBytes(data, nil)
	}
	return n ^ r.flip, nil
}

// smallNumber reads plain digits, few enough for 63 bits.
func smallNumber(s []byte) (uint64, bool) {
	if len(s) == 0 || len(s) > 18 {
		return 0, false
	}
	var n uint64
	for _, c := range s {
		c -= '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + uint64(c)
	}
	return n, true
}

// wholePart gives the part of a decimal before its point so that it orders; very large ones are all alike.
func wholePart(s []byte) (uint64, bool) {
	neg, whole, _, ok := splitDecimal(s)
	n, small := smallNumber(whole)
	if len(whole) > 0 && !small {
		n = 1 << 62
	}
	if neg {
		return 1<<63 - n, ok
	}
	return 1<<63 + n, ok
}

// orderedFloat gives bits that order as the floats do; -0 is 0.
func orderedFloat(f float64) uint64 {
	b := math.Float64bits(f + 0)
	if f == 0 {
		b = 0
	}
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

// firstBytes gives the first eight bytes as a number, filled up as comparePadded does.
func firstBytes(b, pad []byte) uint64 {
	if len(b) >= 8 {
		return binary.BigEndian.Uint64(b)
	}
	var n uint64
	for i := range 8 {
		var c byte
		switch {
		case i < len(b):
			c = b[i]
		case len(pad) > 0:
			c = pad[(i-len(b))%len(pad)]
		}
		n = n<<8 | uint64(c)
	}
	return n
}
