package plan

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"ballast/rules/catalog"
)

// insertTexts makes the templates: everything before the rows, each row, everything behind.
func (pc *planCtx) insertTexts(s *ast.InsertStmt, p *insertPlan, t *catalog.Table) error {
	var w templateWriter
	flags := pc.env.Flags
	w.buf.WriteString(pc.verbName())
	switch s.Priority {
	case mysql.LowPriority:
		w.buf.WriteString(" LOW_PRIORITY")
	case mysql.HighPriority:
		w.buf.WriteString(" HIGH_PRIORITY")
	}
	if s.IgnoreErr {
		w.buf.WriteString(" IGNORE")
	}
	w.buf.WriteString(" INTO ")
	if err := w.restore(s.Table, flags); err != nil {
		return err
	}
	if len(s.PartitionNames) > 0 {
		return errRefused.New(pc.verbName() + " … PARTITION")
	}
	leftOut := p.auto >= 0
	w.buf.WriteString(" (")
	for i, c := range p.columns {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		w.buf.WriteString(quoteName(t.Columns[c].Name))
		leftOut = leftOut && c != p.auto
	}
	if leftOut {
		if len(p.columns) > 0 {
			w.buf.WriteByte(',')
		}
		w.buf.WriteString(quoteName(t.Columns[p.auto].Name))
	}
	head := w.template()
	p.prefix, p.alone = head.followed(") VALUES "), head.followed(") SELECT ")
	for n, row := range s.Lists {
		var w templateWriter
		for i, e := range row {
			p.rows[n].onlyValues = p.rows[n].onlyValues || needsValues(e)
			if i > 0 {
				w.buf.WriteByte(',')
			}
			if err := w.restore(e, flags); err != nil {
				return err
			}
		}
		if leftOut {
			if len(row) > 0 {
				w.buf.WriteByte(',')
			}
			w.hole(slotID, 0)
		}
		p.rows[n].text = w.template()
	}
	var tail templateWriter
	tail.buf.WriteString(pc.rowAlias)
	p.aliased = pc.rowAlias != ""
	for i, a := range s.OnDuplicate {
		if i == 0 {
			tail.buf.WriteString(" ON DUPLICATE KEY UPDATE ")
		} else {
			tail.buf.WriteByte(',')
		}
		if err := tail.restore(a, flags); err != nil {
			return err
		}
	}
	p.suffix = tail.template()
	return nil
}

// needsValues says whether an expression has what no SELECT without a table can have: the default of a column, or another column of the row.
func needsValues(e ast.ExprNode) bool {
	f := &valuesFinder{}
	e.Accept(f)
	return f.found
}

type valuesFinder struct{ found bool }

// Enter implements ast.Visitor; a subquery has tables of its own.
func (f *valuesFinder) Enter(n ast.Node) (ast.Node, bool) {
	switch n.(type) {
	case *ast.ColumnNameExpr, *ast.DefaultExpr:
		f.found = true
	case *ast.SubqueryExpr:
		return n, true
	}
	return n, f.found
}

// Leave implements ast.Visitor.
func (f *valuesFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }
