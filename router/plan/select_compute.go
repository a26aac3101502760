package plan

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"ballast/router/engine"
)

// havingReader turns a condition over aggregates into an expression of the engine. Parts without aggregates are computed by the nodes.
type havingReader struct {
	*aggMerge
	// place is where the expression stands, for messages.
	place string
}

var havingOps = map[opcode.Op]engine.BinaryOp{
	opcode.LogicAnd: engine.And, opcode.LogicOr: engine.Or, opcode.LogicXor: engine.Xor, opcode.EQ: engine.Equal, opcode.NullEQ: engine.NullSafeEqual,
	opcode.NE: engine.NotEqual, opcode.LT: engine.Less, opcode.LE: engine.LessEqual, opcode.GT: engine.Greater, opcode.GE: engine.GreaterEqual,
	opcode.Plus: engine.Add, opcode.Minus: engine.Subtract, opcode.Mul: engine.Multiply, opcode.Div: engine.Divide, opcode.IntDiv: engine.IntDivide,
	opcode.Mod: engine.Modulo,
}

func (h *havingReader) expr(e ast.ExprNode) (havingPlan, error) {
	if i := h.aggregateAlias(e); i >= 0 {
		return h.expr(unnamed(h.fields[i].expr))
	}
	switch e := e.(type) {
	case *ast.ParenthesesExpr:
		return h.expr(e.Expr)
	case *ast.AggregateFuncExpr:
		return h.aggregate(e)
	case *slotExpr:
		return slotHaving(e), nil
	case *test_driver.ValueExpr:
		return h.constant(e)
	}
	if u, ok := e.(*ast.UnaryOperationExpr); ok && u.Op == opcode.Minus && isConstant(u.V) {
		return h.unary(engine.Minus, u.V, false)
	}
	if !h.aggregated(e) {
		if name := h.outOfSight(e); name != "" && h.place == inHaving {
			return nil, errUnknownCol.New(name, "having clause")
		}
		e = h.withoutAliases(e)
		if len(h.items) == 0 && h.anyRow(e) {
			return nil, errTooMuch.New("a column beside aggregates without GROUP BY")
		}
		i, err := h.hide(h.perGroup(e, e))
		return columnHaving(i), err
	}
	switch e := e.(type) {
	case *ast.BinaryOperationExpr:
		op, ok := havingOps[e.Op]
		if !ok {
			break
		}
		if op == engine.Divide && !h.pc.mariaDB {
			op = engine.DivideRounded
		}
		return h.binary(op, e.L, e.R)
	case *ast.UnaryOperationExpr:
		switch e.Op {
		case opcode.Not, opcode.Not2:
			return h.unary(engine.Not, e.V, false)
		case opcode.Minus:
			return h.unary(engine.Minus, e.V, false)
		case opcode.Plus:
			return h.expr(e.V)
		}
	case *ast.IsNullExpr:
		return h.unary(engine.IsNull, e.Expr, e.Not)
	case *ast.IsTruthExpr:
		if e.True == 1 {
			return h.unary(engine.IsTrue, e.Expr, e.Not)
		}
		return h.unary(engine.IsFalse, e.Expr, e.Not)
	case *ast.BetweenExpr:
		lo, err := h.binary(engine.GreaterEqual, e.Expr, e.Left)
		if err != nil {
			return nil, err
		}
		hi, err := h.binary(engine.LessEqual, e.Expr, e.Right)
		return negated(binaryHaving(engine.And, lo, hi), e.Not), err
	case *ast.PatternInExpr:
		if e.Sel == nil {
			return h.in(e)
		}
	case *ast.CaseExpr:
		return h.cases(e)
	case *ast.FuncCallExpr:
		if f, ok := havingCalls[e.FnName.L]; ok {
			return h.call(f, e.Args...)
		}
		return nil, errTooMuch.New("function " + e.FnName.O + "() over aggregates in " + h.place)
	}
	return nil, errTooMuch.New("this expression over aggregates in " + h.place)
}

