package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"ballast/router/engine"
)

// groupItem is one item of GROUP BY with what it stands for; at is the index of the answer's column that it is, or -1.
type groupItem struct {
	expr ast.ExprNode
	at   int
}

// groupItems reads GROUP BY: positions, columns, aliases, expressions. A column of a table goes before an alias.
func (s *scatter) groupItems() ([]groupItem, error) {
	if s.sel.GroupBy == nil {
		return nil, nil
	}
	var out []groupItem
	for _, it := range s.sel.GroupBy.Items {
		g := groupItem{expr: it.Expr, at: -1}
		n, position, err := s.pc.positionOf(it.Expr)
		if err != nil {
			return nil, err
		}
		if position {
			if n < 1 || n > len(s.fields) {
				return nil, errUnknownCol.New(strconv.Itoa(n), "group statement")
			}
			if s.fields[n-1].expr == nil {
				return nil, errTooMuch.New("GROUP BY a position of '*' with NATURAL JOIN or USING")
			}
			g.at = n - 1
		} else if name, ok := plainName(it.Expr); ok && s.catalogColumn(it.Expr) == nil {
			g.at = s.byName(name, true)
		}
		if g.at >= 0 {
			g.expr = unnamed(s.fields[g.at].expr)
		} else {
			g.expr = s.withoutAliases(it.Expr)
			g.at = s.visible(g.expr)
		}
		out = append(out, g)
	}
	return out, nil
}

// groupPlan merges groups that span nodes.
type groupPlan struct {
	text limitedText
	// limited says that the nodes may cut their groups off at LIMIT: they come in the answer's order and none is dropped later.
	limited bool
	limit   *limitPlan
	// merge is the order of the nodes' groups; groups are the keys that tell groups apart, in that order.
	merge []engine.Key
	aggs  []engine.Agg
	empty *limitedText
	// computed are columns that are expressions over aggregates.
	computed []computedPlan
	having   havingPlan
	sort     []engine.Key
	// distinct is set for DISTINCT rows instead of groups.
	distinct bool
	visible  int
	width    int
}

// planGroups plans aggregates and groups whose rows are on several nodes: each node gives partial values, sorted by the group's keys.
func (s *scatter) planGroups(items []groupItem) (treeBuilder, error) {
	if s.sel.Distinct {
		return nil, errTooMuch.New("DISTINCT together with aggregates")
	}
	if !s.known() {
		return nil, errTooMuch.New("'*' together with aggregates")
	}
	s.grouped = len(items) > 0
	p := &groupPlan{}
	sel := *s.sel
	sel.OrderBy, sel.Having = nil, nil
	order, err := s.orderItems(s.sel.OrderBy)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		order = nil // one row has no order
	}
	m := &aggMerge{scatter: s, plan: p, items: items}
	for i, f := range s.fields {
		if !f.agg {
			if len(items) == 0 && s.anyRow(f.expr) {
				return nil, errTooMuch.New("a column beside aggregates without GROUP BY")
			}
			continue
		}
		if err := m.merge(unnamed(f.expr), i); err != nil {
			return nil, err
		}
	}
	if err := s.pushHaving(&sel, p, m, len(items) > 0); err != nil {
		return nil, err
	}
	byKeys, err := s.groupOrder(p, m, items, order)
	if err != nil {
		return nil, err
	}
	for _, k := range byKeys {
		p.merge = append(p.merge, k.key)
	}
	sel.GroupBy = m.groupBy(s.sel.GroupBy)
	if len(byKeys) > 0 {
		sel.OrderBy = &ast.OrderByClause{}
		for _, k := range byKeys {
			sel.OrderBy.Items = append(sel.OrderBy.Items, s.pushedItem(k))
		}
	}
	if len(items) == 0 && len(m.distinct) > 0 {
		if err := s.overNothing(p, sel); err != nil {
			return nil, err
		}
	}
	p.limited = len(items) > 0 && p.sort == nil && p.having == nil && len(m.distinct) == 0
	return p, s.complete(p, sel)
}

// complete writes the text for the nodes and notes what the answer shows.
func (s *scatter) complete(p *groupPlan, sel ast.SelectStmt) (err error) {
	if p.limit, err = s.pc.readLimit(s.sel.Limit); err != nil {
		return err
	}
	s.finish(&sel)
	if p.text, err = s.selectText(sel); err != nil {
		return err
	}
	if len(s.hidden) > 0 {
		p.visible, p.width = len(s.fields), len(s.fields)+len(s.hidden)
	}
	return nil
}

// computedPlan is an expression that is computed for each merged group, in place of column out.
type computedPlan struct {
	out  int
	expr havingPlan
}

