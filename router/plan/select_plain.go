package plan

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/engine"
)

// plan chooses how a SELECT's answers are merged.
func (s *scatter) plan() (treeBuilder, error) {
	aggregates := s.isAggregate()
	keys, err := s.groupItems()
	if err != nil {
		return nil, err
	}
	var groupedBy []ast.ExprNode
	for _, k := range keys {
		groupedBy = append(groupedBy, k.expr)
	}
	switch {
	case aggregates && (len(keys) == 0 || !s.balancedBy(groupedBy)):
		return s.planGroups(keys)
	case s.sel.Distinct && !s.distinctIsLocal(aggregates):
		return s.planDistinct(aggregates)
	}
	s.grouped = s.sel.GroupBy != nil
	return s.planRows()
}

// distinctIsLocal says whether rows of different nodes differ anyway, and nodes can be left to drop repeated ones: hidden weights would make
// rows differ that are equal.
func (s *scatter) distinctIsLocal(aggregates bool) bool {
	if aggregates {
		return false
	}
	if !s.balancedBy(s.exprs()) {
		return false
	}
	items, err := s.orderItems(s.sel.OrderBy)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(items, func(it orderItem) bool {
		kind := s.orderOf(it.expr)
		return it.at < 0 || kind != orderValue
	})
}

// rowsPlan gives the nodes' rows as they are, sorted and limited.
type rowsPlan struct {
	text  limitedText
	limit *limitPlan
	keys  []engine.Key
	// visible is how many columns the answer has when there are hidden ones; else 0.
	visible, width int
	// field is set when the first key is the first balancing field of a table: its place in bindCtx.tables.
	field int
	desc  bool
}

// planRows plans a SELECT whose rows need no merging beyond their order; groups, if any, don't span nodes.
func (s *scatter) planRows() (treeBuilder, error) {
	p := &rowsPlan{field: -1}
	var err error
	if p.limit, err = s.pc.readLimit(s.sel.Limit); err != nil {
		return nil, err
	}
	items, err := s.orderItems(s.sel.OrderBy)
	if err != nil {
		return nil, err
	}
	sel := *s.sel
	if len(items) > 0 {
		sel.OrderBy = &ast.OrderByClause{}
	}
	if len(items) > 0 && !s.grouped && !s.sel.Distinct {
		if _, index, ok := s.isFirstField(items[0].expr); ok {
			p.field, p.desc = index, items[0].desc
		}
	}
	for _, it := range items {
		k, err := s.keyOf(it.expr, it.at, it.desc, "ORDER BY")
		if err != nil {
			return nil, err
		}
		p.keys = append(p.keys, k.key)
		sel.OrderBy.Items = append(sel.OrderBy.Items, s.keepItem(it, k))
	}
	s.finish(&sel)
	p.text, err = s.selectText(sel)
	if len(s.hidden) > 0 {
		p.visible, p.width = len(s.fields), len(s.fields)+len(s.hidden)
	}
	return p, err
}

// keepItem leaves an ORDER BY item as it was written, but sorts by the hidden column where there is one for a computed key: it is computed once then.
func (s *scatter) keepItem(it orderItem, k sortable) *ast.ByItem {
	if _, _, plain := s.column(it.expr); plain || it.at >= 0 || k.at < len(s.fields) {
		return it.item
	}
	return s.pushedItem(k)
}

// finish puts the select list for the nodes, hidden columns included, into sel.
func (s *scatter) finish(sel *ast.SelectStmt) {
	list := slices.Clone(s.pushed)
	for _, h := range s.hidden {
		list = append(list, &ast.SelectField{Expr: h.expr, AsName: ast.NewCIStr(h.name)})
	}
	sel.Fields = &ast.FieldList{Fields: list}
}

func (p *rowsPlan) build(bc *bindCtx, nodes []int) (engine.Node, error) {
	w, err := p.limit.window(bc)
	if err != nil {
		return nil, err
	}
	sql := p.text.render(bc, w.set, w.reach())
	var root engine.Node
	if sorted, ok := p.inOrder(bc, nodes); ok {
		root = &engine.Ordered{Queries: queries(sorted, sql)}
	} else {
		leaf := &engine.Scatter{Queries: queries(nodes, sql)}
		root = leaf
		if len(p.keys) > 0 {
			root = &engine.MergeSort{Input: leaf, Keys: p.keys}
		}
	}
	return p.shown(w.limit(root)), nil
}

// shown drops the hidden columns.
func (p *rowsPlan) shown(in engine.Node) engine.Node {
	if p.visible == 0 {
		return in
	}
	return &engine.Project{Input: in, First: p.visible, Width: p.width}
}

// inOrder gives the nodes in the order of their keys, if the rule keeps the nodes' keys apart and the rows are wanted in that order.
func (p *rowsPlan) inOrder(bc *bindCtx, nodes []int) ([]int, bool) {
	if p.field < 0 {
		return nil, false
	}
	all, ok := bc.tables[p.field].Placement.Ordered()
	if !ok {
		return nil, false
	}
	sorted := make([]int, 0, len(nodes))
	for _, n := range all {
		if slices.Contains(nodes, n) {
			sorted = append(sorted, n)
		}
	}
	if len(sorted) != len(nodes) {
		return nil, false
	}
	if p.desc {
		slices.Reverse(sorted)
	}
	return sorted, true
}

// queries sends the same text to several nodes.
func queries(nodes []int, sql []byte) []engine.Query {
	out := make([]engine.Query, len(nodes))
	for i, n := range nodes {
		out[i] = engine.Query{Node: n, SQL: sql}
	}
	return out
}
