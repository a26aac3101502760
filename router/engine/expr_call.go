package engine

import "math"

func (c Call) bind(s shape) (bound, error) {
	args := make([]bound, len(c.Args))
	out := bound{class: classInt, name: c.String()}
	for i, a := range c.Args {
		var err error
		if args[i], err = a.bind(s); err != nil {
			return bound{}, err
		}
		if !args[i].class.numeric() || s.textFloat(args[i].class) {
			return bound{}, errCompare.New(args[i].name, "a number")
		}
		if c.Func == If && i == 0 || c.Func == Round && i == 1 || c.Func == NullIf && i == 1 {
			continue
		}
		out.class, out.scale = max(out.class, args[i].class), max(out.scale, args[i].scale)
	}
	if c.Func == Floor || c.Func == Ceiling || c.Func == Round && len(args) == 1 {
		out.scale = 0
	}
	out.eval = func(row []byte, fields []field) (value, error) {
		values := make([]value, len(args))
		for i, a := range args {
			var err error
			if values[i], err = a.eval(row, fields); err != nil {
				return value{}, err
			}
		}
		return c.Func.apply(values), nil
	}
	return out, nil
}

func (f CallFunc) apply(args []value) value {
	switch f {
	case Coalesce:
		for _, a := range args {
			if a.kind != null {
				return a
			}
		}
		return value{}
	case NullIf:
		if args[0].kind != null && args[1].kind != null && compare(&args[0], &args[1]) == 0 {
			return value{}
		}
		return args[0]
	case If:
		if args[0].kind != null && args[0].isTrue() {
			return args[1]
		}
		return args[2]
	}
	if args[0].kind == null || len(args) > 1 && args[1].kind == null {
		return value{}
	}
	digits := 0
	if len(args) > 1 {
		digits = int(max(min(args[1].float(), 30), -30))
	}
	if args[0].kind == floating {
		return value{kind: floating, f: f.ofFloat(args[0].f, digits)}
	}
	d, ok := args[0].number()
	if !ok {
		return value{}
	}
	return value{kind: exact, b: []byte(f.ofDecimal(d, digits).String())}
}

func (f CallFunc) ofDecimal(d decimal, digits int) decimal {
	switch f {
	case Round:
		if digits < 0 {
			scaled := decimal{unscaled: d.unscaled, scale: d.scale - digits}
			return scaled.round(0).mul(decimal{unscaled: pow10(-digits)})
		}
		return d.round(min(digits, d.scale))
	case Abs:
		if d.unscaled.Sign() < 0 {
			return d.neg()
		}
		return d
	}
	whole := d.quoInt(decimalOf(1))
	if whole.cmp(d) == 0 {
		return whole
	}
	switch {
	case f == Floor && d.unscaled.Sign() < 0:
		return whole.sub(decimalOf(1))
	case f == Ceiling && d.unscaled.Sign() > 0:
		return whole.add(decimalOf(1))
	}
	return whole
}

func (f CallFunc) ofFloat(x float64, digits int) float64 {
	switch f {
	case Round:
		shift := math.Pow(10, float64(digits))
		if r := x * shift; !math.IsInf(r, 0) {
			return math.RoundToEven(r) / shift
		}
		return x
	case Abs:
		return math.Abs(x)
	case Floor:
		return math.Floor(x)
	}
	return math.Ceil(x)
}
