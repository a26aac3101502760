package plan

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"ballast/rules/catalog"
)

// block is one SELECT of a statement: the outermost, one side of a UNION, a subquery, a derived table or a common table expression.
type block struct {
	sel    *ast.SelectStmt
	scope  scope
	refs   []*placedRef // the sharded tables in scope
	parent *block       // the block whose columns this one may name; nil for derived tables and common table expressions
	conds  *conditions  // WHERE and the ON clauses that filter all rows of the block
	lists  []*conditions
	// standIns are the derived tables of the FROM clause.
	standIns []standIn
	// place is where this block stands in another's FROM clause, if it is a derived table.
	place *standIn
	// sought are equalities of a column of an outer block with one of this, from IN with this subquery.
	sought [][2]fieldOf
	// derived says that the block stands in a FROM or WITH clause, or inside one that does.
	derived bool
}

// standIn is a derived table among the references of a block.
type standIn struct {
	ref   *tableRef
	in    *block
	conds *conditions
	inner *block // nil until the walk has come to it
}

// conditions is a list of conditions that rows must meet, all ANDed. Those of an outer join's inner side hold for that side's rows only.
type conditions struct {
	exprs []ast.ExprNode
	above *conditions
	block *block
}

// all gives the list and those above it.
func (c *conditions) all() []ast.ExprNode {
	var out []ast.ExprNode
	for ; c != nil; c = c.above {
		out = append(out, c.exprs...)
	}
	return out
}

func (c *conditions) add(e ast.ExprNode) { c.exprs = append(c.exprs, conjuncts(e)...) }

// within says whether rows that c is about are rows that outer is about.
func (c *conditions) within(outer *conditions) bool {
	for ; c != nil; c = c.above {
		if c == outer {
			return true
		}
	}
	return false
}

// placedRef is a reference to a sharded table.
type placedRef struct {
	*tableRef
	block *block
	conds *conditions
	group *located
	finds *pruner
}

// conjuncts takes an AND apart.
func conjuncts(e ast.ExprNode) []ast.ExprNode {
	switch e := e.(type) {
	case nil:
		return nil
	case *ast.ParenthesesExpr:
		return conjuncts(e.Expr)
	case *ast.BinaryOperationExpr:
		if e.Op == opcode.LogicAnd {
			return append(conjuncts(e.L), conjuncts(e.R)...)
		}
	}
	return []ast.ExprNode{e}
}

// blockWalk collects the blocks of a statement, outer ones first.
type blockWalk struct {
	pc      *planCtx
	blocks  []*block
	open    []*block
	derived int
	// sought is the expression left of IN for the subqueries that stand right of it.
	sought map[*ast.SelectStmt]ast.ExprNode
}

// Enter implements ast.Visitor.
func (w *blockWalk) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.SelectStmt:
		b := &block{sel: n, derived: w.derived > 0}
		if len(w.open) > 0 && w.open[len(w.open)-1] != nil {
			b.parent = w.open[len(w.open)-1]
		}
		w.place(b)
		w.open = append(w.open, b)
		w.blocks = append(w.blocks, b)
		b.collect(w.pc)
		if left := w.sought[n]; left != nil {
			b.seek(left)
		}
	case *ast.PatternInExpr:
		if sub, ok := n.Sel.(*ast.SubqueryExpr); ok {
			if sel, ok := sub.Query.(*ast.SelectStmt); ok {
				if w.sought == nil {
					w.sought = map[*ast.SelectStmt]ast.ExprNode{}
				}
				w.sought[sel] = n.Expr
			}
		}
	case *ast.TableSource:
		if isQuery(n.Source) {
			w.derived++
			w.open = append(w.open, nil)
		}
	case *ast.WithClause:
		w.derived++
		w.open = append(w.open, nil)
	}
	return n, false
}

// place notes where a derived table stands.
func (w *blockWalk) place(b *block) {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i] == nil {
			continue
		}
		for j := range w.open[i].standIns {
			if s := &w.open[i].standIns[j]; s.ref.source.Source == ast.ResultSetNode(b.sel) {
				s.inner, b.place = b, s
			}
		}
		return
	}
}

// Leave implements ast.Visitor.
func (w *blockWalk) Leave(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.SelectStmt:
		w.open = w.open[:len(w.open)-1]
	case *ast.TableSource:
		if isQuery(n.Source) {
			w.derived--
			w.open = w.open[:len(w.open)-1]
		}
	case *ast.WithClause:
		w.derived--
		w.open = w.open[:len(w.open)-1]
	}
	return n, true
}

func isQuery(n ast.ResultSetNode) bool {
	switch n.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		return true
	}
	return false
}

// collect fills the block from its FROM and WHERE clauses.
func (b *block) collect(pc *planCtx) {
	b.scope = pc.scopeOf(b.sel.From)
	b.conds = &conditions{block: b}
	b.lists = []*conditions{b.conds}
	if b.sel.From != nil && b.sel.From.TableRefs != nil {
		b.join(b.sel.From.TableRefs, b.conds)
	}
	b.conds.add(b.sel.Where)
}

// join hands the conditions of joins to the references that they are about.
func (b *block) join(n ast.ResultSetNode, conds *conditions) {
	switch n := n.(type) {
	case *ast.Join:
		left, right := conds, conds
		switch {
		case n.Right == nil:
			b.join(n.Left, conds)
			return
		case n.Tp == ast.LeftJoin:
			right = b.inner(conds)
		case n.Tp == ast.RightJoin:
			left = b.inner(conds)
		}
		on := left
		if n.Tp == ast.LeftJoin {
			on = right
		}
		if n.On != nil {
			on.add(n.On.Expr)
		}
		b.using(n, on)
		b.join(n.Left, left)
		b.join(n.Right, right)
	case *ast.TableSource:
		if j, ok := n.Source.(*ast.Join); ok {
			b.join(j, conds)
			return
		}
		for _, ref := range b.scope {
			switch {
			case ref.source != n:
			case ref.table == nil:
				b.standIns = append(b.standIns, standIn{ref: ref, in: b, conds: conds})
			case ref.table.Kind == catalog.Sharded:
				b.refs = append(b.refs, &placedRef{tableRef: ref, block: b, conds: conds})
			}
		}
	}
}

func (b *block) inner(above *conditions) *conditions {
	c := &conditions{above: above, block: b}
	b.lists = append(b.lists, c)
	return c
}

// columnExpr names a column of the reference without doubt.
func (r *tableRef) columnExpr(name string) ast.ExprNode {
	return &ast.ColumnNameExpr{Name: &ast.ColumnName{Table: ast.NewCIStr(r.alias), Name: ast.NewCIStr(name)}}
}

// lookup finds the reference and column that a name means in this block or, for a subquery, in those around it.
func (b *block) lookup(name *ast.ColumnName) (*tableRef, *block, int, bool) {
	for at := b; at != nil; at = at.parent {
		if ref, col, ok := at.scope.column(name); ok {
			return ref, at, col, true
		}
		if name.Table.L == "" && at.scope.opaque() {
			return nil, nil, 0, false
		}
	}
	return nil, nil, 0, false
}

// opaque says whether the scope holds references with unknown columns: derived tables and the like.
func (s scope) opaque() bool {
	for _, r := range s {
		if r.table == nil {
			return true
		}
	}
	return false
}

// placed gives the block's own record of a reference; nil if it is not sharded.
func (b *block) placed(ref *tableRef) *placedRef {
	for _, r := range b.refs {
		if r.tableRef == ref {
			return r
		}
	}
	return nil
}
