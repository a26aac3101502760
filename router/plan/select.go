package plan

import "github.com/pingcap/tidb/pkg/parser/ast"

// planSelect plans a query on sharded tables.
func (pc *planCtx) planSelect(stmt ast.StmtNode) (binder, error) {
	return nil, errRefused.New("SELECT on sharded tables")
}
