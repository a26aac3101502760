package plan

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"ballast/router/engine"
)

// havingPlan makes the condition on merged groups for one execution; its constants may be slots.
type havingPlan func(bc *bindCtx) (engine.Expr, error)

// inHaving is the place of expressions in HAVING.
const inHaving = "HAVING"

// pushHaving divides HAVING: what names no aggregate is the same for all parts of a group and stays with the nodes; the rest is left for the
// merged groups. Without GROUP BY nothing stays, because each node must give its one row.
func (s *scatter) pushHaving(sel *ast.SelectStmt, p *groupPlan, m *aggMerge, groups bool) error {
	if s.sel.Having == nil {
		return nil
	}
	var kept []ast.ExprNode
	h := &havingReader{aggMerge: m, place: inHaving}
	for _, c := range conjuncts(s.sel.Having.Expr) {
		if groups && !s.aggregated(c) {
			if name := h.outOfSight(c); name != "" { // hidden columns would make it seen
				return errUnknownCol.New(name, "having clause")
			}
			kept = append(kept, c)
			continue
		}
		one, err := h.expr(c)
		if err != nil {
			return err
		}
		p.having = andThen(p.having, one)
	}
	if len(kept) > 0 {
		all := kept[0]
		for _, c := range kept[1:] {
			all = &ast.BinaryOperationExpr{Op: opcode.LogicAnd, L: all, R: c}
		}
		sel.Having = &ast.HavingClause{Expr: all}
	}
	return nil
}

func andThen(a, b havingPlan) havingPlan {
	if a == nil {
		return b
	}
	return binaryHaving(engine.And, a, b)
}

// aggregated says whether a condition names an aggregate, itself or by an alias.
func (s *scatter) aggregated(e ast.ExprNode) bool {
	if hasAggregate(e) {
		return true
	}
	f := &aliasFinder{s: s}
	e.Accept(f)
	return f.found
}

type aliasFinder struct {
	s     *scatter
	found bool
}

// Enter implements ast.Visitor.
func (f *aliasFinder) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.SubqueryExpr:
		return n, true
	case *ast.ColumnNameExpr:
		f.found = f.found || f.s.aggregateAlias(n) >= 0
	}
	return n, f.found
}

// Leave implements ast.Visitor.
func (f *aliasFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// aggregateAlias gives the answer's column that a name means if that column is an aggregate, else -1.
func (s *scatter) aggregateAlias(e ast.ExprNode) int {
	if name, ok := plainName(e); ok {
		if i := s.byName(name, true); i >= 0 && s.fields[i].agg {
			return i
		}
	}
	return -1
}

// outOfSight gives the first column in e that HAVING can't see: it sees columns of the select list and of GROUP BY. "" if there is none.
func (h *havingReader) outOfSight(e ast.ExprNode) string {
	f := &columnLister{}
	e.Accept(f)
	for _, c := range f.columns {
		name, plain := plainName(c)
		if plain && h.byName(name, false) >= 0 || h.visible(c) >= 0 {
			continue
		}
		if !slices.ContainsFunc(h.items, func(g groupItem) bool { return h.same(g.expr, c) }) {
			return c.Name.String()
		}
	}
	return ""
}

type columnLister struct{ columns []*ast.ColumnNameExpr }

// Enter implements ast.Visitor.
func (f *columnLister) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.SubqueryExpr:
		return n, true
	case *ast.ColumnNameExpr:
		f.columns = append(f.columns, n)
	}
	return n, false
}

// Leave implements ast.Visitor.
func (f *columnLister) Leave(n ast.Node) (ast.Node, bool) { return n, true }
