package plan

import (
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// noteFound keeps what FOUND_ROWS() will need: whether it was asked to count all rows, and the offset of the outermost LIMIT, which it
// counts with the rows that follow.
func (pc *planCtx) noteFound() {
	var limit *ast.Limit
	switch s := pc.stmt.(type) {
	case *ast.SelectStmt:
		limit = s.Limit
		pc.plan.CalcFoundRows = s.SelectStmtOpts != nil && s.SelectStmtOpts.CalcFoundRows
	case *ast.SetOprStmt:
		limit = s.Limit
		for _, first := range outerSelects(s) {
			pc.plan.CalcFoundRows = first.SelectStmtOpts != nil && first.SelectStmtOpts.CalcFoundRows
		}
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
