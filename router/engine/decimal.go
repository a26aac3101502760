package engine

import (
	"bytes"
	"math/big"
	"strings"
)

// decimal is an exact number: unscaled / 10^scale. The zero value is not usable; see parseDecimal and decimalOf.
type decimal struct {
	unscaled *big.Int
	scale    int
}

// decimalOf gives an integer as a decimal of scale 0.
func decimalOf(i int64) decimal { return decimal{unscaled: big.NewInt(i)} }

// decimalOfUint is decimalOf for unsigned numbers.
func decimalOfUint(u uint64) decimal { return decimal{unscaled: new(big.Int).SetUint64(u)} }

// parseDecimal reads the text form that servers send: an optional sign, digits, an optional point with digits.
func parseDecimal(text []byte) (decimal, bool) {
	neg, whole, frac, ok := splitDecimal(text)
	if !ok {
		return decimal{}, false
	}
	n, ok := new(big.Int).SetString("0"+string(whole)+string(frac), 10)
	if !ok {
		return decimal{}, false
	}
	if neg {
		n.Neg(n)
	}
	return decimal{unscaled: n, scale: len(frac)}, true
}

// splitDecimal takes a decimal's text apart, without leading zeros in whole.
func splitDecimal(text []byte) (neg bool, whole, frac []byte, ok bool) {
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		neg = text[0] == '-'
		text = text[1:]
	}
	whole = text
	if dot := bytes.IndexByte(text, '.'); dot >= 0 {
		whole, frac = text[:dot], text[dot+1:]
	}
	if len(whole)+len(frac) == 0 {
		return false, nil, nil, false
	}
	for _, part := range [2][]byte{whole, frac} {
		for _, c := range part {
			if c < '0' || c > '9' {
				return false, nil, nil, false
			}
		}
	}
	return neg, bytes.TrimLeft(whole, "0"), frac, true
}

// compareDecimalText orders two decimals by their text, without making numbers of them.
func compareDecimalText(a, b []byte) int {
	an, aw, af, _ := splitDecimal(a)
	bn, bw, bf, _ := splitDecimal(b)
	af, bf = bytes.TrimRight(af, "0"), bytes.TrimRight(bf, "0")
	aZero, bZero := len(aw)+len(af) == 0, len(bw)+len(bf) == 0
	an, bn = an && !aZero, bn && !bZero
	if an != bn {
		if an {
			return -1
		}
		return 1
	}
	c := len(aw) - len(bw)
	if c == 0 {
		c = bytes.Compare(aw, bw)
	}
	if c == 0 {
		c = bytes.Compare(af, bf) // no trailing zeros: the shorter of equal prefixes is the smaller number
	}
	if an {
		c = -c
	}
	return sign(c)
}

func sign(c int) int {
	switch {
	case c < 0:
		return -1
	case c > 0:
		return 1
	}
	return 0
}

func pow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// align gives both unscaled numbers at the larger of the two scales.
func align(a, b decimal) (x, y *big.Int, scale int) {
	switch {
	case a.scale < b.scale:
		return new(big.Int).Mul(a.unscaled, pow10(b.scale-a.scale)), b.unscaled, b.scale
	case a.scale > b.scale:
		return a.unscaled, new(big.Int).Mul(b.unscaled, pow10(a.scale-b.scale)), a.scale
	}
	return a.unscaled, b.unscaled, a.scale
}

func (d decimal) cmp(o decimal) int {
	x, y, _ := align(d, o)
	return x.Cmp(y)
}

func (d decimal) add(o decimal) decimal {
	x, y, s := align(d, o)
	return decimal{unscaled: new(big.Int).Add(x, y), scale: s}
}

func (d decimal) sub(o decimal) decimal {
	x, y, s := align(d, o)
	return decimal{unscaled: new(big.Int).Sub(x, y), scale: s}
}

func (d decimal) mul(o decimal) decimal {
	return decimal{unscaled: new(big.Int).Mul(d.unscaled, o.unscaled), scale: d.scale + o.scale}
}

func (d decimal) neg() decimal {
	return decimal{unscaled: new(big.Int).Neg(d.unscaled), scale: d.scale}
}

// divIncrement is div_precision_increment at its default: how many digits a division adds at least.
const divIncrement = 4

// digitsPerWord is how many decimal digits the servers keep in one machine word; the scale of a quotient grows in such steps.
const digitsPerWord = 9

func wordsUp(digits int) int { return (digits + digitsPerWord - 1) / digitsPerWord * digitsPerWord }

// quo divides as the servers do: the quotient is cut off, not rounded, at a whole number of words. o must not be 0.
func (d decimal) quo(o decimal) decimal {
	f1, f2 := wordsUp(d.scale), wordsUp(o.scale)
	more := max(divIncrement-(f1-d.scale+f2-o.scale), 0)
	scale := wordsUp(f1 + f2 + more)
	n := new(big.Int).Mul(d.unscaled, pow10(scale+o.scale))
	den := new(big.Int).Mul(o.unscaled, pow10(d.scale))
	return decimal{unscaled: n.Quo(n, den), scale: scale}
}

// quoRounded divides and rounds the quotient, halves away from zero. o must not be 0.
func (d decimal) quoRounded(o decimal, scale int) decimal {
	// One digit more than needed, and whether anything is left behind it, decide a half.
	n := new(big.Int).Mul(d.unscaled, pow10(scale+1+o.scale))
	den := new(big.Int).Mul(o.unscaled, pow10(d.scale))
	return decimal{unscaled: n.Quo(n, den), scale: scale + 1}.round(scale)
}

// quoInt is DIV: the quotient without its fraction. o must not be 0.
func (d decimal) quoInt(o decimal) decimal {
	x, y, _ := align(d, o)
	return decimal{unscaled: new(big.Int).Quo(x, y)}
}

// rem is %: what is left after quoInt, with the sign of d. o must not be 0.
func (d decimal) rem(o decimal) decimal {
	x, y, s := align(d, o)
	return decimal{unscaled: new(big.Int).Rem(x, y), scale: s}
}

// round gives d at another scale, halves away from zero.
func (d decimal) round(scale int) decimal {
	if scale >= d.scale {
		return decimal{unscaled: new(big.Int).Mul(d.unscaled, pow10(scale-d.scale)), scale: scale}
	}
	div := pow10(d.scale - scale)
	q, r := new(big.Int).QuoRem(d.unscaled, div, new(big.Int))
	if r.Abs(r).Lsh(r, 1).Cmp(div) >= 0 {
		q.Add(q, big.NewInt(int64(d.unscaled.Sign())))
	}
	return decimal{unscaled: q, scale: scale}
}

func (d decimal) isZero() bool { return d.unscaled.Sign() == 0 }

// float gives the nearest float64.
func (d decimal) float() float64 {
	f, _ := new(big.Rat).SetFrac(d.unscaled, pow10(d.scale)).Float64()
	return f
}

// String gives the servers' text form: all digits of the scale, no sign on zero.
func (d decimal) String() string {
	s := new(big.Int).Abs(d.unscaled).String()
	if len(s) <= d.scale {
		s = strings.Repeat("0", d.scale+1-len(s)) + s
	}
	if d.scale > 0 {
		s = s[:len(s)-d.scale] + "." + s[len(s)-d.scale:]
	}
	if d.unscaled.Sign() < 0 {
		s = "-" + s
	}
	return s
}
