package plan

import (
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"ballast/router/engine"
)

// constant is a literal that stands in the statement's text for good.
func (h *havingReader) constant(e *test_driver.ValueExpr) (havingPlan, error) {
	l, ok := valueLiteral(e)
	if !ok {
		i, err := h.hide(e)
		return columnHaving(i), err
	}
	lit := *l
	return func(*bindCtx) (engine.Expr, error) { return literalExpr(&lit) }, nil
}

func slotHaving(s *slotExpr) havingPlan {
	return func(bc *bindCtx) (engine.Expr, error) {
		l := bc.value(s.kind, s.index)
		return literalExpr(&l)
	}
}

// literalExpr makes a number of a literal. A string that reads as a number is compared as a float, as the servers do.
func literalExpr(l *Literal) (engine.Expr, error) {
	switch l.Kind {
	case LitNull:
		return engine.NullConst{}, nil
	case LitTrue:
		return engine.Number{Text: "1"}, nil
	case LitFalse:
		return engine.Number{Text: "0"}, nil
	case LitInt, LitDecimal, LitFloat:
		text := strings.ReplaceAll(string(l.AppendSQL(nil, 0)), " ", "")
		return engine.Number{Text: text}, nil
	case LitString:
		text := strings.TrimSpace(string(l.Bytes(nil)))
		if _, err := strconv.ParseFloat(text, 64); err == nil && strings.IndexFunc(text, notNumeric) < 0 {
			if !strings.ContainsAny(text, "eE") {
				text += "e0"
			}
			return engine.Number{Text: text}, nil
		}
	}
	return nil, errTooMuch.New("an aggregate together with a constant that is no number")
}

func notNumeric(r rune) bool { return !strings.ContainsRune("0123456789+-.eE", r) }

func columnHaving(i int) havingPlan {
	return func(*bindCtx) (engine.Expr, error) { return engine.ColumnRef{Index: i}, nil }
}

func unaryHaving(op engine.UnaryOp, x havingPlan) havingPlan {
	return func(bc *bindCtx) (engine.Expr, error) {
		in, err := x(bc)
		return engine.Unary{Op: op, X: in}, err
	}
}

func negated(x havingPlan, not bool) havingPlan {
	if !not {
		return x
	}
	return unaryHaving(engine.Not, x)
}

func binaryHaving(op engine.BinaryOp, l, r havingPlan) havingPlan {
	return func(bc *bindCtx) (engine.Expr, error) {
		left, err := l(bc)
		if err != nil {
			return nil, err
		}
		right, err := r(bc)
		return engine.Binary{Op: op, L: left, R: right}, err
	}
}
