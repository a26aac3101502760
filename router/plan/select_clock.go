package plan

import (
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/test_driver"
)

// fixClock writes one time of the router into a statement for several nodes in place of NOW() and its relatives: each node would answer its own.
// The value is in seconds since 1970, and the nodes turn it into a date in the session's time zone.
func fixClock(stmt ast.Node) { stmt.Accept(&clockFixer{}) }

type clockFixer struct{}

// Enter implements ast.Visitor.
func (clockFixer) Enter(n ast.Node) (ast.Node, bool) { return n, false }

// Leave implements ast.Visitor.
func (clockFixer) Leave(n ast.Node) (ast.Node, bool) {
	f, ok := n.(*ast.FuncCallExpr)
	if !ok || f.Schema.L != "" {
		return n, true
	}
	digits, ok := fractionDigits(f.Args)
	if !ok {
		return n, true
	}
	at := compose("TRUNCATE(%,"+strconv.Itoa(digits)+")", &slotExpr{kind: slotClock})
	utc := compose("TIMESTAMP'1970-01-01 00:00:00'+INTERVAL % SECOND", at)
	fixed := map[string]ast.ExprNode{
		"now":            compose("FROM_UNIXTIME(%)", at),
		"curdate":        compose("DATE(FROM_UNIXTIME(%))", at),
		"curtime":        compose("TIME(FROM_UNIXTIME(%))", at),
		"utc_timestamp":  compose("CAST(% AS DATETIME("+strconv.Itoa(digits)+"))", utc),
		"utc_date":       compose("DATE(%)", utc),
		"utc_time":       compose("CAST(TIME(%) AS TIME("+strconv.Itoa(digits)+"))", utc),
		"unix_timestamp": compose("CAST(% AS UNSIGNED)", at),
	}
	name := f.FnName.L
	switch name {
	case "current_timestamp", "localtime", "localtimestamp":
		name = "now"
	case "current_date":
		name = "curdate"
	case "current_time":
		name = "curtime"
	}
	if e, ok := fixed[name]; ok {
		return e, true
	}
	return n, true
}

// fractionDigits reads the argument of NOW(n); ok is false if there is another argument.
func fractionDigits(args []ast.ExprNode) (int, bool) {
	if len(args) == 0 {
		return 0, true
	}
	v, ok := args[0].(*test_driver.ValueExpr)
	if !ok || len(args) > 1 {
		return 0, false
	}
	n, ok := v.GetValue().(int64)
	return int(n), ok && n >= 0 && n <= 6
}

// clockValue is the statement's time, the same in all its parts: the session's @@timestamp if it was set, else the session's clock.
func (bc *bindCtx) clockValue() Literal {
	if bc.clock.Kind == 0 {
		bc.clock = Literal{Kind: LitDecimal, Bare: true, Raw: []byte(bc.env.Clock)}
		if bc.env.Clock == "" {
			bc.clock = bc.value(slotFunc, int(FuncNow))
		}
	}
	return bc.clock
}
