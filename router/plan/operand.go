package plan

import (
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/charset"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"
)

// operand is an expression without columns whose value is known at bind time.
type operand struct {
	kind  slotKind
	index int
	// fixed is a literal written in the statement that is no slot.
	fixed *Literal
	minus bool
	// op and args compute integers: + - *.
	op   opcode.Op
	args []operand
	cast castKind
}

type castKind uint8

const (
	castNone castKind = iota
	castSigned
	castUnsigned
	castChar
	castBinary
)

// operandOf reads an expression as an operand; ok is false if it has columns or anything whose value only the server knows.
func (pc *planCtx) operandOf(e ast.ExprNode) (o operand, ok bool) {
	switch e := e.(type) {
	case *slotExpr:
		return operand{kind: e.kind, index: e.index}, e.kind != slotFixed
	case *test_driver.ValueExpr:
		l, ok := valueLiteral(e)
		return operand{fixed: l}, ok
	case *ast.ParenthesesExpr:
		return pc.operandOf(e.Expr)
	case *ast.VariableExpr:
		if e.IsSystem || e.Value != nil {
			return operand{}, false
		}
		name := strings.ToLower(e.Name)
		pc.plan.UserVars = appendOnce(pc.plan.UserVars, name)
		for i, v := range pc.plan.UserVars {
			if v == name {
				return operand{kind: slotUserVar, index: i}, true
			}
		}
	case *ast.UnaryOperationExpr:
		o, ok = pc.operandOf(e.V)
		if !ok {
			return o, false
		}
		switch e.Op {
		case opcode.Plus:
			return o, true
		case opcode.Minus:
			o.minus = !o.minus
			return o, o.cast == castNone
		}
	case *ast.BinaryOperationExpr:
		if e.Op != opcode.Plus && e.Op != opcode.Minus && e.Op != opcode.Mul {
			return o, false
		}
		l, okL := pc.operandOf(e.L)
		r, okR := pc.operandOf(e.R)
		return operand{op: e.Op, args: []operand{l, r}}, okL && okR
	case *ast.FuncCastExpr:
		return pc.castOperand(e)
	}
	return operand{}, false
}

func (pc *planCtx) castOperand(e *ast.FuncCastExpr) (operand, bool) {
	o, ok := pc.operandOf(e.Expr)
	if !ok || o.cast != castNone {
		return o, false
	}
	if e.FunctionType == ast.CastBinaryOperator {
		return operand{args: []operand{o}, cast: castBinary}, true
	}
	out := operand{args: []operand{o}}
	switch {
	case e.Tp.GetType() == mysql.TypeLonglong && mysql.HasUnsignedFlag(e.Tp.GetFlag()):
		out.cast = castUnsigned
	case e.Tp.GetType() == mysql.TypeLonglong:
		out.cast = castSigned
	case e.Tp.GetType() == mysql.TypeVarString && e.Tp.GetFlen() < 0 && e.Tp.GetCharset() != charset.CharsetBin:
		out.cast = castChar
	default:
		return out, false
	}
	return out, true
}

// valueLiteral makes a literal of a constant of the tree.
func valueLiteral(e *test_driver.ValueExpr) (*Literal, bool) {
	switch e.Kind() {
	case test_driver.KindNull:
		return &Literal{Kind: LitNull, Bare: true}, true
	case test_driver.KindInt64:
		if mysql.HasIsBooleanFlag(e.Type.GetFlag()) {
			if e.GetInt64() != 0 {
				return &Literal{Kind: LitTrue, Bare: true}, true
			}
			return &Literal{Kind: LitFalse, Bare: true}, true
		}
		return &Literal{Kind: LitInt, Bare: true, Raw: strconv.AppendInt(nil, e.GetInt64(), 10)}, true
	case test_driver.KindUint64:
		return &Literal{Kind: LitInt, Bare: true, Raw: strconv.AppendUint(nil, e.GetUint64(), 10)}, true
	case test_driver.KindMysqlDecimal:
		return &Literal{Kind: LitDecimal, Bare: true, Raw: []byte(e.GetMysqlDecimal().String())}, true
	case test_driver.KindString:
		if cs := e.Type.GetCharset(); cs == "" || cs == mysql.DefaultCharset || cs == charset.CharsetUTF8 {
			return &Literal{Kind: LitString, Bare: true, Raw: []byte(e.GetString())}, true
		}
	}
	return nil, false
}

// plain gives the literal of the text that the operand is, nil if it is anything else.
func (o *operand) plain(bc *bindCtx) *Literal {
	if o.kind != slotLiteral || o.minus || o.op != 0 || o.cast != castNone || o.fixed != nil {
		return nil
	}
	return bc.args.rowSlot(o.index, bc.row)
}

// value computes the operand; ok is false if that is the server's business after all.
func (o *operand) value(bc *bindCtx) (l Literal, ok bool) {
	switch {
	case o.cast != castNone:
		return o.castValue(bc)
	case o.op != 0:
		return o.compute(bc)
	case o.fixed != nil:
		l = *o.fixed
	case o.kind == slotLiteral:
		l = *bc.args.rowSlot(o.index, bc.row)
	default:
		l = bc.value(o.kind, o.index)
	}
	if o.minus {
		if l.Kind != LitInt && l.Kind != LitDecimal && l.Kind != LitFloat && l.Kind != LitNull {
			return l, false
		}
		if l.Bare && len(l.Raw) >= 19 {
			return l, false // negating a large parameter overflows in the server's own way
		}
		l.minus = !l.minus
	}
	return l, true
}

func (o *operand) compute(bc *bindCtx) (Literal, bool) {
	var v [2]int64
	for i := range o.args {
		l, ok := o.args[i].value(bc)
		if !ok || l.Kind != LitInt {
			return l, ok && l.Kind == LitNull
		}
		var buf [24]byte
		n, e := l.numberOf(buf[:0], false)
		s, below, above := n.signed()
		if e != exactNumber || below || above || s > 1<<31 || s < -1<<31 {
			return l, false
		}
		v[i] = s
	}
	var out int64
	switch o.op {
	case opcode.Plus:
		out = v[0] + v[1]
	case opcode.Minus:
		out = v[0] - v[1]
	default:
		out = v[0] * v[1]
	}
	if o.minus {
		out = -out
	}
	return Literal{Kind: LitInt, Bare: true, Raw: strconv.AppendInt(nil, out, 10)}, true
}

func (o *operand) castValue(bc *bindCtx) (Literal, bool) {
	l, ok := o.args[0].value(bc)
	if !ok || l.Kind == LitNull {
		return l, ok
	}
	if o.minus {
		return l, false
	}
	switch o.cast {
	case castChar:
		l.derived = true
		return l, l.Kind == LitString && l.Introducer() == ""
	case castBinary:
		if l.Kind != LitString {
			return l, false
		}
		return Literal{Kind: LitBytes, Bare: true, Raw: l.Bytes(nil)}, true
	}
	if l.Kind != LitInt && l.Kind != LitString {
		return l, false
	}
	var buf [24]byte
	n, e := l.numberOf(buf[:0], false)
	u, fits := n.magnitude()
	if e == notNumber || !n.isInt() || !fits || u >= 1<<63 || o.cast == castUnsigned && n.neg {
		return l, false
	}
	raw := make([]byte, 0, 20)
	if n.neg {
		raw = append(raw, '-')
	}
	return Literal{Kind: LitInt, Bare: true, Raw: strconv.AppendUint(raw, u, 10)}, true
}
