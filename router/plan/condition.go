package plan

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"ballast/rules"
)

// condBlock is a query block under the view of pruning: its references, the conditions that every result row satisfies, and the columns
// that those make equal.
type condBlock struct {
	pc    *planCtx
	scope scope
	conds []ast.ExprNode
	// equal maps a column to the representative of the columns that equal it.
	equal map[columnID]columnID
}

// columnID is a column of a reference of the block.
type columnID struct {
	ref *tableRef
	col int
}

// condBlock takes the conditions apart at AND. They must hold for every row that counts: WHERE, and ON of inner joins.
func (pc *planCtx) condBlock(s scope, conds ...ast.ExprNode) *condBlock {
	b := &condBlock{pc: pc, scope: s, equal: map[columnID]columnID{}}
	for _, c := range conds {
		b.conds = appendConjuncts(b.conds, c)
	}
	for _, c := range b.conds {
		b.noteEquality(c)
	}
	return b
}

// appendConjuncts takes an expression apart at AND.
func appendConjuncts(dst []ast.ExprNode, e ast.ExprNode) []ast.ExprNode {
	switch x := e.(type) {
	case nil:
		return dst
	case *ast.ParenthesesExpr:
		return appendConjuncts(dst, x.Expr)
	case *ast.BinaryOperationExpr:
		if x.Op == opcode.LogicAnd {
			return appendConjuncts(appendConjuncts(dst, x.L), x.R)
		}
	}
	return append(dst, e)
}

// noteEquality remembers a.x = b.y between columns of one type, so that what is known of one is known of the other.
func (b *condBlock) noteEquality(e ast.ExprNode) {
	x, ok := e.(*ast.BinaryOperationExpr)
	if !ok || x.Op != opcode.EQ {
		return
	}
	l, okL := b.columnOf(x.L)
	r, okR := b.columnOf(x.R)
	if !okL || !okR || !sameType(l.ref.table.Columns[l.col].Field, r.ref.table.Columns[r.col].Field) {
		return
	}
	if from, to := b.root(l), b.root(r); from != to {
		b.equal[from] = to
	}
}

// sameType says whether equal values of two columns are the same key.
func sameType(a, b rules.FieldType) bool {
	return a.Kind != rules.FieldNone && a.Kind == b.Kind && a.Scale == b.Scale && a.Collation == b.Collation && a.Fixed == b.Fixed &&
		(!a.Fixed || a.Length == b.Length)
}

func (b *condBlock) root(c columnID) columnID {
	for {
		up, ok := b.equal[c]
		if !ok {
			return c
		}
		c = up
	}
}

// joined says whether the conditions make two columns equal.
func (b *condBlock) joined(x, y columnID) bool { return b.root(x) == b.root(y) }

// columnOf reads an expression as a column of one of the block's tables.
func (b *condBlock) columnOf(e ast.ExprNode) (columnID, bool) {
	for {
		p, ok := e.(*ast.ParenthesesExpr)
		if !ok {
			break
		}
		e = p.Expr
	}
	c, ok := e.(*ast.ColumnNameExpr)
	if !ok {
		return columnID{}, false
	}
	ref, col, ok := b.scope.column(c.Name)
	return columnID{ref, col}, ok
}
