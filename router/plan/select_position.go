package plan

import (
	"regexp"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	"github.com/pingcap/tidb/pkg/parser/test_driver"
)

// positionOf reads an item of ORDER BY or GROUP BY that names a column of the answer by its number; ok is false for all other items. The
// servers look through parentheses. TRUE is the number 1 for MariaDB, and a constant that orders nothing for MySQL.
func (pc *planCtx) positionOf(e ast.ExprNode) (n int, ok bool, err error) {
	if p, ok := e.(*ast.PositionExpr); ok {
		if !pc.mariaDB && (p.N == 0 || p.N == 1) && booleanItem.MatchString(pc.norm) { // the parser makes positions of them as well
			return 0, false, errTooMuch.New("TRUE or FALSE as an item of ORDER BY or GROUP BY")
		}
		return p.N, true, nil
	}
	inner, ok := e.(*ast.ParenthesesExpr)
	if !ok {
		return 0, false, nil
	}
	for {
		next, ok := inner.Expr.(*ast.ParenthesesExpr)
		if !ok {
			break
		}
		inner = next
	}
	switch v := inner.Expr.(type) {
	case *slotExpr:
		pc.repeats = pc.repeats || v.kind == slotLiteral && !pc.exact // only the literal itself tells
	case *test_driver.ValueExpr:
		if v.Kind() == test_driver.KindInt64 && (pc.mariaDB || !mysql.HasIsBooleanFlag(v.Type.GetFlag())) {
			return int(v.GetInt64()), true, nil
		}
	}
	return 0, false, nil
}

var booleanItem = regexp.MustCompile(`(?i)\bby\s+(?:[^()]*,\s*)?(?:true|false)\b`)
