package router

import (
	"context"
	"math"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/engine"
	"ballast/router/plan"
	"ballast/rules"
	"ballast/rules/catalog"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// show answers SHOW and DESCRIBE as one logical server: definitions are the same on every node, so any node may tell them; what belongs to
// the session or to all of Ballast is told here.
func (s *Session) show(ctx context.Context, st *statement, n *ast.ShowStmt, r *sqlfront.Reply) error {
	switch n.Tp {
	case ast.ShowWarnings, ast.ShowErrors:
		return s.showDiagnostics(ctx, st, n, r)
	case ast.ShowProcessList:
		return s.runValues(ctx, st, s.processlist(n.Full), r)
	case ast.ShowGrants:
		return s.showGrants(ctx, st, n, r)
	case ast.ShowDatabases:
		return s.showDatabases(ctx, st, n, r)
	}
	if err := s.mayShow(n); err != nil {
		return err
	}
	switch n.Tp {
	case ast.ShowCreateTable:
		return s.showCreateTable(ctx, st, n, r)
	case ast.ShowTableStatus:
		return s.showTableStatus(ctx, st, n, r)
	case ast.ShowTables, ast.ShowTriggers, ast.ShowOpenTables, ast.ShowColumns, ast.ShowIndex,
		ast.ShowCreateView, ast.ShowCreateDatabase, ast.ShowVariables, ast.ShowStatus, ast.ShowCollation, ast.ShowCharset, ast.ShowEngines,
		ast.ShowPlugins, ast.ShowPrivileges, ast.ShowProcedureStatus, ast.ShowFunctionStatus, ast.ShowCreateProcedure, ast.ShowProfiles, ast.ShowProfile:
		return s.runSingle(ctx, st, &plan.Single{Verbatim: true, AnyNode: true}, r)
	default:
		return errUnsupported.New(leadingWords(st.plan.Norm))
	}
}

// mayShow checks the database that a SHOW is about.
func (s *Session) mayShow(n *ast.ShowStmt) error {
	db, table := n.DBName, ""
	switch n.Tp {
	case ast.ShowTables, ast.ShowTableStatus, ast.ShowTriggers, ast.ShowEvents:
	case ast.ShowColumns, ast.ShowIndex, ast.ShowCreateTable, ast.ShowCreateView:
		if n.Table != nil {
			table = n.Table.Name.O
			if n.Table.Schema.O != "" {
				db = n.Table.Schema.O
			}
		}
	case ast.ShowCreateDatabase:
		if db == "" {
			return nil
		}
	case ast.ShowProcedureStatus, ast.ShowFunctionStatus, ast.ShowCreateProcedure, ast.ShowOpenTables:
		return s.needAdmin("SHOW of routines and open tables")
	default:
		return nil
	}
	if db == "" {
		db = s.env.DB
	}
	if db == "" {
		return errNoDBSelected.New()
	}
	name, known := s.schemaNamed(db)
	u := s.currentUser()
	switch {
	case u == nil:
		return errUserGone.New(s.user, s.host())
	case !canUse(u, name) && table != "":
		return errAccessTable.New("SELECT", s.user, s.host(), table)
	case !canUse(u, name):
		return errAccessDB.New(s.user, s.host(), db)
	case !known:
		return errNoDatabase.New(db)
	default:
		return nil
	}
}

// showDiagnostics is SHOW WARNINGS and SHOW ERRORS; both leave what they tell as it is.
func (s *Session) showDiagnostics(ctx context.Context, st *statement, n *ast.ShowStmt, r *sqlfront.Reply) error {
	errorsOnly := n.Tp == ast.ShowErrors
	var v *engine.Values
	if n.CountWarningsOrErrors {
		name, count := "@@session.warning_count", s.last.warned
		if errorsOnly {
			name, count = "@@session.error_count", s.last.errors
		}
		v = &engine.Values{Columns: []wire.Column{numberColumn(name, 21)}, Rows: [][]any{{count}}}
	} else {
		offset, count := uint64(0), uint64(math.MaxUint64)
		if n.Limit != nil {
			offset, count = limitNumber(n.Limit.Offset, 0), limitNumber(n.Limit.Count, count)
		}
		v = s.warningRows(errorsOnly, offset, count)
	}
	rows, err := v.Run(ctx, s.onShards(0), st.format)
	if err != nil {
		return err
	}
	st.rows, err = s.answerRows(st, r, rows)
	s.last.foundRows = st.rows
	return err
}

func limitNumber(e ast.ExprNode, otherwise uint64) uint64 {
	v, ok := e.(ast.ValueExpr)
	if !ok {
		return otherwise
	}
	switch n := v.GetValue().(type) {
	case uint64:
		return n
	case int64:
		return uint64(n)
	default:
		return otherwise
	}
}

// showCreateTable asks a node and adds where the rows live, in a comment that plain servers skip.
func (s *Session) showCreateTable(ctx context.Context, st *statement, n *ast.ShowStmt, r *sqlfront.Reply) error {
	schema := n.Table.Schema.O
	if schema == "" {
		schema = s.env.DB
	}
	t := s.env.Snapshot.Table(catalog.Name{Schema: schema, Table: n.Table.Name.O})
	if t == nil {
		return s.runSingle(ctx, st, &plan.Single{Verbatim: true, AnyNode: true}, r)
	}
	cols, rows, err := s.ask(ctx, string(st.text))
	if err != nil {
		return err
	}
	v := &engine.Values{Columns: cols}
	for _, row := range rows {
		out := make([]any, len(row))
		for i, x := range row {
			if x != nil {
				out[i] = x
			}
		}
		if len(row) == 2 {
			out[1] = string(row[1]) + " " + clauseOf(t).Comment()
		}
		v.Rows = append(v.Rows, out)
	}
	return s.runValues(ctx, st, v, r)
}

// clauseOf writes a table's place as the clause of its definition.
func clauseOf(t *catalog.Table) rules.Clause {
	switch t.Kind {
	case catalog.Global:
		return rules.Clause{Kind: rules.Everywhere}
	case catalog.Single:
		return rules.Clause{Kind: rules.OneNode, Single: t.SingleOn}
	default:
		return rules.Clause{Kind: rules.Balanced, Strategy: *t.Strategy, Group: t.Group, PerNode: t.PerNodeUnique}
	}
}

// ask runs a small query of the router's own on any node, under the session's settings.
func (s *Session) ask(ctx context.Context, sql string) ([]wire.Column, [][][]byte, error) {
	k, err := s.joinAny(ctx)
	if err != nil {
		return nil, nil, err
	}
	cols, rows, err := smallAnswer(ctx, k, []byte(sql))
	return cols, rows, s.done(ctx, k, err)
}
