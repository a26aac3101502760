package plan

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// derivedAnchor finds the set that rows come from where the outermost FROM holds no sharded table itself, but a derived table that does: each
// node's part of it depends on that node's rows only if it neither limits, nor groups, nor drops repeated rows across nodes.
func (pc *planCtx) derivedAnchor(outer *block, sp *spread) error {
	for _, ref := range outer.scope {
		sel, ok := ref.source.Source.(*ast.SelectStmt)
		if !ok || ref.optional {
			continue
		}
		for _, set := range sp.sets {
			if set.block.sel != sel || len(set.filters) == 0 {
				continue
			}
			if err := pc.rowByRow(set, sp); err != nil {
				return err
			}
			sp.anchor, sp.apart = set, nil
			for _, other := range sp.sets {
				if other != set && !other.group.guestOf(set.group) {
					sp.apart = append(sp.apart, other)
				}
			}
			return nil
		}
	}
	return nil
}

// rowByRow refuses derived tables whose rows don't belong to one node each.
func (pc *planCtx) rowByRow(set *nodeSet, sp *spread) error {
	sel := set.block.sel
	refuse := func(what string) error {
		return errTooMuch.New(what + " in a derived table on sharded table '" + set.refs[0].alias + "'")
	}
	if sel.Limit != nil {
		return refuse("LIMIT")
	}
	s := newScatter(pc, sel, set.block, &spread{sets: sp.sets, anchor: set})
	if err := s.readFields(); err != nil {
		return err
	}
	groups, err := s.groupItems()
	if err != nil {
		return err
	}
	var by []ast.ExprNode
	for _, g := range groups {
		by = append(by, g.expr)
	}
	if s.isAggregate() && !(len(by) > 0 && s.balancedBy(by)) {
		return refuse("an aggregate")
	}
	if sel.Distinct && (s.isAggregate() || !s.balancedBy(s.exprs())) {
		return refuse("DISTINCT")
	}
	return nil
}

// exprs gives the expressions of the answer's columns.
func (s *scatter) exprs() []ast.ExprNode {
	var out []ast.ExprNode
	for _, f := range s.fields {
		out = append(out, f.expr)
	}
	return out
}

// isAggregate says whether the SELECT groups its rows, by GROUP BY or just by aggregates.
func (s *scatter) isAggregate() bool {
	return s.sel.GroupBy != nil || s.sel.Having != nil && hasAggregate(s.sel.Having) || s.sel.OrderBy != nil && hasAggregate(s.sel.OrderBy) ||
		slices.ContainsFunc(s.fields, func(f *field) bool { return f.agg })
}

// derivedFields gives the columns of a derived table; ok is false where they can't be told.
func (s *scatter) derivedFields(ref *tableRef) (out []*field, ok bool) {
	sel, ok := ref.source.Source.(*ast.SelectStmt)
	if !ok || sel.Fields == nil {
		return nil, false
	}
	inner := newScatter(s.pc, sel, &block{sel: sel, scope: s.pc.scopeOf(sel.From)}, s.spread)
	if err := inner.readFields(); err != nil || inner.opaque {
		return nil, false
	}
	for _, f := range inner.fields {
		if f.name == "" {
			return nil, false
		}
		out = append(out, &field{expr: ref.columnExpr(f.name), name: strings.ToLower(f.name)})
	}
	return out, true
}

// throughDerived finds the column of a sharded table that a derived table's column is. Only derived tables whose every row is a row of that table
// are looked through.
func (b *block) throughDerived(name *ast.ColumnName) (fieldOf, bool) {
	for i := range b.standIns {
		d := b.standIns[i].inner
		if d == nil || name.Table.L == "" || !strings.EqualFold(b.standIns[i].ref.alias, name.Table.O) || !d.plain() {
			continue
		}
		for _, f := range d.sel.Fields.Fields {
			inner := &ast.ColumnName{Name: name.Name}
			switch c, isColumn := f.Expr.(*ast.ColumnNameExpr); {
			case f.WildCard != nil:
				inner.Table = f.WildCard.Table
			case !isColumn || f.AsName.L != name.Name.L && (f.AsName.L != "" || c.Name.Name.L != name.Name.L):
				continue
			default:
				inner = c.Name
			}
			if ref, col, ok := d.scope.column(inner); ok {
				r := d.placed(ref)
				return fieldOf{r, col}, r != nil
			}
		}
	}
	return fieldOf{}, false
}

// plain says whether the block only chooses rows and columns.
func (b *block) plain() bool {
	sel := b.sel
	if sel.Limit != nil || sel.Distinct || sel.GroupBy != nil || sel.Having != nil || refuseConstructs(sel) != nil {
		return false
	}
	return !slices.ContainsFunc(sel.Fields.Fields, func(f *ast.SelectField) bool { return f.Expr != nil && hasAggregate(f.Expr) })
}
