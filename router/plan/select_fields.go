package plan

import (
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/test_driver"
)

// scatter is the work of planning one SELECT for several nodes.
type scatter struct {
	pc     *planCtx
	sel    *ast.SelectStmt // the client's; never changed
	block  *block
	spread *spread

	// fields are the answer's columns, with * expanded as far as that is possible.
	fields []*field
	// opaque says that a * could not be expanded: positions behind it, hidden columns among them, are unknown.
	opaque bool
	// pushed are the select fields that nodes get, hidden the ones behind them that the answer does not show.
	pushed []*ast.SelectField
	hidden []*hiddenColumn
	// grouped says that the text for the nodes has groups, so hidden columns must be made of grouped columns.
	grouped bool
}

// field is one column of the answer.
type field struct {
	// expr is nil for columns of a * whose order among themselves is not known, only their number.
	expr ast.ExprNode
	// name is what ORDER BY and HAVING may call it, lower case: its alias or its column's name; "" if it has none.
	name string
	// alias says that the name was given by AS.
	alias bool
	agg   bool
}

// hiddenColumn is a column that nodes are asked for beyond the answer's.
type hiddenColumn struct {
	name string
	expr ast.ExprNode
	key  string
	// single says that the value is no aggregate, so it does not exist where there are no rows.
	single bool
}

func newScatter(pc *planCtx, sel *ast.SelectStmt, b *block, sp *spread) *scatter {
	return &scatter{pc: pc, sel: sel, block: b, spread: sp}
}

// readFields expands the select list.
func (s *scatter) readFields() error {
	for _, f := range s.sel.Fields.Fields {
		if f.WildCard != nil {
			s.pushed = append(s.pushed, f)
			s.expand(f.WildCard)
			continue
		}
		out := &field{expr: f.Expr, agg: hasAggregate(f.Expr)}
		if c, ok := f.Expr.(*ast.ColumnNameExpr); ok {
			out.name = c.Name.Name.L
		}
		if f.AsName.L != "" {
			out.name, out.alias = f.AsName.L, true
		}
		s.fields = append(s.fields, out)
		s.pushed = append(s.pushed, s.named(f))
	}
	return nil
}

// named gives a field the column name that the server would give to its original text.
func (s *scatter) named(f *ast.SelectField) *ast.SelectField {
	if f.AsName.L != "" {
		return f
	}
	switch f.Expr.(type) {
	case *ast.ColumnNameExpr, *namedExpr:
		return f
	}
	named := *f
	s.pc.nameField(&named)
	if n, ok := named.Expr.(*namedExpr); ok && strings.Contains(n.name.String(), " ") {
		s.pc.spacedName = true
	}
	return &named
}

// hide asks the nodes for one more column and gives its index; the same expression is asked for once.
func (s *scatter) hide(e ast.ExprNode) (int, error) {
	if s.opaque {
		return 0, errTooMuch.New("'*' together with NATURAL JOIN, USING or a derived table, where rows must be ordered or grouped")
	}
	key := s.textOf(e)
	for i, h := range s.hidden {
		if h.key == key {
			return len(s.fields) + i, nil
		}
		s.mayRepeat(key, h.key)
	}
	h := &hiddenColumn{name: "__b" + strconv.Itoa(len(s.hidden)+1), expr: e, key: key, single: !hasAggregate(e)}
	s.hidden = append(s.hidden, h)
	return len(s.fields) + len(s.hidden) - 1, nil
}

// textOf gives a text that is equal for equal expressions; slots count by their number, columns by the table they belong to.
func (s *scatter) textOf(e ast.ExprNode) string {
	if ref, c, ok := s.column(e); ok {
		return ref.alias + "." + strconv.Itoa(c)
	}
	var w templateWriter
	if err := w.restore(e, s.pc.env.Flags); err != nil {
		return err.Error()
	}
	t := w.template()
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.text)
		switch {
		case p.last:
		case p.kind == slotLiteral && s.pc.exact && !s.pc.args.lits[p.index].Bare && s.pc.args.lits[p.index].Kind != LitMarker:
			b.Write(s.pc.args.lits[p.index].Raw) // the plan is for this literal only
		default:
			b.WriteString(slotInText + strconv.Itoa(int(p.kind)) + "." + strconv.Itoa(p.index) + slotInText)
		}
	}
	return b.String()
}

