package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/engine"
)

// aggMerge collects the aggregate functions of a SELECT whose groups span nodes.
type aggMerge struct {
	*scatter
	plan *groupPlan
	// items are the client's GROUP BY.
	items []groupItem
	// distinct are the hidden columns of the arguments of DISTINCT aggregates; the nodes group by them, too.
	distinct []int
	// merged gives the index of the column that holds each aggregate's merged value, by text.
	merged map[string]int
}

// merge plans the merging of one column that is, or contains, an aggregate.
func (m *aggMerge) merge(e ast.ExprNode, at int) error {
	for {
		p, ok := e.(*ast.ParenthesesExpr)
		if !ok {
			break
		}
		e = p.Expr
	}
	agg, ok := e.(*ast.AggregateFuncExpr)
	if !ok {
		return m.compute(e, at)
	}
	if m.merged == nil {
		m.merged = map[string]int{}
	}
	m.merged[m.textOf(agg)] = at
	a := engine.Agg{Out: at}
	var err error
	switch f := strings.ToLower(agg.F); {
	case agg.Distinct && (f == ast.AggFuncCount || f == ast.AggFuncSum || f == ast.AggFuncAvg):
		a.Func = map[string]engine.AggFunc{ast.AggFuncCount: engine.CountDistinct, ast.AggFuncSum: engine.SumDistinct, ast.AggFuncAvg: engine.AvgDistinct}[f]
		err = m.distinctArgs(&a, agg)
	case f == ast.AggFuncCount:
		a.Func, a.Arg = engine.Count, []int{at}
	case f == ast.AggFuncSum:
		a.Func, a.Arg = engine.Sum, []int{at}
	case f == ast.AggFuncAvg:
		a.Func = engine.Avg
		err = m.average(&a, agg)
	case f == ast.AggFuncBitAnd:
		a.Func, a.Arg = engine.BitAnd, []int{at}
	case f == ast.AggFuncBitOr:
		a.Func, a.Arg = engine.BitOr, []int{at}
	case f == ast.AggFuncBitXor:
		a.Func, a.Arg = engine.BitXor, []int{at}
	case f == ast.AggFuncMin, f == ast.AggFuncMax:
		a.Func, a.Arg = engine.Min, []int{at}
		if f == ast.AggFuncMax {
			a.Func = engine.Max
		}
		err = m.extreme(&a, agg)
	default:
		return errTooMuch.New(aggName(agg) + "()")
	}
	m.plan.aggs = append(m.plan.aggs, a)
	return err
}

// compute plans a column that is an expression over aggregates: its parts are merged, then it is computed again.
func (m *aggMerge) compute(e ast.ExprNode, at int) error {
	h := &havingReader{aggMerge: m, place: "column " + strconv.Itoa(at+1) + " of the select list"}
	expr, err := h.expr(e)
	m.plan.computed = append(m.plan.computed, computedPlan{out: at, expr: expr})
	return err
}

// average asks for the sum and the count that make up an average.
func (m *aggMerge) average(a *engine.Agg, agg *ast.AggregateFuncExpr) error {
	for _, f := range []string{"SUM", "COUNT"} {
		i, err := m.hide(aggregateOf(f, agg.Args[0]))
		if err != nil {
			return err
		}
		a.Arg = append(a.Arg, i)
	}
	return nil
}

// aggregateOf makes a call of an aggregate function.
func aggregateOf(name string, arg ast.ExprNode) ast.ExprNode {
	return &ast.AggregateFuncExpr{F: name, Args: []ast.ExprNode{arg}}
}

// extreme asks for the weight of a smallest or largest string.
func (m *aggMerge) extreme(a *engine.Agg, agg *ast.AggregateFuncExpr) error {
	kind := m.orderOf(agg)
	if kind == orderNone {
		return errTooMuch.New(aggName(agg) + "() of a type without order, such as JSON,")
	}
	if text := m.number(agg, kind); text != "" {
		i, err := m.hide(aggregateOf(agg.F, compose(text, agg.Args[0])))
		a.Arg = []int{i}
		return err
	}
	w, pad, err := m.weigh(agg, kind)
	a.ArgWeight, a.ArgPad = []int{w}, []int{pad}
	return err
}

// number gives the text that makes a number of an argument of MIN or MAX whose values don't compare as they are printed: instants, and BIT,
// which is printed in one way by columns and in another by aggregates. "" for all others.
func (m *aggMerge) number(agg *ast.AggregateFuncExpr, kind order) string {
	if kind == orderInstant {
		return "UNIX_TIMESTAMP(%)"
	}
	if c := m.catalogColumn(agg.Args[0]); c != nil && c.DataType == "bit" {
		return "%+0"
	}
	return ""
}

