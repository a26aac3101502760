package plan

import (
	"io"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
	"github.com/pingcap/tidb/pkg/parser/test_driver"
)

// slotKind is what stands in a hole of a template.
type slotKind uint8

const (
	// slotLiteral is a literal of the client's text or a parameter.
	slotLiteral slotKind = iota
	// slotAlias is the source text of a literal, inside a quoted name.
	slotAlias
	// slotName is the name of a select field that is nothing but a literal: a string's content, any other's text.
	slotName
	// slotFunc is a value of the session; the index is a SessionFunc.
	slotFunc
	// slotUserVar is a user variable's value; the index counts in Plan.UserVars.
	slotUserVar
	// slotID is the id that a sequence gives to the row.
	slotID
	// slotAuto is the AUTO_INCREMENT column's literal, or the row's id if one was drawn; the index is the literal's slot.
	slotAuto
	// slotFixed is the value of a function that is fixed once for all nodes; the index counts in the plan's fixed functions.
	slotFixed
	// slotClock is the time of a statement that several nodes run, in seconds since 1970 with six digits behind the point.
	slotClock
)

// slotExpr stands in the AST where a value comes at bind time.
type slotExpr struct {
	ast.TexprNode
	kind  slotKind
	index int
}

// Restore notes the hole where the node is restored into a template.
func (n *slotExpr) Restore(ctx *format.RestoreCtx) error {
	if w, ok := ctx.In.(*templateWriter); ok {
		w.hole(n.kind, n.index)
		return nil
	}
	ctx.WritePlain("?")
	return nil
}

// Format is part of ast.ExprNode; nothing calls it for statements made of slots.
func (n *slotExpr) Format(w io.Writer) {
	if _, err := io.WriteString(w, "?"); err != nil {
		return
	}
}

// Accept implements ast.Node.
func (n *slotExpr) Accept(v ast.Visitor) (ast.Node, bool) {
	node, skip := v.Enter(n)
	if skip {
		return v.Leave(node)
	}
	return v.Leave(node)
}

// withServersName gives a function that the parser calls by a name of its own back the servers' name.
func withServersName(f *ast.FuncCallExpr) ast.Node {
	switch f.FnName.L {
	case ast.InsertFunc:
		f.FnName = ast.NewCIStr("INSERT")
	case ast.CharFunc: // the last argument is the character set of USING, or NULL
		last := len(f.Args) - 1
		using := ""
		if cs, ok := f.Args[last].(ast.ValueExpr); ok && cs.GetString() != "" {
			using = " USING " + cs.GetString()
		}
		return compose("CHAR(%"+strings.Repeat(",%", last-1)+using+")", f.Args[:last]...)
	}
	return f
}

// slotter replaces the parser's markers by slots; order gives the slot of each marker.
type slotter struct {
	order  []int
	placed int
}

// Enter implements ast.Visitor.
func (s *slotter) Enter(n ast.Node) (ast.Node, bool) { return n, false }

// Leave implements ast.Visitor.
func (s *slotter) Leave(n ast.Node) (ast.Node, bool) {
	if f, ok := n.(*ast.FuncCallExpr); ok {
		return withServersName(f), true
	}
	m, ok := n.(*test_driver.ParamMarkerExpr)
	if !ok {
		return n, true
	}
	s.placed++
	out := &slotExpr{kind: slotLiteral, index: s.order[m.Order]}
	out.SetOriginTextPosition(m.Offset)
	return out, true
}
