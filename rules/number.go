package rules

import (
	"math"
	"math/bits"
	"strconv"
)

// number is an integer of the joint span of int64 and uint64: the value is u, or int64(u) when neg is set (then it is below zero).
type number struct {
	u   uint64
	neg bool
}

// The ends of the span.
var (
	minNumber = number{u: 1 << 63, neg: true}
	maxNumber = number{u: math.MaxUint64}
)

func intNumber(i int64) number { return number{u: uint64(i), neg: i < 0} }

func uintNumber(u uint64) number { return number{u: u} }

// less orders numbers. Two negative ones order as their two's complements do.
func (n number) less(o number) bool {
	if n.neg != o.neg {
		return n.neg
	}
	return n.u < o.u
}

// floorDiv divides by d > 0, rounding down.
func (n number) floorDiv(d uint64) number {
	if !n.neg {
		return number{u: n.u / d}
	}
	// floor(v/d) = -1 - (-1-v)/d for v < 0, and -1-v is the complement.
	q := ^n.u / d
	return number{u: ^q, neg: true}
}

// floorMod is the remainder of floorDiv: 0 <= r < d.
func (n number) floorMod(d uint64) uint64 {
	if !n.neg {
		return n.u % d
	}
	return d - 1 - ^n.u%d
}

// next gives n+1; false at the end of the span.
func (n number) next() (number, bool) {
	if n == maxNumber {
		return n, false
	}
	u := n.u + 1
	return number{u: u, neg: n.neg && u != 0}, true
}

// prev gives n-1; false at the start of the span.
func (n number) prev() (number, bool) {
	if n == minNumber {
		return n, false
	}
	return number{u: n.u - 1, neg: n.neg || n.u == 0}, true
}

// distance gives hi-lo for lo <= hi, and false if it does not fit.
func distance(lo, hi number) (uint64, bool) {
	d, borrow := bits.Sub64(hi.u, lo.u, 0)
	if lo.neg && !hi.neg {
		// hi - lo = hi.u + |lo|: fits when the addition does not carry.
		_, carry := bits.Add64(hi.u, -lo.u, 0)
		return hi.u - lo.u, carry == 0
	}
	return d, borrow == 0
}

// index gives the number as an index, and false when it is below zero or not below n.
func (n number) index(limit int) (int, bool) {
	if n.neg || n.u >= uint64(limit) {
		return 0, false
	}
	return int(n.u), true
}

// append writes the number in decimal.
func (n number) append(dst []byte) []byte {
	if n.neg {
		return strconv.AppendInt(dst, int64(n.u), 10)
	}
	return strconv.AppendUint(dst, n.u, 10)
}

func (n number) String() string { return string(n.append(nil)) }