// distinctArgs asks for the arguments themselves: nodes group by them, and what is left is counted or added here.
func (m *aggMerge) distinctArgs(a *engine.Agg, agg *ast.AggregateFuncExpr) error {
	grouped := m.grouped
	m.grouped = true
	defer func() { m.grouped = grouped }()
	for _, arg := range agg.Args {
		value, err := m.hide(arg)
		if err != nil {
			return err
		}
		if !slices.Contains(m.distinct, value) {
			m.distinct = append(m.distinct, value)
		}
		k, err := m.keyOf(arg, value, false, aggName(agg)+"(DISTINCT)")
		if err != nil {
			return err
		}
		a.Arg = append(a.Arg, k.key.Column)
		a.ArgWeight = append(a.ArgWeight, k.key.Weight)
		a.ArgPad = append(a.ArgPad, k.key.Pad)
	}
	return nil
}

// groupBy is what nodes group by: the client's items and the arguments of DISTINCT aggregates.
func (m *aggMerge) groupBy(clients *ast.GroupByClause) *ast.GroupByClause {
	if len(m.distinct) == 0 {
		return clients
	}
	out := &ast.GroupByClause{}
	if clients != nil {
		out.Items = append(out.Items, clients.Items...)
	}
	for _, d := range m.distinct {
		out.Items = append(out.Items, &ast.ByItem{Expr: compose(quoteName(m.hidden[d-len(m.fields)].name)), NullOrder: true})
	}
	return out
}

// comparable gives the aggregate whose merged value can be compared: MIN and MAX of a FLOAT as DOUBLE, because text rows print six digits of it.
func (m *aggMerge) comparable(agg *ast.AggregateFuncExpr) *ast.AggregateFuncExpr {
	f := strings.ToLower(agg.F)
	if (f == ast.AggFuncMin || f == ast.AggFuncMax) && m.orderOf(agg) == orderFloat {
		return &ast.AggregateFuncExpr{F: agg.F, Args: []ast.ExprNode{compose("%+0e0", agg.Args[0])}}
	}
	return agg
}

// column gives the column with an aggregate's merged value, and asks for it if the answer does not show it.
func (m *aggMerge) column(agg *ast.AggregateFuncExpr) (int, error) {
	if at, ok := m.merged[m.textOf(agg)]; ok {
		return at, nil
	}
	at, err := m.hide(agg)
	if err != nil {
		return 0, err
	}
	return at, m.merge(agg, at)
}

// orderKey makes a key of merged groups of an ORDER BY item.
func (m *aggMerge) orderKey(it orderItem) (sortable, error) {
	e := unnamed(it.expr)
	if !hasAggregate(e) {
		return m.keyOf(e, it.at, it.desc, "ORDER BY")
	}
	for {
		p, ok := e.(*ast.ParenthesesExpr)
		if !ok {
			break
		}
		e = p.Expr
	}
	agg, ok := e.(*ast.AggregateFuncExpr)
	if !ok {
		return m.computedKey(e, it)
	}
	agg = m.comparable(agg)
	at, err := m.column(agg)
	if err != nil {
		return sortable{}, err
	}
	out := sortable{key: engine.Key{Column: at, Weight: -1, Desc: it.desc}, at: at}
	if f := strings.ToLower(agg.F); f == ast.AggFuncMin || f == ast.AggFuncMax {
		return out, m.extremeKey(&out.key, agg)
	}
	return out, nil
}

// extremeKey makes the merged weight of a smallest or largest string part of its key.
func (m *aggMerge) extremeKey(k *engine.Key, agg *ast.AggregateFuncExpr) error {
	kind := m.orderOf(agg)
	if text := m.number(agg, kind); text != "" {
		i, err := m.column(aggregateOf(agg.F, compose(text, agg.Args[0])).(*ast.AggregateFuncExpr))
		k.Column = i
		return err
	}
	var err error
	if k.Weight, k.Pad, err = m.weigh(agg, kind); err != nil || k.Weight < 0 {
		return err
	}
	f := engine.Min
	if strings.EqualFold(agg.F, ast.AggFuncMax) {
		f = engine.Max
	}
	m.plan.aggs = append(m.plan.aggs, engine.Agg{Func: f, Out: k.Weight, Arg: []int{k.Weight}, ArgWeight: []int{k.Weight}, ArgPad: []int{k.Pad}})
	if k.Pad > 0 {
		m.plan.aggs = append(m.plan.aggs, engine.Agg{Func: engine.Max, Out: k.Pad, Arg: []int{k.Pad}})
	}
	return nil
}

// computedKey makes a key of an expression over aggregates.
func (m *aggMerge) computedKey(e ast.ExprNode, it orderItem) (sortable, error) {
	at := it.at
	if at < 0 {
		var err error
		if at, err = m.hide(e); err != nil {
			return sortable{}, err
		}
		if err = m.compute(e, at); err != nil {
			return sortable{}, err
		}
	}
	return sortable{key: engine.Key{Column: at, Weight: -1, Desc: it.desc}, at: at}, nil
}
