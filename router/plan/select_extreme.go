package plan

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"ballast/router/engine"
	"ballast/rules"
	"ballast/rules/catalog"
	"ballast/rules/failure"
)

// compareExtreme plans the comparison of MIN or MAX over a column of dates or strings with something that the nodes can compute: dates are
// compared as DATETIME, strings by their weights under the column's collation. It gives nil for all other comparisons.
func (h *havingReader) compareExtreme(op engine.BinaryOp, l, r ast.ExprNode) (havingPlan, error) {
	agg, col := h.extremeOf(l)
	other, swapped := r, false
	if agg == nil {
		agg, col = h.extremeOf(r)
		other, swapped = l, true
	}
	if agg == nil || h.aggregated(other) {
		return nil, nil
	}
	if name := h.outOfSight(other); name != "" && h.place == inHaving {
		return nil, errUnknownCol.New(name, "having clause")
	}
	other = h.withoutAliases(other)
	var left, right havingPlan
	var err error
	switch col.DataType {
	case "date", "datetime", "timestamp":
		left, right, err = h.datePair(agg, other)
	default:
		if kind := columnOrder(col); kind != orderWeight && kind != orderPadded {
			return nil, nil
		}
		left, right, err = h.weightPair(agg, other, col)
	}
	if err != nil {
		return nil, err
	}
	if swapped {
		left, right = right, left
	}
	return binaryHaving(op, left, right), nil
}

// extremeOf reads an expression, or the alias of one, as MIN or MAX over a column.
func (h *havingReader) extremeOf(e ast.ExprNode) (*ast.AggregateFuncExpr, *catalog.Column) {
	if i := h.aggregateAlias(e); i >= 0 {
		e = h.fields[i].expr
	}
	agg, ok := bare(unnamed(e)).(*ast.AggregateFuncExpr)
	if !ok || !strings.EqualFold(agg.F, ast.AggFuncMin) && !strings.EqualFold(agg.F, ast.AggFuncMax) {
		return nil, nil
	}
	col := h.catalogColumn(agg.Args[0])
	if col == nil {
		return nil, nil
	}
	return agg, col
}

// datePair compares the merged value with the other side as the nodes cast it. (TIME is not compared so: MySQL compares it as a string.)
func (h *havingReader) datePair(agg *ast.AggregateFuncExpr, other ast.ExprNode) (left, right havingPlan, err error) {
	check, ok := h.otherSide(other, dateLiteral, isDate)
	if !ok {
		return nil, nil, errDatesApart.New(aggName(agg) + "() of a date")
	}
	at, err := h.column(agg)
	if err != nil {
		return nil, nil, err
	}
	i, err := h.hide(compose("CAST(% AS DATETIME(6))", other))
	return columnHaving(at), checkedHaving(columnHaving(i), check), err
}

// weightPair compares the merged value's weight with the weight of the other side under the same collation.
func (h *havingReader) weightPair(agg *ast.AggregateFuncExpr, other ast.ExprNode, col *catalog.Column) (left, right havingPlan, err error) {
	check, ok := h.otherSide(other, textLiteral, func(c *catalog.Column) bool { return c.Collation == col.Collation && c.Charset == col.Charset })
	if !ok {
		return nil, nil, errTextsApart.New(aggName(agg) + "() of a string")
	}
	if _, err := h.column(agg); err != nil {
		return nil, nil, err
	}
	var k engine.Key
	if err := h.extremeKey(&k, agg); err != nil {
		return nil, nil, err
	}
	i, err := h.hide(compose("WEIGHT_STRING(CONVERT(% USING "+col.Charset+") COLLATE "+col.Collation+")", other))
	return weightHaving(k.Weight, k.Pad), checkedHaving(weightHaving(i, k.Pad), check), err
}

// otherSide says whether the other side of a comparison is of the aggregate's own kind, for sure: the servers compare a string with a number
// as numbers, and a date with a number as they like. Of a literal only its value tells, when the statement is bound: check is not nil then.
func (h *havingReader) otherSide(e ast.ExprNode, literal func(env *Env, l *Literal) bool, column func(*catalog.Column) bool) (check havingCheck, ok bool) {
	e = unnamed(e)
	for {
		p, ok := e.(*ast.ParenthesesExpr)
		if !ok {
			break
		}
		e = p.Expr
	}
	switch e := e.(type) {
	case *slotExpr:
		if e.kind != slotLiteral && e.kind != slotUserVar {
			return nil, false
		}
		return func(bc *bindCtx) error {
			if l := bc.value(e.kind, e.index); !literal(bc.env, &l) {
				return errLiteralApart.New()
			}
			return nil
		}, true
	case *test_driver.ValueExpr:
		l, ok := valueLiteral(e)
		return nil, ok && literal(h.pc.env, l)
	case *composed:
		return nil, column(&catalog.Column{DataType: "datetime"}) && slices.ContainsFunc(clockTexts, func(text string) bool { return strings.HasPrefix(e.text[0], text) })
	}
	c := h.catalogColumn(e)
	return nil, c != nil && column(c)
}

// clockTexts are how the texts begin that stand for NOW() and its like.
var clockTexts = []string{"FROM_UNIXTIME(", "DATE("}

type havingCheck func(bc *bindCtx) error

func checkedHaving(p havingPlan, check havingCheck) havingPlan {
	if check == nil {
		return p
	}
	return func(bc *bindCtx) (engine.Expr, error) {
		if err := check(bc); err != nil {
			return nil, err
		}
		return p(bc)
	}
}

func textLiteral(_ *Env, l *Literal) bool {
	return l.Kind == LitNull || l.Kind == LitString && l.Introducer() == ""
}

func dateLiteral(env *Env, l *Literal) bool {
	switch l.Kind {
	case LitNull, LitDate, LitTimestamp:
		return true
	case LitString:
		_, ok := parseTemporal(&rules.FieldType{Kind: rules.FieldDateTime, Scale: 6}, env, unsafeString(l.Bytes(nil)))
		return ok
	}
	return false
}

func isDate(c *catalog.Column) bool {
	return c.DataType == "date" || c.DataType == "datetime" || c.DataType == "timestamp"
}

var (
	errDatesApart = failure.Define("BL2048", 1235, "42000", "over several nodes: %s is compared with something that is not known to be a date",
		"compare it with a date written as 'YYYY-MM-DD hh:mm:ss', or name the balancing field with = so that one node is concerned")
	errTextsApart = failure.Define("BL2049", 1235, "42000", "over several nodes: %s is compared with something that is not known to be a string of its collation",
		"compare it with a string literal, or name the balancing field with = so that one node is concerned")
	errLiteralApart = failure.Define("BL2050", 1235, "42000", "over several nodes: MIN() or MAX() is compared with a constant of another type",
		"write the constant as a string, or as a date in the form 'YYYY-MM-DD hh:mm:ss', or name the balancing field with = so that one node is concerned")
)

func weightHaving(weight, pad int) havingPlan {
	return func(*bindCtx) (engine.Expr, error) { return engine.WeightRef{Weight: weight, Pad: pad}, nil }
}
