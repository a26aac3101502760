package plan

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// expand adds the columns of a * or t.*.
func (s *scatter) expand(w *ast.WildCardField) {
	if s.opaque {
		return
	}
	if w.Table.L == "" && mergesColumns(s.sel.From) {
		n, ok := s.countMerged(s.sel.From.TableRefs)
		s.opaque = !ok
		for range n {
			s.fields = append(s.fields, &field{})
		}
		return
	}
	for _, ref := range s.block.scope {
		if w.Table.L != "" && !strings.EqualFold(ref.alias, w.Table.O) {
			continue
		}
		fields, ok := s.fieldsOf(ref)
		if !ok {
			s.opaque = true
			return
		}
		s.fields = append(s.fields, fields...)
	}
}

// fieldsOf gives the columns that * stands for of one reference.
func (s *scatter) fieldsOf(ref *tableRef) (out []*field, ok bool) {
	if ref.table == nil {
		return s.derivedFields(ref)
	}
	for _, c := range ref.table.Columns {
		if !c.Invisible {
			out = append(out, &field{expr: ref.columnExpr(c.Name), name: strings.ToLower(c.Name)})
		}
	}
	return out, true
}

// mergesColumns says whether a FROM clause has USING or NATURAL, which give a common column once.
func mergesColumns(from *ast.TableRefsClause) bool {
	if from == nil || from.TableRefs == nil {
		return false
	}
	var walk func(n ast.ResultSetNode) bool
	walk = func(n ast.ResultSetNode) bool {
		switch n := n.(type) {
		case *ast.Join:
			return n.NaturalJoin || len(n.Using) > 0 || walk(n.Left) || n.Right != nil && walk(n.Right)
		case *ast.TableSource:
			return walk(n.Source)
		}
		return false
	}
	return walk(from.TableRefs)
}

// countMerged counts the columns of a * over joins with USING; not over NATURAL, which would need to know which columns the tables share.
func (s *scatter) countMerged(n ast.ResultSetNode) (int, bool) {
	switch n := n.(type) {
	case *ast.Join:
		left, ok := s.countMerged(n.Left)
		if n.Right == nil || !ok {
			return left, ok
		}
		right, ok := s.countMerged(n.Right)
		return left + right - len(n.Using), ok && !n.NaturalJoin
	case *ast.TableSource:
		if j, ok := n.Source.(*ast.Join); ok {
			return s.countMerged(j)
		}
		for _, ref := range s.block.scope {
			if ref.source == n {
				fields, ok := s.fieldsOf(ref)
				return len(fields), ok
			}
		}
	}
	return 0, false
}

// known says whether all columns of the answer are known one by one.
func (s *scatter) known() bool {
	for _, f := range s.fields {
		if f.expr == nil {
			return false
		}
	}
	return !s.opaque
}
