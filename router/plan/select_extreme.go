package plan

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/engine"
	"ballast/rules/catalog"
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
	at, err := h.column(agg)
	if err != nil {
		return nil, nil, err
	}
	i, err := h.hide(compose("CAST(% AS DATETIME(6))", other))
	return columnHaving(at), columnHaving(i), err
}

// weightPair compares the merged value's weight with the weight of the other side under the same collation.
func (h *havingReader) weightPair(agg *ast.AggregateFuncExpr, other ast.ExprNode, col *catalog.Column) (left, right havingPlan, err error) {
	if _, err := h.column(agg); err != nil {
		return nil, nil, err
	}
	var k engine.Key
	if err := h.extremeKey(&k, agg); err != nil {
		return nil, nil, err
	}
	i, err := h.hide(compose("WEIGHT_STRING(CONVERT(% USING "+col.Charset+") COLLATE "+col.Collation+")", other))
	return weightHaving(k.Weight, k.Pad), weightHaving(i, k.Pad), err
}

func weightHaving(weight, pad int) havingPlan {
	return func(*bindCtx) (engine.Expr, error) { return engine.WeightRef{Weight: weight, Pad: pad}, nil }
}
