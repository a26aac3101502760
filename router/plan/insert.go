package plan

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/rules/catalog"
)

// insertPlan is INSERT or REPLACE with rows given as values, into a sharded or a global table.
type insertPlan struct {
	table int
	// columns are the table's columns that the rows list, in their order.
	columns []int
	// rewritten: the client's text must not reach a node as it is.
	rewritten bool
	// global says that the table has a full copy on each node.
	global bool
	// timed says that rows on several nodes must agree on the time.
	timed          bool
	prefix, suffix Template
	// alone is prefix for a row sent as SELECT rather than as VALUES; aliased says that rows have an alias, which no SELECT can have.
	// selected says that the row came as a SELECT: it stays one, since servers treat its NULLs and word their answer otherwise.
	alone             Template
	aliased, selected bool
	rows              []insertRow
	ignore            bool
	// auto is the AUTO_INCREMENT column that a sequence feeds, -1 if there is none; autoField its place among the balancing fields, or -1.
	auto, autoField int
}

// insertRow is one row of the statement; folded rows share the first.
type insertRow struct {
	text Template
	keys []source
	auto source
	// onlyValues says that the row can be sent as VALUES only.
	onlyValues bool
}

func isDefault(e ast.ExprNode) bool {
	_, ok := e.(*ast.DefaultExpr)
	return ok
}

// source says where a column's value comes from.
type source struct {
	kind sourceKind
	o    operand
}

type sourceKind uint8

const (
	fromOperand sourceKind = iota
	fromDefault
	fromLeftOut
)

// insert plans INSERT and REPLACE.
func (pc *planCtx) insert(s *ast.InsertStmt) error {
	name, t, err := pc.target(s.Table)
	if err != nil {
		return err
	}
	pc.need(t.Name.Schema, t.Name.Table, catalog.Write)
	pc.needRead()
	pc.noteNumbers(t)
	if t.Kind == catalog.Single {
		if pc.sharded() {
			return errMultiPart.New(pc.verbName())
		}
		return pc.unsharded()
	}
	if s.Select != nil {
		return pc.insertSelect(s, name, t)
	}
	if err := pc.onlyGlobalSources(t, name); err != nil {
		return err
	}
	p := &insertPlan{table: pc.refs[name].index, ignore: s.IgnoreErr, selected: pc.selected, auto: -1, autoField: -1}
	if p.columns, err = insertColumns(s, name, t); err != nil {
		return err
	}
	if err := pc.checkOnDuplicate(s, t); err != nil {
		return err
	}
	if t.Sequence != "" {
		p.findAuto(t)
	}
	if err := pc.insertRows(s, t, p); err != nil {
		return err
	}
	if err := pc.insertTexts(s, p, t); err != nil {
		return err
	}
	p.timed = varietyOf(s).clock
	for i := range t.Columns {
		p.timed = p.timed || t.Columns[i].DefaultExpr
	}
	p.global = t.Kind == catalog.Global
	p.rewritten = pc.rewritten || t.Kind == catalog.Global
	pc.plan.binder = p
	return nil
}

func (pc *planCtx) verbName() string {
	switch pc.plan.Verb {
	case Insert:
		return "INSERT"
	case Replace:
		return "REPLACE"
	case Update:
		return "UPDATE"
	case Delete:
		return "DELETE"
	}
	return "the statement"
}

// target gives the one table that INSERT names.
func (pc *planCtx) target(from *ast.TableRefsClause) (*ast.TableName, *catalog.Table, error) {
	src, ok := from.TableRefs.Left.(*ast.TableSource)
	if !ok {
		return nil, nil, errRefused.New(pc.verbName() + " into something that is no table")
	}
	name, ok := src.Source.(*ast.TableName)
	if !ok {
		return nil, nil, errRefused.New(pc.verbName() + " into something that is no table")
	}
	r, ok := pc.refs[name]
	if !ok || r.table == nil {
		return nil, nil, errRefused.New(pc.verbName() + " into a table of a system schema")
	}
	return name, r.table, nil
}

// onlyGlobalSources refuses subqueries on tables that the nodes of the target don't all have.
func (pc *planCtx) onlyGlobalSources(t *catalog.Table, target *ast.TableName) error {
	for n, r := range pc.refs {
		if n != target && r.table != nil && r.table.Kind != catalog.Global {
			return errMultiPart.New(pc.verbName() + " with a subquery")
		}
	}
	return nil
}

// insertColumns finds the columns that the statement lists; without a list all that are visible.
func insertColumns(s *ast.InsertStmt, name *ast.TableName, t *catalog.Table) ([]int, error) {
	var out []int
	if len(s.Columns) == 0 {
		if len(s.Lists) > 0 && len(s.Lists[0]) == 0 {
			return nil, nil // VALUES ()
		}
		for i := range t.Columns {
			if !t.Columns[i].Invisible {
				out = append(out, i)
			}
		}
		return out, nil
	}
	seen := make(map[int]bool, len(s.Columns))
	for _, c := range s.Columns {
		i, ok := t.Column(c.Name.O)
		if !ok || c.Table.L != "" && !strings.EqualFold(c.Table.O, name.Name.O) || c.Schema.L != "" && !strings.EqualFold(c.Schema.O, t.Name.Schema) {
			return nil, errUnknownCol.New(columnText(c), "field list")
		}
		if seen[i] {
			return nil, errColumnTwice.New(c.Name.O)
		}
		seen[i] = true
		out = append(out, i)
	}
	return out, nil
}

