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
