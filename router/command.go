package router

import (
	"context"
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/plan"
	"ballast/rules/catalog"
	"ballast/sqlfront"
)

// command carries out the verbs that are the session's own business.
func (s *Session) command(ctx context.Context, st *statement, r *sqlfront.Reply) error {
	if keepsFound(st.plan) {
		found := s.last.foundRows
		if st.plan.Verb == plan.Explain && s.flavor() == catalog.MariaDB {
			found = 0
		}
		defer func() { s.last.foundRows = found }()
	}
	switch st.plan.Verb {
	case plan.Show:
		return s.show(ctx, st, st.plan.AST().(*ast.ShowStmt), r)
	case plan.ShowBallast:
		return s.showBallast(ctx, st, st.plan.Command.(*plan.ShowBallastCommand), r)
	case plan.Explain:
		return s.explain(ctx, st, st.plan.AST().(*ast.ExplainStmt), r)
	case plan.DDL:
		return s.define(ctx, st, st.plan.Command.(*plan.DDLCommand), r)
	case plan.Execute:
		return s.executeText(ctx, st, st.plan.AST().(*ast.ExecuteStmt), r)
	case plan.Admin:
		return s.admin(ctx, st, r)
	default:
		if err := s.plainCommand(ctx, st); err != nil {
			return err
		}
		return s.answerDone(r, st)
	}
}

// keepsFound tells the statements whose rows FOUND_ROWS() does not count.
func keepsFound(p *plan.Plan) bool {
	switch p.Verb {
	case plan.Explain, plan.Admin:
		return true
	case plan.Show:
		switch p.AST().(*ast.ShowStmt).Tp {
		case ast.ShowWarnings, ast.ShowErrors, ast.ShowProcessList:
			return true
		}
	default:
	}
	return false
}

// plainCommand carries out what is answered by a bare OK.
func (s *Session) plainCommand(ctx context.Context, st *statement) error {
	switch n := st.plan.AST().(type) {
	case *ast.SetStmt:
		return s.set(ctx, n, st)
	case *ast.UseStmt:
		return s.InitDB(ctx, n.DBName)
	case *ast.BeginStmt:
		return s.beginStatement(ctx, st.plan.Norm)
	case *ast.CommitStmt:
		return s.ends(n.CompletionType, s.commit(ctx))
	case *ast.RollbackStmt:
		if n.SavepointName != "" {
			return s.rollbackTo(ctx, n.SavepointName)
		}
		s.rollback(ctx)
		return s.ends(n.CompletionType, nil)
	case *ast.SavepointStmt:
		return s.savepoint(ctx, n.Name)
	case *ast.ReleaseSavepointStmt:
		return s.release(ctx, n.Name)
	case *ast.PrepareStmt:
		return s.prepareText(ctx, n)
	case *ast.DeallocateStmt:
		return s.deallocateText(n.Name)
	case *ast.KillStmt:
		return s.killStatement(ctx, n)
	case *ast.UnlockTablesStmt:
		return nil // no table can be locked here, and a transaction goes on
	case *ast.LockTablesStmt:
		return errLockTables.New()
	default:
		return errUnsupported.New(leadingWords(st.plan.Norm))
	}
}

// beginStatement opens an explicit transaction. The parser drops some of the words, so they are read from the text.
func (s *Session) beginStatement(ctx context.Context, norm string) error {
	words := " " + strings.Join(strings.Fields(strings.ToUpper(strings.ReplaceAll(norm, ",", " , "))), " ") + " "
	var parts []string
	snapshot := strings.Contains(words, " CONSISTENT SNAPSHOT ")
	if snapshot {
		parts = append(parts, "WITH CONSISTENT SNAPSHOT")
	}
	switch {
	case strings.Contains(words, " READ ONLY "):
		parts = append(parts, "READ ONLY")
	case strings.Contains(words, " READ WRITE "):
		parts = append(parts, "READ WRITE")
	}
	return s.begin(ctx, strings.TrimSpace("START TRANSACTION "+strings.Join(parts, ", ")), snapshot)
}

// ends carries out what is said behind COMMIT and ROLLBACK.
func (s *Session) ends(how ast.CompletionType, err error) error {
	if err != nil {
		return err
	}
	switch how {
	case ast.CompletionTypeChain:
		s.txn.explicit = true
		s.txn.opening, s.txn.once = s.txn.chain, s.txn.chainOnce
	case ast.CompletionTypeRelease:
		s.killed.Store(true) // the next command, if any, finds the connection closed
	default:
	}
	return nil
}

// leadingWords gives the first words of a statement for an error: nothing that may hold a literal.
func leadingWords(norm string) string {
	var out []string
	for w := range strings.FieldsSeq(norm) {
		if len(out) == 2 || strings.ContainsAny(w, "'\"`=(0123456789") {
			break
		}
		out = append(out, strings.ToUpper(w))
	}
	return strings.Join(out, " ")
}

// killStatement is KILL.
func (s *Session) killStatement(ctx context.Context, n *ast.KillStmt) error {
	id := n.ConnectionID
	if n.Expr != nil {
		lit, err := s.evaluate(ctx, n.Expr)
		if err != nil {
			return err
		}
		id, _ = leadingNumber(lit)
	}
	if id > 1<<32-1 {
		return errNoSuchThread.New(id)
	}
	return s.router.Kill(ctx, s.client, uint32(id), !n.Query)
}

// admin runs ANALYZE and its like on every node that has the table, and answers what the first of them said.
func (s *Session) admin(ctx context.Context, st *statement, r *sqlfront.Reply) error {
	switch st.plan.AST().(type) {
	case *ast.AnalyzeTableStmt, *ast.OptimizeTableStmt, *ast.RepairTableStmt:
	default:
		return errUnsupported.New(leadingWords(st.plan.Norm))
	}
	if err := s.commit(ctx); err != nil {
		return err
	}
	return s.everywhere(ctx, st, r)
}

// isAdmin says whether the user may look at and change what belongs to all.
func (s *Session) isAdmin() bool {
	u := s.currentUser()
	return u != nil && u.Can("*", catalog.Admin)
}

func (s *Session) needAdmin(what string) error {
	if s.isAdmin() {
		return nil
	}
	return errDenied.New(fmt.Sprintf("ballast admin (for %s)", what))
}
