package plan

import "github.com/pingcap/tidb/pkg/parser/ast"
import "ballast/rules/catalog"

func (pc *planCtx) update(s *ast.UpdateStmt) error { return errRefused.New("UPDATE") }
func (pc *planCtx) delete(s *ast.DeleteStmt) error { return errRefused.New("DELETE") }
func (pc *planCtx) insertSelect(s *ast.InsertStmt, t *catalog.Table) error { return errRefused.New("INSERT … SELECT") }
