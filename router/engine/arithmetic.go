package engine

import "math"

// arithmetic is + - * / DIV % as the servers do it: exact over integers and decimals, in float64 when one side is a float; NULL for a zero divisor.
// Integers never overflow here: they are exact too.
func (b Binary) arithmetic(x, y value, scale int) (value, error) {
	if x.kind == null || y.kind == null {
		return value{}, nil
	}
	if x.kind == floating || y.kind == floating {
		return b.floats(x.float(), y.float())
	}
	p, ok1 := x.number()
	q, ok2 := y.number()
	if !ok1 || !ok2 {
		return value{}, errBadRow.New()
	}
	if b.Op >= Divide && q.isZero() {
		return value{}, nil
	}
	var d decimal
	switch b.Op {
	case Add:
		d = p.add(q)
	case Subtract:
		d = p.sub(q)
	case Multiply:
		d = p.mul(q)
	case Divide:
		d = p.quo(q)
	case DivideRounded:
		d = p.quoRounded(q, scale)
	case DivideWide:
		d = p.round(wordsUp(p.scale)).quo(q)
	case IntDivide:
		d = p.quoInt(q)
	default:
		d = p.rem(q)
	}
	return value{kind: exact, b: []byte(d.String())}, nil
}

func (b Binary) floats(x, y float64) (value, error) {
	if b.Op >= Divide && y == 0 {
		return value{}, nil
	}
	var f float64
	switch b.Op {
	case Add:
		f = x + y
	case Subtract:
		f = x - y
	case Multiply:
		f = x * y
	case Divide, DivideRounded, DivideWide:
		f = x / y
	case IntDivide:
		f = math.Trunc(x / y)
	default:
		f = math.Mod(x, y)
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return value{}, errRange.New("DOUBLE", b.String())
	}
	return value{kind: floating, f: f}, nil
}