// groupOrder chooses the order in which nodes give their groups. If ORDER BY names only keys of the groups it is that order, and merging
// keeps it; else the merged groups are sorted.
func (s *scatter) groupOrder(p *groupPlan, m *aggMerge, items []groupItem, order []orderItem) ([]sortable, error) {
	var keys []sortable
	for _, it := range items {
		k, err := s.keyOf(it.expr, it.at, false, "GROUP BY")
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(keys, func(have sortable) bool { return have.key == k.key }) {
			keys = append(keys, k)
		}
	}
	var wanted []sortable
	onlyKeys := true
	for _, it := range order {
		k, err := m.orderKey(it)
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, k)
		onlyKeys = onlyKeys && slices.ContainsFunc(keys, func(have sortable) bool { return have.key.Column == k.key.Column })
	}
	if !onlyKeys {
		for _, k := range wanted {
			p.sort = append(p.sort, k.key)
		}
		return keys, nil
	}
	return inOrderOf(wanted, keys), nil
}

// inOrderOf puts the wanted keys first, and the others behind them.
func inOrderOf(wanted, keys []sortable) []sortable {
	var out []sortable
	for _, list := range [2][]sortable{wanted, keys} {
		for _, k := range list {
			if !slices.ContainsFunc(out, func(have sortable) bool { return have.key.Column == k.key.Column }) {
				out = append(out, k)
			}
		}
	}
	return out
}

// overNothing plans the one row of aggregates over no rows at all, where the nodes, which group by the DISTINCT arguments, give none: the
// statement without its groups, over nothing.
func (s *scatter) overNothing(p *groupPlan, sel ast.SelectStmt) error {
	sel.GroupBy, sel.OrderBy, sel.LockInfo = nil, nil, nil
	never := compose("0")
	sel.Where = never
	if s.sel.Where != nil {
		sel.Where = &ast.BinaryOperationExpr{Op: opcode.LogicAnd, L: &ast.ParenthesesExpr{Expr: s.sel.Where}, R: never}
	}
	list := slices.Clone(s.pushed)
	for _, h := range s.hidden {
		e := h.expr
		if h.single && namesColumn(h.expr) {
			e = compose("NULL")
		}
		list = append(list, &ast.SelectField{Expr: e, AsName: ast.NewCIStr(h.name)})
	}
	sel.Fields = &ast.FieldList{Fields: list}
	t, err := s.selectText(sel)
	p.empty = &t
	return err
}

func (p *groupPlan) build(bc *bindCtx, nodes []int) (engine.Node, error) {
	w, err := p.limit.window(bc)
	if err != nil {
		return nil, err
	}
	leaf := &engine.Scatter{Queries: queries(nodes, p.text.render(bc, w.set && p.limited, w.reach()))}
	var root engine.Node = leaf
	if len(p.merge) > 0 {
		root = &engine.MergeSort{Input: leaf, Keys: p.merge}
	}
	if p.distinct {
		root = &engine.Distinct{Input: root, Keys: p.merge}
	} else {
		g := &engine.Group{Input: root, Keys: p.merge, Aggs: p.aggs, Budget: bc.env.QueryMemory}
		if p.empty != nil {
			g.Empty = &engine.Scatter{Queries: queries(nodes[:1], p.empty.render(bc, false, 0))}
		}
		root = g
	}
	if len(p.computed) > 0 {
		c := &engine.Compute{Input: root}
		for _, x := range p.computed {
			e, err := x.expr(bc)
			if err != nil {
				return nil, err
			}
			c.Columns = append(c.Columns, engine.Computed{Out: x.out, Expr: e})
		}
		root = c
	}
	if p.having != nil {
		cond, err := p.having(bc)
		if err != nil {
			return nil, err
		}
		root = &engine.Having{Input: root, Cond: cond}
	}
	if p.sort != nil {
		root = &engine.Sort{Input: root, Keys: p.sort, Limit: w.rows(), Budget: bc.env.QueryMemory}
	}
	root = w.limit(root)
	if p.visible > 0 {
		root = &engine.Project{Input: root, First: p.visible, Width: p.width}
	}
	return root, nil
}

// anyRow says whether the value of an expression beside aggregates without GROUP BY would come from any row: a node without rows gives NULL for it.
// Under ONLY_FULL_GROUP_BY the server refuses it, save for ANY_VALUE.
func (s *scatter) anyRow(e ast.ExprNode) bool {
	f := &columnFinder{}
	e.Accept(f)
	return f.found && (f.anyValue || s.pc.env.Flags&OnlyFullGroupBy == 0)
}

// namesColumn says whether an expression names a column of a table.
func namesColumn(e ast.ExprNode) bool {
	f := &columnFinder{}
	e.Accept(f)
	return f.found
}

type columnFinder struct{ found, anyValue bool }

// Enter implements ast.Visitor.
func (f *columnFinder) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.ColumnNameExpr:
		f.found = true
	case *ast.FuncCallExpr:
		f.anyValue = f.anyValue || n.FnName.L == "any_value"
	}
	return n, false
}

// Leave implements ast.Visitor.
func (f *columnFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }

func aggName(e *ast.AggregateFuncExpr) string { return strings.ToUpper(e.F) }
