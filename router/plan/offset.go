package plan

import (
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// noteOffset keeps the offset of the outermost LIMIT, which FOUND_ROWS() counts with the rows that follow it.
func (pc *planCtx) noteOffset() {
	var limit *ast.Limit
	switch s := pc.stmt.(type) {
	case *ast.SelectStmt:
		limit = s.Limit
	case *ast.SetOprStmt:
		limit = s.Limit
	}
	if limit != nil && limit.Offset != nil {
		pc.plan.offset = limit.Offset
	}
}

// Offset is how many rows a SELECT's LIMIT skips; 0 where it says nothing.
func (p *Plan) Offset(a *Args) uint64 {
	switch e := p.offset.(type) {
	case *slotExpr:
		n, err := strconv.ParseUint(string(a.slot(e.index).Raw), 10, 64)
		if err != nil {
			return 0
		}
		return n
	case ast.ValueExpr:
		switch v := e.GetValue().(type) {
		case uint64:
			return v
		case int64:
			return uint64(max(v, 0))
		}
	}
	return 0
}