// aggregate is the merged value of an aggregate. Servers compare an average in HAVING as it is printed, but compute with all its digits.
func (h *havingReader) aggregate(e *ast.AggregateFuncExpr) (havingPlan, error) {
	if !strings.EqualFold(e.F, ast.AggFuncAvg) || h.place == inHaving {
		i, err := h.column(h.comparable(e))
		return columnHaving(i), err
	}
	sum, err := h.column(&ast.AggregateFuncExpr{F: "SUM", Args: e.Args, Distinct: e.Distinct})
	if err != nil {
		return nil, err
	}
	count, err := h.column(&ast.AggregateFuncExpr{F: "COUNT", Args: e.Args, Distinct: e.Distinct})
	op := engine.Divide
	if e.Distinct && !h.pc.mariaDB {
		op = engine.DivideWide
	}
	return binaryHaving(op, columnHaving(sum), columnHaving(count)), err
}

var havingCalls = map[string]engine.CallFunc{"coalesce": engine.Coalesce, "ifnull": engine.Coalesce, "nullif": engine.NullIf, "if": engine.If,
	"round": engine.Round, "floor": engine.Floor, "ceil": engine.Ceiling, "ceiling": engine.Ceiling, "abs": engine.Abs}

func (h *havingReader) call(f engine.CallFunc, args ...ast.ExprNode) (havingPlan, error) {
	plans := make([]havingPlan, len(args))
	for i, a := range args {
		var err error
		if plans[i], err = h.expr(a); err != nil {
			return nil, err
		}
	}
	return callHaving(f, plans...), nil
}

func callHaving(f engine.CallFunc, args ...havingPlan) havingPlan {
	return func(bc *bindCtx) (engine.Expr, error) {
		c := engine.Call{Func: f, Args: make([]engine.Expr, len(args))}
		for i, a := range args {
			var err error
			if c.Args[i], err = a(bc); err != nil {
				return nil, err
			}
		}
		return c, nil
	}
}

// cases writes CASE as nested IFs.
func (h *havingReader) cases(e *ast.CaseExpr) (havingPlan, error) {
	out := havingPlan(func(*bindCtx) (engine.Expr, error) { return engine.NullConst{}, nil })
	var err error
	if e.ElseClause != nil {
		if out, err = h.expr(e.ElseClause); err != nil {
			return nil, err
		}
	}
	for i := len(e.WhenClauses) - 1; i >= 0; i-- {
		w := e.WhenClauses[i]
		cond := w.Expr
		if e.Value != nil {
			cond = &ast.BinaryOperationExpr{Op: opcode.EQ, L: e.Value, R: cond}
		}
		when, err := h.expr(cond)
		if err != nil {
			return nil, err
		}
		then, err := h.expr(w.Result)
		if err != nil {
			return nil, err
		}
		out = callHaving(engine.If, when, then, out)
	}
	return out, nil
}

func (h *havingReader) in(e *ast.PatternInExpr) (havingPlan, error) {
	var any havingPlan
	for _, x := range e.List {
		one, err := h.binary(engine.Equal, e.Expr, x)
		if err != nil {
			return nil, err
		}
		if any == nil {
			any = one
		} else {
			any = binaryHaving(engine.Or, any, one)
		}
	}
	return negated(any, e.Not), nil
}

func (h *havingReader) binary(op engine.BinaryOp, l, r ast.ExprNode) (havingPlan, error) {
	if op >= engine.Equal && op <= engine.GreaterEqual {
		if p, err := h.compareExtreme(op, l, r); p != nil || err != nil {
			return p, err
		}
	}
	left, err := h.expr(l)
	if err != nil {
		return nil, err
	}
	right, err := h.expr(r)
	if err != nil {
		return nil, err
	}
	return binaryHaving(op, left, right), nil
}

func (h *havingReader) unary(op engine.UnaryOp, x ast.ExprNode, not bool) (havingPlan, error) {
	in, err := h.expr(x)
	if err != nil {
		return nil, err
	}
	return negated(unaryHaving(op, in), not), nil
}
