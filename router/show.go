package router

import (
	"context"
	"math"
	"sort"
	"strings"

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
	case ast.ShowTables, ast.ShowTableStatus, ast.ShowTriggers, ast.ShowEvents, ast.ShowOpenTables, ast.ShowColumns, ast.ShowIndex,
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
	rows, err := v.Run(ctx, shards{s}, st.format)
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

// showDatabases lists the databases that the user may see.
func (s *Session) showDatabases(ctx context.Context, st *statement, n *ast.ShowStmt, r *sqlfront.Reply) error {
	u := s.currentUser()
	if u == nil {
		return errUserGone.New(s.user, s.host())
	}
	names := []string{"information_schema"}
	for name := range s.env.Snapshot.Schemas {
		if canUse(u, name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	title := "Database"
	if n.Pattern != nil {
		pattern := patternText(n.Pattern)
		title += " (" + pattern + ")"
		kept := names[:0]
		for _, name := range names {
			if like(name, pattern) {
				kept = append(kept, name)
			}
		}
		names = kept
	}
	if n.Where != nil {
		return s.databasesWhere(ctx, st, names, n.Where, r)
	}
	v := &engine.Values{Columns: []wire.Column{textColumn(title, 64)}, What: "databases"}
	for _, name := range names {
		v.Rows = append(v.Rows, []any{name})
	}
	return s.runValues(ctx, st, v, r)
}

// databasesWhere has a node apply the condition of SHOW DATABASES WHERE.
func (s *Session) databasesWhere(ctx context.Context, st *statement, names []string, where ast.ExprNode, r *sqlfront.Reply) error {
	cond, err := restore(where)
	if err != nil {
		return err
	}
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = "SELECT " + quoteString(name) + " AS `Database`"
	}
	sql := "SELECT * FROM (" + strings.Join(parts, " UNION ALL ") + ") AS `SCHEMATA` WHERE " + cond
	st.params = nil
	return s.runSingle(ctx, st, &plan.Single{SQL: []byte(sql), AnyNode: true}, r)
}

func patternText(p *ast.PatternLikeOrIlikeExpr) string {
	if v, ok := p.Pattern.(ast.ValueExpr); ok {
		return v.GetString()
	}
	return "%"
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

// showGrants tells a user's rights in MySQL's words.
func (s *Session) showGrants(ctx context.Context, st *statement, n *ast.ShowStmt, r *sqlfront.Reply) error {
	name := s.user
	if n.User != nil && !n.User.CurrentUser && n.User.Username != s.user {
		if err := s.needAdmin("SHOW GRANTS of others"); err != nil {
			return err
		}
		name = n.User.Username
	}
	u := s.env.Snapshot.Users[name]
	if u == nil {
		return errNoGrant.New(name, "%")
	}
	v := &engine.Values{Columns: []wire.Column{textColumn("Grants for "+name+"@%", 1024)}}
	for _, line := range grantLines(u) {
		v.Rows = append(v.Rows, []any{line})
	}
	return s.runValues(ctx, st, v, r)
}

func grantLines(u *catalog.User) []string {
	who := " TO " + quoteName(u.Name) + "@`%`"
	lines := []string{"GRANT USAGE ON *.*" + who}
	schemas := make([]string, 0, len(u.Rights))
	for schema := range u.Rights {
		schemas = append(schemas, schema)
	}
	sort.Strings(schemas)
	for _, schema := range schemas {
		on := quoteName(schema) + ".*"
		if schema == "*" {
			on = "*.*"
		}
		right := u.Rights[schema]
		if right == catalog.Read|catalog.Write|catalog.DDL|catalog.Admin {
			lines = append(lines, "GRANT ALL PRIVILEGES ON "+on+who)
			continue
		}
		var words []string
		if right&catalog.Read != 0 {
			words = append(words, "SELECT")
		}
		if right&catalog.Write != 0 {
			words = append(words, "INSERT", "UPDATE", "DELETE")
		}
		if right&catalog.DDL != 0 {
			words = append(words, "CREATE", "DROP", "ALTER", "INDEX")
		}
		if right&catalog.Admin != 0 {
			words = append(words, "PROCESS")
		}
		if len(words) > 0 {
			lines = append(lines, "GRANT "+strings.Join(words, ", ")+" ON "+on+who)
		}
	}
	return lines
}