// same says whether two expressions are the same one.
func (s *scatter) same(a, b ast.ExprNode) bool { return s.textOf(a) == s.textOf(b) }

// visible gives the index of the answer's column that is e, or -1.
func (s *scatter) visible(e ast.ExprNode) int {
	key := s.textOf(e)
	for i, f := range s.fields {
		if f.expr == nil {
			continue
		}
		have := s.textOf(f.expr)
		if have == key {
			return i
		}
		s.mayRepeat(key, have)
	}
	return -1
}

// mayRepeat notes that two expressions differ in nothing but which literals they have. Only the literals tell whether they are the same
// one, so the statement must be planned with them.
func (s *scatter) mayRepeat(a, b string) {
	if strings.Contains(a, slotInText) && withoutSlots(a) == withoutSlots(b) {
		s.pc.repeats = true
	}
}

// slotInText stands on both sides of a slot's number in what textOf gives.
const slotInText = "\x00"

// withoutSlots takes the numbers off the slots in a text of textOf.
func withoutSlots(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, slotInText) {
		if i%2 == 1 {
			part = slotInText
		}
		b.WriteString(part)
	}
	return b.String()
}

// byName gives the answer's column that a name without table means, or -1.
func (s *scatter) byName(lower string, aliasOnly bool) int {
	for i, f := range s.fields {
		if f.name == lower && (f.alias || !aliasOnly) {
			return i
		}
	}
	return -1
}

// plainName gives the lower-case name of a column reference without a table.
func plainName(e ast.ExprNode) (string, bool) {
	c, ok := e.(*ast.ColumnNameExpr)
	if !ok || c.Name.Table.L != "" {
		return "", false
	}
	return c.Name.Name.L, true
}

// isConstant says whether e is a literal, which orders and groups nothing.
func isConstant(e ast.ExprNode) bool {
	switch e := e.(type) {
	case *slotExpr, *test_driver.ValueExpr:
		return true
	case *ast.ParenthesesExpr:
		return isConstant(e.Expr)
	case *ast.UnaryOperationExpr:
		return isConstant(e.V)
	}
	return false
}

// withoutAliases replaces names that mean an alias of the select list, since a select field can't name another's alias. Columns of tables win.
func (s *scatter) withoutAliases(e ast.ExprNode) ast.ExprNode {
	out, _ := e.Accept(&aliasReplacer{s: s})
	return out.(ast.ExprNode)
}

type aliasReplacer struct{ s *scatter }

// Enter implements ast.Visitor; names inside subqueries are left alone.
func (r *aliasReplacer) Enter(n ast.Node) (ast.Node, bool) {
	_, sub := n.(*ast.SubqueryExpr)
	return n, sub
}

// Leave implements ast.Visitor.
func (r *aliasReplacer) Leave(n ast.Node) (ast.Node, bool) {
	c, ok := n.(*ast.ColumnNameExpr)
	if !ok || c.Name.Table.L != "" {
		return n, true
	}
	if _, _, isColumn := r.s.block.scope.column(c.Name); isColumn {
		return n, true
	}
	if i := r.s.byName(c.Name.Name.L, true); i >= 0 {
		return &ast.ParenthesesExpr{Expr: unnamed(r.s.fields[i].expr)}, true
	}
	return n, true
}

// unnamed takes the name off an expression.
func unnamed(e ast.ExprNode) ast.ExprNode {
	if n, ok := e.(*namedExpr); ok {
		return n.ExprNode
	}
	return e
}
