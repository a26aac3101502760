package plan

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"
)

// namedExpr is an expression with the column name that the server would have given to its original text; it restores as `expr AS name`.
type namedExpr struct {
	ast.ExprNode
	name Template
}

// Restore writes the expression and the name.
func (n *namedExpr) Restore(ctx *format.RestoreCtx) error {
	if err := n.ExprNode.Restore(ctx); err != nil {
		return err
	}
	ctx.WriteKeyWord(" AS ")
	w, ok := ctx.In.(*templateWriter)
	if !ok {
		ctx.WritePlain(n.name.String())
		return nil
	}
	for _, p := range n.name.parts {
		w.buf.WriteString(p.text)
		if !p.last {
			w.hole(p.kind, p.index)
		}
	}
	return nil
}

// Accept implements ast.Node.
func (n *namedExpr) Accept(v ast.Visitor) (ast.Node, bool) {
	e, ok := n.ExprNode.Accept(v)
	if ok {
		n.ExprNode = e.(ast.ExprNode)
	}
	return n, ok
}

// nameField makes an unnamed select field keep the name that the server would give to its original text.
func (pc *planCtx) nameField(f *ast.SelectField) {
	f.Expr = &namedExpr{ExprNode: f.Expr, name: pc.fieldName(f)}
}

// wholeTemplate writes a query for one node in a text of ours. Its unnamed fields keep the names that the server would have given them,
// which the text alone would not: COUNT(*) is written as COUNT(1).
func (pc *planCtx) wholeTemplate(stmt ast.Node) (Template, error) {
	type unnamed struct {
		field *ast.SelectField
		expr  ast.ExprNode
	}
	var undo []unnamed
	for _, sel := range outerSelects(stmt) {
		for _, f := range sel.Fields.Fields {
			switch f.Expr.(type) {
			case nil, *namedExpr, *ast.ColumnNameExpr:
				continue
			}
			if f.AsName.L == "" {
				undo = append(undo, unnamed{f, f.Expr})
				pc.nameField(f)
			}
		}
	}
	t, err := newTemplate(stmt, pc.env.Flags)
	for _, u := range undo {
		u.field.Expr = u.expr
	}
	return t, err
}

// fieldName is the quoted name that a server gives to an unnamed select field: the column's name, a string's content, or the source text
// of the expression.
func (pc *planCtx) fieldName(f *ast.SelectField) Template {
	text := strings.TrimSpace(f.OriginalText())
	inner := bare(f.Expr)
	switch e := inner.(type) {
	case *ast.ColumnNameExpr:
		return textTemplate(quoteName(e.Name.Name.O))
	case *test_driver.ValueExpr:
		boolean := mysql.HasIsBooleanFlag(e.Type.GetFlag())
		switch {
		case e.Kind() == test_driver.KindString:
			return textTemplate(quoteName(e.GetString()))
		case e.Kind() == test_driver.KindNull:
			return textTemplate("`NULL`")
		case boolean && pc.mariaDB:
			return textTemplate("`" + map[bool]string{true: "TRUE", false: "FALSE"}[e.GetInt64() != 0] + "`")
		case !boolean && inner != f.Expr:
			return textTemplate(quoteName(strings.Trim(text, "()+ \t\r\n")))
		}
	}
	start := f.Offset
	if i := strings.Index(pc.norm[min(start, len(pc.norm)):], text); i > 0 {
		start += i
	}
	if len(text) > 0 && start < len(pc.norm) {
		if s, ok := inner.(*slotExpr); ok && s.kind == slotLiteral {
			return Template{parts: []part{{text: "`", kind: slotName, index: s.index}, {text: "`", last: true}}}
		}
	}
	var w templateWriter
	w.buf.WriteByte('`')
	from := start
	for i, at := range pc.markers {
		if at < start || at >= start+len(text) {
			continue
		}
		writeQuoted(&w.buf, pc.norm[from:at])
		w.hole(slotAlias, pc.slotOf[i])
		from = at + 1
	}
	writeQuoted(&w.buf, pc.norm[from:min(start+len(text), len(pc.norm))])
	w.buf.WriteByte('`')
	return w.template()
}

// bare takes off what servers don't put into a column's name: parentheses, and a plus sign.
func bare(e ast.ExprNode) ast.ExprNode {
	for {
		switch x := e.(type) {
		case *ast.ParenthesesExpr:
			e = x.Expr
		case *ast.UnaryOperationExpr:
			if x.Op != opcode.Plus {
				return e
			}
			e = x.V
		default:
			return e
		}
	}
}

func writeQuoted(b *strings.Builder, s string) { b.WriteString(strings.ReplaceAll(s, "`", "``")) }

// quoteName writes an identifier in backquotes.
func quoteName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }
