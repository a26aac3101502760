package engine

import (
	"bytes"
	"strconv"
	"strings"
)

// bound is an expression whose types are known.
type bound struct {
	eval  func(row []byte, fields []field) (value, error)
	class class
	// scale is the number of digits behind the point that an exact number's type has; values may have more on the way.
	scale int
	// weighed says that the values are weights of strings.
	weighed bool
	name    string // for messages
}

// maxScale is the largest scale of a type.
const maxScale = 30

var (
	truth   = value{kind: integer, i: 1}
	untruth = value{kind: integer, i: 0}
)

func boolean(b bool) value {
	if b {
		return truth
	}
	return untruth
}

// isTrue is SQL's truth of a number.
func (v value) isTrue() bool {
	switch v.kind {
	case integer, instant, duration:
		return v.i != 0
	case unsigned:
		return v.u != 0
	case floating:
		return v.f != 0
	case exact:
		return bytes.ContainsAny(v.b, "123456789")
	}
	return false
}

func (c ColumnRef) bind(s shape) (bound, error) {
	if c.Index >= len(s.columns) {
		return bound{}, errBadRow.New()
	}
	col := s.columns[c.Index]
	k := classOf(col)
	scale := 0
	if k == classDecimal {
		scale = int(col.Decimals)
	}
	return bound{class: k, scale: scale, name: "column '" + col.Name + "' of type " + typeName(col), eval: func(row []byte, fields []field) (value, error) {
		return s.decode(row, fields[c.Index], c.Index, k)
	}}, nil
}

func (w WeightRef) bind(s shape) (bound, error) {
	k, err := bindKey(Key{Column: w.Weight, Weight: w.Weight, Pad: w.Pad}, s)
	if err != nil {
		return bound{}, err
	}
	return bound{class: classText, weighed: true, name: "a string", eval: func(row []byte, fields []field) (value, error) {
		return readKey(&s, row, fields, &k)
	}}, nil
}

func (n Number) bind(shape) (bound, error) {
	v, c, err := n.value()
	_, frac, _ := strings.Cut(n.Text, ".")
	return bound{class: c, scale: len(frac), name: n.Text, eval: func([]byte, []field) (value, error) { return v, nil }}, err
}

func (n Number) value() (value, class, error) {
	if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
		return value{kind: integer, i: i}, classInt, nil
	}
	if u, err := strconv.ParseUint(n.Text, 10, 64); err == nil {
		return value{kind: unsigned, u: u}, classUint, nil
	}
	if _, _, _, ok := splitDecimal([]byte(n.Text)); ok {
		return value{kind: exact, b: []byte(n.Text)}, classDecimal, nil
	}
	f, err := strconv.ParseFloat(n.Text, 64)
	if err != nil {
		return value{}, classOther, errCompare.Wrap(err, "a constant", "a number")
	}
	return value{kind: floating, f: f}, classDouble, nil
}

func (NullConst) bind(shape) (bound, error) {
	return bound{class: classInt, name: "NULL", eval: func([]byte, []field) (value, error) { return value{}, nil }}, nil
}

func (u Unary) bind(s shape) (bound, error) {
	x, err := u.X.bind(s)
	if err != nil {
		return bound{}, err
	}
	if u.Op != IsNull && !x.class.numeric() {
		return bound{}, errCompare.New(x.name, "a number")
	}
	b := bound{class: classInt, name: u.String()}
	if u.Op == Minus {
		b.class, b.scale = x.class, x.scale
	}
	b.eval = func(row []byte, fields []field) (value, error) {
		v, err := x.eval(row, fields)
		if err != nil {
			return value{}, err
		}
		return u.Op.apply(v), nil
	}
	return b, nil
}

func (op UnaryOp) apply(v value) value {
	switch op {
	case IsNull:
		return boolean(v.kind == null)
	case IsTrue:
		return boolean(v.kind != null && v.isTrue())
	case IsFalse:
		return boolean(v.kind != null && !v.isTrue())
	}
	if v.kind == null {
		return value{}
	}
	if op == Not {
		return boolean(!v.isTrue())
	}
	if v.kind == floating {
		return value{kind: floating, f: -v.f}
	}
	d, _ := v.number()
	return value{kind: exact, b: []byte(d.neg().String())}
}

func (b Binary) bind(s shape) (bound, error) {
	l, err := b.L.bind(s)
	if err != nil {
		return bound{}, err
	}
	r, err := b.R.bind(s)
	if err != nil {
		return bound{}, err
	}
	sameTime := l.class == r.class && (l.class == classDateTime || l.class == classTime)
	compares := b.Op >= Equal && b.Op <= GreaterEqual
	sameStrings := l.weighed && r.weighed
	if !(l.class.numeric() && r.class.numeric()) && !(compares && (sameTime || sameStrings)) {
		return bound{}, errCompare.New(l.name, r.name)
	}
	if s.textFloat(l.class) || s.textFloat(r.class) {
		return bound{}, errCompare.New(l.name, r.name)
	}
	out := bound{class: classInt, name: b.String()}
	if b.Op >= Add {
		out.class, out.scale = classDecimal, b.Op.scale(l.scale, r.scale)
		if l.class == classDouble || r.class == classDouble || l.class == classFloat || r.class == classFloat {
			out.class = classDouble
		}
	}
	out.eval = func(row []byte, fields []field) (value, error) {
		x, err := l.eval(row, fields)
		if err != nil {
			return value{}, err
		}
		y, err := r.eval(row, fields)
		if err != nil {
			return value{}, err
		}
		switch {
		case b.Op <= Xor:
			return b.Op.logic(x, y), nil
		case compares:
			return b.Op.compares(x, y), nil
		}
		return b.arithmetic(x, y, out.scale)
	}
	return out, nil
}

// scale is the scale of the result's type.
func (op BinaryOp) scale(l, r int) int {
	switch op {
	case Multiply:
		l += r
	case Divide, DivideRounded, DivideWide:
		l += divIncrement
	case IntDivide:
		l = 0
	default:
		l = max(l, r)
	}
	return min(l, maxScale)
}

// textFloat says that a value was printed with six digits only.
func (s shape) textFloat(c class) bool { return c == classFloat && s.format == 0 }

// logic is AND, OR and XOR with NULL as unknown.
func (op BinaryOp) logic(x, y value) value {
	xn, yn := x.kind == null, y.kind == null
	xt, yt := !xn && x.isTrue(), !yn && y.isTrue()
	switch op {
	case And:
		if !xn && !xt || !yn && !yt {
			return untruth
		}
	case Or:
		if xt || yt {
			return truth
		}
	}
	if xn || yn {
		return value{}
	}
	if op == Xor {
		return boolean(xt != yt)
	}
	return boolean(op == And)
}

func (op BinaryOp) compares(x, y value) value {
	if x.kind == null || y.kind == null {
		if op == NullSafeEqual {
			return boolean(x.kind == y.kind)
		}
		return value{}
	}
	c := compare(&x, &y)
	switch op {
	case Equal, NullSafeEqual:
		return boolean(c == 0)
	case NotEqual:
		return boolean(c != 0)
	case Less:
		return boolean(c < 0)
	case LessEqual:
		return boolean(c <= 0)
	case Greater:
		return boolean(c > 0)
	}
	return boolean(c >= 0)
}
