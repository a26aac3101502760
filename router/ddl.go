package router

import (
	"context"
	"fmt"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/master/api"
	"ballast/router/plan"
	"ballast/rules"
	"ballast/rules/catalog"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// define hands a statement that changes definitions to the master, which carries it out on every node, and waits for its end. As on a
// server it commits an open transaction first.
func (s *Session) define(ctx context.Context, st *statement, c *plan.DDLCommand, r *sqlfront.Reply) error {
	req, err := s.ddlRequest(c)
	if err != nil {
		return err
	}
	if err := s.commit(ctx); err != nil {
		return err
	}
	if keysOnly(c.Stmt) {
		return s.answerKeys(ctx, st, c, r)
	}
	out, err := s.router.cfg.Definer.DDL(ctx, req)
	if err != nil {
		return err
	}
	known, err := s.awaitVersion(ctx, out.Version)
	if err != nil {
		return err
	}
	if req.Kind == api.DropDatabase && s.env.DB == c.Schema {
		s.settings = s.settings.WithDB("")
		s.deriveEnv()
	}
	warned := make([]warning, 0, len(out.Notes)+1)
	for _, n := range out.Notes {
		warned = append(warned, warning{n.Level, n.Number, n.Message})
	}
	if !known {
		warned = append(warned, warning{"Warning", 1105, "done on all nodes, but this router has not heard of the new rules from the master yet"})
	}
	ok := wire.OK{Affected: out.Affected, Warnings: uint16(min(len(warned), 1<<16-1))}
	s.wrote(ok, warned)
	return s.answerOK(r, ok, st.more)
}

// keysOnly tells ALTER TABLE … DISABLE KEYS and ENABLE KEYS, which dumps are full of and which mean nothing to InnoDB.
func keysOnly(n ast.StmtNode) bool {
	alter, ok := n.(*ast.AlterTableStmt)
	if !ok || len(alter.Specs) == 0 {
		return false
	}
	for _, spec := range alter.Specs {
		if spec.Tp != ast.AlterTableDisableKeys && spec.Tp != ast.AlterTableEnableKeys {
			return false
		}
	}
	return true
}

// answerKeys says what InnoDB says to that.
func (s *Session) answerKeys(ctx context.Context, st *statement, c *plan.DDLCommand, r *sqlfront.Reply) error {
	name := c.Tables[0]
	if s.env.Snapshot.Table(name) == nil {
		return errNoTable.New(name)
	}
	if err := s.commit(ctx); err != nil {
		return err
	}
	ok := wire.OK{Warnings: 1}
	s.wrote(ok, []warning{{"Note", 1031, "Table storage engine for '" + name.Table + "' doesn't have this option"}})
	return s.answerOK(r, ok, st.more)
}

// rulesWithin bounds the wait for rules that the master has made.
const rulesWithin = 10 * time.Second

// awaitVersion waits until the router's own rules have what the master has just made; false after a while without.
func (s *Session) awaitVersion(ctx context.Context, v catalog.Version) (bool, error) {
	patience := time.NewTimer(rulesWithin)
	defer patience.Stop()
	for {
		changed := s.router.catalog.Changed()
		if snap := s.router.catalog.Current(); snap != nil && !snap.Version.Less(v) {
			s.follow(snap)
			return true, nil
		}
		select {
		case <-changed:
		case <-patience.C:
			return false, nil
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// ddlSettings are the session variables that give a definition its meaning.
var ddlSettings = []string{
	"sql_mode", "collation_connection", "character_set_client", "foreign_key_checks", "explicit_defaults_for_timestamp", "time_zone",
	"innodb_strict_mode", "sql_require_primary_key", "unique_checks",
}

func (s *Session) ddlRequest(c *plan.DDLCommand) (api.DDLRequest, error) {
	req := api.DDLRequest{Schema: s.env.DB, SQL: c.SQL, Tables: c.Tables, User: s.user, Session: map[string]string{}}
	for _, name := range ddlSettings {
		if v, ok := s.settings.Get(name); ok {
			req.Session[name] = v
		}
	}
	if c.Clause != nil {
		sql, clause, err := rules.SplitClauseMode(c.SQL, s.env.Flags&plan.ANSIQuotes != 0, s.env.Flags&plan.NoBackslashEscapes != 0)
		if err != nil {
			return req, err
		}
		req.SQL, req.Clause = sql, clause
	}
	if c.Schema != "" {
		req.Tables = []catalog.Name{{Schema: c.Schema}}
		if err := s.checkNewSchema(c); err != nil {
			return req, err
		}
	}
	switch n := c.Stmt.(type) {
	case *ast.CreateDatabaseStmt:
		req.Kind, req.IfNotExists = api.CreateDatabase, n.IfNotExists
	case *ast.AlterDatabaseStmt:
		req.Kind = api.AlterDatabase
	case *ast.DropDatabaseStmt:
		req.Kind, req.IfExists = api.DropDatabase, n.IfExists
	case *ast.CreateTableStmt:
		req.Kind, req.IfNotExists = api.CreateTable, n.IfNotExists
		if n.ReferTable != nil && len(c.Tables) > 1 {
			req.Like, req.Tables = &c.Tables[1], c.Tables[:1]
		}
	case *ast.AlterTableStmt:
		req.Kind = api.AlterTable
		req.Tables, req.To = c.Tables[:1], c.Tables[1:]
	case *ast.DropTableStmt:
		req.Kind, req.IfExists = api.DropTable, n.IfExists
	case *ast.TruncateTableStmt:
		req.Kind = api.TruncateTable
	case *ast.RenameTableStmt:
		req.Kind, req.Tables = api.RenameTable, nil
		for i := 0; i+1 < len(c.Tables); i += 2 {
			req.Tables, req.To = append(req.Tables, c.Tables[i]), append(req.To, c.Tables[i+1])
		}
	case *ast.CreateIndexStmt:
		req.Kind, req.IfNotExists = api.CreateIndex, n.IfNotExists
	case *ast.DropIndexStmt:
		req.Kind, req.IfExists = api.DropIndex, n.IfExists
	case nil:
		req.Kind = api.AlterTable // nothing but the clause
	default:
		return req, errUnsupported.New(fmt.Sprintf("%T", n))
	}
	return req, nil
}

// checkNewSchema keeps the names that are not the clients'.
func (s *Session) checkNewSchema(c *plan.DDLCommand) error {
	if ballastSchema(c.Schema) || systemSchema(c.Schema) {
		return errAccessDB.New(s.user, s.host(), c.Schema)
	}
	return nil
}
