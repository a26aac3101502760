package plan

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// fixedFunc is a function whose value is computed once for all nodes that run the statement.
type fixedFunc struct {
	name string
}

// evaluate computes the function.
func (f fixedFunc) evaluate() Literal {
	var b [16]byte
	rand.Read(b[:]) //nolint:errcheck // never fails since Go 1.24
	switch f.name {
	case "uuid":
		b[6], b[8] = b[6]&0x0f|0x10, b[8]&0x3f|0x80
		return Literal{Kind: LitString, Bare: true, Raw: fmt.Appendf(nil, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])}
	case "uuid_short":
		return Literal{Kind: LitInt, Bare: true, Raw: strconv.AppendUint(nil, binary.LittleEndian.Uint64(b[:])>>1, 10)}
	}
	return Literal{Kind: LitFloat, Bare: true, Raw: strconv.AppendFloat(nil, float64(binary.LittleEndian.Uint64(b[:])>>11)/(1<<53), 'e', -1, 64)}
}

// variety says how a statement's functions differ from call to call.
type variety struct {
	// clock: NOW() and friends, which a fixed @@timestamp holds still.
	clock bool
	// random names a function that gives another value at each call; "" if there is none.
	random string
	// fixable says that all such functions can be computed once and put into the text.
	fixable bool
	// locks names a function that takes or asks for user locks, or waits.
	locks string
}

// varietyOf looks at the functions of a tree.
func varietyOf(n ast.Node) variety {
	v := &varietyVisitor{variety{fixable: true}}
	n.Accept(v)
	return v.variety
}

type varietyVisitor struct{ variety }

// Enter implements ast.Visitor.
func (v *varietyVisitor) Enter(n ast.Node) (ast.Node, bool) {
	f, ok := n.(*ast.FuncCallExpr)
	if !ok {
		return n, false
	}
	switch f.FnName.L {
	case "now", "current_timestamp", "localtime", "localtimestamp", "curdate", "current_date", "curtime", "current_time", "utc_timestamp",
		"utc_date", "utc_time", "unix_timestamp":
		v.clock = true
	case "uuid", "uuid_short":
		v.random = strings.ToUpper(f.FnName.O)
	case "rand":
		if len(f.Args) == 0 {
			v.random = "RAND"
		}
	case "sysdate":
		v.clock = true
	case "random_bytes":
		v.random, v.fixable = "RANDOM_BYTES", false
	case "get_lock", "release_lock", "release_all_locks", "sleep", "benchmark", "load_file", "master_pos_wait":
		v.locks, v.fixable = strings.ToUpper(f.FnName.O), false
	}
	return n, false
}

// Leave implements ast.Visitor.
func (v *varietyVisitor) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// fixer replaces functions that give another value at each call by one value per row.
type fixer struct{ pc *planCtx }

// Enter implements ast.Visitor.
func (f *fixer) Enter(n ast.Node) (ast.Node, bool) { return n, false }

// Leave implements ast.Visitor.
func (f *fixer) Leave(n ast.Node) (ast.Node, bool) {
	call, ok := n.(*ast.FuncCallExpr)
	if !ok {
		return n, true
	}
	switch call.FnName.L {
	case "uuid", "uuid_short":
		return f.pc.fix(call.FnName.L), true
	case "rand":
		if len(call.Args) == 0 {
			return f.pc.fix("rand"), true
		}
	case "sysdate":
		call.FnName = ast.NewCIStr("NOW") // held still by @@timestamp
		f.pc.rewritten = true
	}
	return n, true
}

func (pc *planCtx) fix(name string) *slotExpr {
	pc.rewritten = true
	pc.plan.fixed = append(pc.plan.fixed, fixedFunc{name: name})
	return &slotExpr{kind: slotFixed, index: len(pc.plan.fixed) - 1}
}

// fixFunctions replaces the random functions of an expression.
func (pc *planCtx) fixFunctions(e ast.ExprNode) ast.ExprNode {
	out, _ := e.Accept(&fixer{pc})
	return out.(ast.ExprNode)
}

// statementTime is the value of SET timestamp for a write that several nodes run.
func (bc *bindCtx) statementTime() string {
	l := bc.clockValue()
	return string(l.Raw)
}
