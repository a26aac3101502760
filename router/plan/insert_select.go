package plan

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/rules/catalog"
)

// insertSelect plans INSERT … SELECT into a sharded or global table. Rows would have to be fetched and placed one by one, so it is refused,
// except for a SELECT without tables and conditions, which is a row of values.
func (pc *planCtx) insertSelect(s *ast.InsertStmt, t *catalog.Table) error {
	sel, ok := s.Select.(*ast.SelectStmt)
	if ok && sel.Kind == ast.SelectStmtKindValues && pc.mariaDB {
		return errNoParse.New("ROW", 1) // MariaDB has no such form, and says so itself
	}
	if ok && sel.Kind == ast.SelectStmtKindValues && sel.OrderBy == nil && sel.Limit == nil {
		s.Select, s.Lists = nil, make([][]ast.ExprNode, len(sel.Lists)) // VALUES ROW (…), ROW (…)
		for i, row := range sel.Lists {
			s.Lists[i] = row.Values
		}
		return pc.insert(s)
	}
	if !ok || sel.From != nil || sel.Where != nil || sel.Having != nil || sel.GroupBy != nil || sel.Limit != nil || sel.With != nil || sel.Fields == nil {
		return errInsertSelect.New(pc.verbName(), t.Name)
	}
	row := make([]ast.ExprNode, 0, len(sel.Fields.Fields))
	for _, f := range sel.Fields.Fields {
		if f.Expr == nil || hasAggregate(f.Expr) {
			return errInsertSelect.New(pc.verbName(), t.Name)
		}
		row = append(row, f.Expr)
	}
	s.Select, s.Lists = nil, [][]ast.ExprNode{row}
	return pc.insert(s)
}