func columnText(c *ast.ColumnName) string {
	out := c.Name.O
	if c.Table.L != "" {
		out = c.Table.O + "." + out
	}
	if c.Schema.L != "" {
		out = c.Schema.O + "." + out
	}
	return out
}

func (p *insertPlan) findAuto(t *catalog.Table) {
	for i := range t.Columns {
		if t.Columns[i].AutoIncrement {
			p.auto = i
		}
	}
	for i, f := range t.Fields {
		if f == p.auto {
			p.autoField = i
		}
	}
}

// insertRows works out where the balancing fields and the generated id of each row come from.
func (pc *planCtx) insertRows(s *ast.InsertStmt, t *catalog.Table, p *insertPlan) error {
	at := make(map[int]int, len(p.columns))
	for i, c := range p.columns {
		at[c] = i
	}
	for n, row := range s.Lists {
		if len(row) != len(p.columns) {
			return errValueCount.New(n + 1)
		}
		for i := range row {
			row[i] = pc.fixFunctions(row[i])
		}
		var r insertRow
		for _, f := range t.Fields {
			src, err := pc.sourceOf(row, at, f, t)
			if err != nil {
				return err
			}
			r.keys = append(r.keys, src)
		}
		if p.auto >= 0 {
			src, err := pc.autoSource(row, at, p, t)
			if err != nil {
				return err
			}
			r.auto = src
		}
		p.rows = append(p.rows, r)
	}
	return nil
}

// sourceOf says where a balancing field's value comes from.
func (pc *planCtx) sourceOf(row []ast.ExprNode, at map[int]int, column int, t *catalog.Table) (source, error) {
	i, listed := at[column]
	if !listed {
		return source{kind: fromLeftOut}, nil
	}
	if d, ok := row[i].(*ast.DefaultExpr); ok && d.Name == nil {
		return source{kind: fromDefault}, nil
	}
	if s, ok := row[i].(*slotExpr); ok && s.kind == slotFixed {
		return source{o: operand{kind: slotFixed, index: s.index}}, nil
	}
	o, ok := pc.operandOf(row[i])
	if !ok {
		return source{}, errKeyUnsure.New(t.Columns[column].Name, t.Name, "it is computed by the server")
	}
	return source{o: o}, nil
}

// autoSource says where the id comes from, and puts a hole where a drawn one may have to be written.
func (pc *planCtx) autoSource(row []ast.ExprNode, at map[int]int, p *insertPlan, t *catalog.Table) (source, error) {
	src, err := pc.sourceOf(row, at, p.auto, t)
	if err != nil || src.kind == fromLeftOut {
		return src, err
	}
	i := at[p.auto]
	switch e := row[i].(type) {
	case *slotExpr:
		if e.kind == slotLiteral {
			row[i] = &slotExpr{kind: slotAuto, index: e.index}
		}
	case *ast.DefaultExpr:
		row[i] = &slotExpr{kind: slotID}
	default:
		if src.o.fixed != nil && src.o.fixed.Kind == LitNull {
			row[i] = &slotExpr{kind: slotID}
		}
	}
	return src, nil
}

// checkOnDuplicate refuses changes of balancing fields that may move a row.
func (pc *planCtx) checkOnDuplicate(s *ast.InsertStmt, t *catalog.Table) error {
	for _, a := range s.OnDuplicate {
		i, ok := t.Column(a.Column.Name.O)
		if !ok {
			return errUnknownCol.New(columnText(a.Column), "field list")
		}
		if t.Kind != catalog.Sharded {
			continue
		}
		for _, f := range t.Fields {
			// columns renamed by the row alias may stand for others
			if f == i && (!keepsColumn(a.Expr, a.Column.Name.L) || strings.Contains(pc.rowAlias, "(")) {
				return errKeyChange.New(t.Columns[f].Name, t.Name)
			}
		}
	}
	if t.Kind == catalog.Global {
		for _, a := range s.OnDuplicate {
			a.Expr = pc.fixFunctions(a.Expr)
		}
	}
	return nil
}

// keepsColumn says whether an expression is the column itself, the value being inserted for it, or LAST_INSERT_ID of it.
func keepsColumn(e ast.ExprNode, lower string) bool {
	switch e := e.(type) {
	case *ast.ParenthesesExpr:
		return keepsColumn(e.Expr, lower)
	case *ast.ColumnNameExpr:
		return e.Name.Name.L == lower
	case *ast.ValuesExpr:
		return e.Column.Name.Name.L == lower
	case *ast.FuncCallExpr:
		return e.FnName.L == "last_insert_id" && len(e.Args) == 1 && keepsColumn(e.Args[0], lower)
	}
	return false
}
