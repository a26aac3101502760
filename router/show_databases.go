package router

import (
	"context"
	"sort"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/engine"
	"ballast/router/plan"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

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
