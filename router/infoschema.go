package router

import (
	"context"
	"sort"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"

	"ballast/router/plan"
	"ballast/rules/catalog"
)

// Nodes show the router's account every schema. A user without rights on all of them sees those that he has rights on: each table of
// information_schema that tells of schemas is read through a condition on its schema column.

// schemaColumns names that column.
var schemaColumns = map[string]string{
	"tables": "TABLE_SCHEMA", "columns": "TABLE_SCHEMA", "statistics": "TABLE_SCHEMA", "views": "TABLE_SCHEMA", "partitions": "TABLE_SCHEMA",
	"table_constraints": "TABLE_SCHEMA", "key_column_usage": "TABLE_SCHEMA", "referential_constraints": "CONSTRAINT_SCHEMA",
	"schemata": "SCHEMA_NAME", "routines": "ROUTINE_SCHEMA", "parameters": "SPECIFIC_SCHEMA", "triggers": "TRIGGER_SCHEMA",
	"events": "EVENT_SCHEMA", "check_constraints": "CONSTRAINT_SCHEMA", "files": "", "tables_extensions": "TABLE_SCHEMA",
	"columns_extensions": "TABLE_SCHEMA", "table_constraints_extensions": "CONSTRAINT_SCHEMA", "view_table_usage": "VIEW_SCHEMA",
}

// openTables tell nothing of schemas or of other users.
var openTables = map[string]bool{
	"character_sets": true, "collations": true, "collation_character_set_applicability": true, "engines": true, "plugins": true,
	"keywords": true, "st_spatial_reference_systems": true, "st_units_of_measure": true, "system_variables": true, "all_plugins": true,
	"session_variables": true, "session_status": true,
}

// restricted says whether a statement reads information_schema for a user who may not see all of it.
func (s *Session) restricted(p *plan.Plan) bool {
	reads := false
	for i := range p.Accesses {
		reads = reads || strings.EqualFold(p.Accesses[i].Schema, "information_schema")
	}
	if !reads {
		return false
	}
	u := s.currentUser()
	return u == nil || !u.Can("*", catalog.Read)
}

// catalogText rewrites a SELECT over information_schema where a node's own answer would not do: so that a user sees only his own schemas, and
// sizes are those of all nodes. It gives nil where the text may go as it is.
func (s *Session) catalogText(ctx context.Context, st *statement) ([]byte, error) {
	r := &restrictor{db: s.env.DB, open: !s.restricted(st.plan)}
	sizes := asksSizes(st)
	if r.open && !sizes {
		return nil, nil
	}
	text := st.text
	if b := s.bound.Single; !b.Verbatim && st.params == nil {
		text = b.SQL // with the session's own values in it
	}
	tree, err := s.router.planner.Parse(&s.env, text)
	if err != nil {
		return nil, err
	}
	nameFields(tree)
	if !r.open {
		r.list = s.visibleList()
	}
	if sizes {
		if r.tables, err = s.summedColumns(ctx); err != nil {
			return nil, err
		}
	}
	out, ok := tree.Accept(r)
	if !ok || r.denied != "" {
		return nil, errDenied.New("PROCESS")
	}
	sql, err := restore(out)
	return []byte(sql), err
}

// nameFields gives computed fields the names that they have in the client's text; in the rewritten text they may look different.
func nameFields(tree ast.StmtNode) {
	sel, ok := tree.(*ast.SelectStmt)
	if !ok || sel.Fields == nil {
		return
	}
	for _, f := range sel.Fields.Fields {
		if f.Expr == nil || f.AsName.O != "" {
			continue
		}
		if _, column := f.Expr.(*ast.ColumnNameExpr); column {
			continue
		}
		if name := strings.TrimSpace(f.Text()); name != "" {
			f.AsName = ast.NewCIStr(name)
		}
	}
}

// visibleList writes the user's schemas as an SQL list.
func (s *Session) visibleList() string {
	names := []string{quoteString("information_schema")}
	if u := s.currentUser(); u != nil {
		for name := range s.env.Snapshot.Schemas {
			if canUse(u, name) {
				names = append(names, quoteString(name))
			}
		}
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

type restrictor struct {
	db, list string
	// open lets the user see everything; tables, when not "", is the select list of information_schema.TABLES.
	open   bool
	tables string
	denied string
}

// Enter implements ast.Visitor.
func (r *restrictor) Enter(n ast.Node) (ast.Node, bool) {
	if c, ok := n.(*ast.ColumnName); ok && strings.EqualFold(c.Schema.O, "information_schema") {
		c.Schema = ast.NewCIStr("") // the table is a derived one from now on
	}
	return n, false
}

// Leave implements ast.Visitor.
func (r *restrictor) Leave(n ast.Node) (ast.Node, bool) {
	src, ok := n.(*ast.TableSource)
	if !ok {
		return n, true
	}
	t, ok := src.Source.(*ast.TableName)
	if !ok || !strings.EqualFold(t.Schema.O, "information_schema") && (t.Schema.O != "" || !strings.EqualFold(r.db, "information_schema")) {
		return n, true
	}
	columns, column := "*", schemaColumns[t.Name.L]
	if t.Name.L == "tables" && r.tables != "" {
		columns = r.tables
	}
	if r.open && columns == "*" {
		return n, true
	}
	if column == "" {
		if !openTables[t.Name.L] {
			r.denied = t.Name.O
		}
		return n, true
	}
	if src.AsName.O == "" {
		src.AsName = t.Name
	}
	v := &visibleTable{TableName: *t, columns: columns}
	if !r.open {
		v.condition = " WHERE " + column + " IN (" + r.list + ")"
	}
	src.Source = v
	return src, true
}

// visibleTable is a table of information_schema as the user may see it.
type visibleTable struct {
	ast.TableName
	columns, condition string
}

// Restore writes the table as a derived one.
func (v *visibleTable) Restore(ctx *format.RestoreCtx) error {
	ctx.WritePlain("(SELECT " + v.columns + " FROM ")
	if v.Schema.O == "" {
		ctx.WritePlain("information_schema.")
	}
	if err := v.TableName.Restore(ctx); err != nil {
		return err
	}
	ctx.WritePlain(v.condition + ")")
	return nil
}
