package plan

import (
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

func (pc *planCtx) insert(s *ast.InsertStmt) error              { return errRefused.New("INSERT") }
func (pc *planCtx) update(s *ast.UpdateStmt) error              { return errRefused.New("UPDATE") }
func (pc *planCtx) delete(s *ast.DeleteStmt) error              { return errRefused.New("DELETE") }
func (f fixedFunc) evaluate(bc *bindCtx, now time.Time) Literal { return Literal{} }
