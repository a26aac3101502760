package plan

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
)

// Equalities that are not written as such: USING, NATURAL, and IN with a subquery.

// using writes USING and NATURAL out as equalities between the tables that hold the column.
func (b *block) using(j *ast.Join, on *conditions) {
	left, right := b.under(j.Left), b.under(j.Right)
	var names []string
	for _, c := range j.Using {
		names = append(names, c.Name.O)
	}
	if j.NaturalJoin {
		for _, l := range left {
			for _, c := range l.table.Columns {
				if holder(right, c.Name) != nil {
					names = append(names, c.Name)
				}
			}
		}
	}
	for _, name := range names {
		if l, r := merged(left, name), holder(right, name); l != nil && r != nil {
			on.exprs = append(on.exprs, &ast.BinaryOperationExpr{Op: opcode.EQ, L: l.columnExpr(name), R: r.columnExpr(name)})
		}
	}
}

// under gives the references with a known table in a part of the FROM clause.
func (b *block) under(n ast.ResultSetNode) []*tableRef {
	var out []*tableRef
	switch n := n.(type) {
	case *ast.Join:
		out = b.under(n.Left)
		if n.Right != nil {
			out = append(out, b.under(n.Right)...)
		}
	case *ast.TableSource:
		if j, ok := n.Source.(*ast.Join); ok {
			return b.under(j)
		}
		for _, ref := range b.scope {
			if ref.source == n && ref.table != nil {
				out = append(out, ref)
			}
		}
	}
	return out
}

// merged gives the reference that stands for a column which several tables joined by USING have: the first of them, if none may be missing.
func merged(refs []*tableRef, name string) *tableRef {
	for _, r := range refs {
		if _, ok := r.table.Column(name); ok && r.optional {
			return holder(refs, name)
		}
	}
	for _, r := range refs {
		if _, ok := r.table.Column(name); ok {
			return r
		}
	}
	return nil
}

// holder gives the only reference with a column of that name.
func holder(refs []*tableRef, name string) *tableRef {
	var found *tableRef
	for _, r := range refs {
		if _, ok := r.table.Column(name); ok {
			if found != nil {
				return nil
			}
			found = r
		}
	}
	return found
}

// seek reads `left IN (SELECT column …)` as the equality of both among the subquery's conditions: only rows with an equal column matter. A NULL
// on either side would make even rows matter that are not equal, so neither column may take NULL.
func (b *block) seek(left ast.ExprNode) {
	sel := b.sel
	if b.parent == nil || sel.Fields == nil || len(sel.Fields.Fields) != 1 || sel.GroupBy != nil || sel.Having != nil || sel.Limit != nil || len(sel.WindowSpecs) > 0 {
		return
	}
	right, ok := sel.Fields.Fields[0].Expr.(*ast.ColumnNameExpr)
	if !ok {
		return
	}
	ref, col, ok := b.scope.column(right.Name)
	if !ok || ref.optional || ref.table.Columns[col].Nullable {
		return
	}
	name, ok := left.(*ast.ColumnNameExpr)
	if !ok {
		return
	}
	outer, at, outerCol, ok := b.parent.lookup(name.Name)
	if !ok || outer.optional || outer.table.Columns[outerCol].Nullable {
		return
	}
	if x, y := at.placed(outer), b.placed(ref); x != nil && y != nil {
		b.sought = append(b.sought, [2]fieldOf{{x, outerCol}, {y, col}})
	}
}
