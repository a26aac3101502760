package plan

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/engine"
)

// scatterUnion plans a UNION whose sides are on several nodes.
func (pc *planCtx) scatterUnion(u *ast.SetOprStmt) (treeBuilder, error) {
	return nil, errTooMuch.New("UNION")
}

var _ engine.Node
