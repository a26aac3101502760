package plan

import "github.com/pingcap/tidb/pkg/parser/ast"

// planDistinct plans DISTINCT rows: the same as groups by all columns, so that hidden weights don't make equal rows differ.
func (s *scatter) planDistinct(aggregates bool) (treeBuilder, error) {
	switch {
	case aggregates:
		return nil, errTooMuch.New("DISTINCT together with aggregates")
	case !s.known():
		return nil, errTooMuch.New("DISTINCT '*' with NATURAL JOIN, USING or a derived table")
	}
	s.grouped = true
	p := &groupPlan{distinct: true}
	sel := *s.sel
	sel.Distinct, sel.OrderBy, sel.GroupBy = false, nil, &ast.GroupByClause{}
	var items []groupItem
	for i, f := range s.fields {
		items = append(items, groupItem{expr: f.expr, at: i})
		sel.GroupBy.Items = append(sel.GroupBy.Items, &ast.ByItem{Expr: &ast.PositionExpr{N: i + 1}, NullOrder: true})
	}
	order, err := s.orderItems(s.sel.OrderBy)
	if err != nil {
		return nil, err
	}
	keys, err := s.groupOrder(p, &aggMerge{scatter: s, plan: p}, items, order)
	if err != nil {
		return nil, err
	}
	sel.OrderBy = &ast.OrderByClause{}
	for _, k := range keys {
		p.merge = append(p.merge, k.key)
		sel.OrderBy.Items = append(sel.OrderBy.Items, s.pushedItem(k))
	}
	p.limited = p.sort == nil
	return p, s.complete(p, sel)
}
