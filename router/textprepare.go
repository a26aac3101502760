package router

import (
	"context"
	"strings"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/backend"
	"ballast/router/plan"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// textStatement is a statement that PREPARE named.
type textStatement struct {
	prepared *plan.Prepared
	columns  []wire.Column
}

// prepareText is PREPARE name FROM text or user variable.
func (s *Session) prepareText(ctx context.Context, n *ast.PrepareStmt) error {
	name := strings.ToLower(n.Name)
	delete(s.texts, name) // even a PREPARE that fails takes the old one away
	text := n.SQLText
	if n.SQLVar != nil {
		lit := s.variableLiteral(strings.ToLower(n.SQLVar.Name))
		text = string(lit.Raw)
		if lit.Kind == plan.LitNull {
			text = "NULL"
		}
	}
	if most := s.router.limits().MaxStatements; len(s.texts) >= most {
		return errTooManyStmts.New(most)
	}
	pr, pl, err := s.router.planner.Prepare(ctx, &s.env, []byte(text))
	if err != nil {
		return s.asServerSays(ctx, err, []byte(text))
	}
	if err := preparable(pl); err != nil {
		return err
	}
	if err := s.checkRights(pl.Accesses); err != nil {
		return err
	}
	var columns []wire.Column
	if rowsVerb(pl.Verb) {
		if columns, err = s.describe(ctx, pr.Text); err != nil {
			return err
		}
	}
	if s.texts == nil {
		s.texts = map[string]*textStatement{}
	}
	s.texts[name] = &textStatement{prepared: pr, columns: columns}
	return nil
}

// executeText is EXECUTE name USING user variables: their values become literals of the statement.
func (s *Session) executeText(ctx context.Context, st *statement, n *ast.ExecuteStmt, r *sqlfront.Reply) error {
	t := s.texts[strings.ToLower(n.Name)]
	if t == nil {
		return errUnknownStmt.New(n.Name, "EXECUTE")
	}
	values := make([]plan.Literal, len(n.UsingVars))
	for i, e := range n.UsingVars {
		v, ok := e.(*ast.VariableExpr)
		if !ok || v.IsSystem {
			return errWrongArgs.New("EXECUTE")
		}
		values[i] = s.variableLiteral(strings.ToLower(v.Name))
	}
	var args plan.Args
	if err := t.prepared.BindLiterals(values, &args); err != nil {
		return err
	}
	pl, err := t.prepared.Plan(ctx, &s.env, &args)
	if err != nil {
		return err
	}
	inner := &statement{plan: pl, args: &args, text: t.prepared.Inline(nil, &args, s.env.Flags), columns: t.columns, format: wire.Text, more: st.more, began: time.Now()}
	if t.prepared.Markers > 0 {
		inner.named, inner.execute = t.prepared.Text, executeOf(n)
	}
	err = s.carryOut(ctx, inner, r)
	st.place, st.nodes, st.rows = inner.place, inner.nodes, inner.rows
	return err
}

// executeOf writes the EXECUTE that a node gets: under a name of ours, with the same variables, which the node's connection has as well.
func executeOf(n *ast.ExecuteStmt) []byte {
	out := []byte("EXECUTE " + nodeStatement)
	for i, e := range n.UsingVars {
		word := ", "
		if i == 0 {
			word = " USING "
		}
		out = append(append(out, word...), "@"+quoteName(e.(*ast.VariableExpr).Name)...)
	}
	return out
}

// nodeStatement is the name under which a node's connection keeps the statement that EXECUTE is passed on for.
const nodeStatement = "`ballast`"

// passExecute has the node prepare the client's text and execute it with its own copy of the user variables, so that types and column
// names are what they would be there.
func (s *Session) passExecute(ctx context.Context, st *statement, k *backend.Conn, r *sqlfront.Reply) (backend.Answer, error) {
	sql := plan.AppendString([]byte("PREPARE "+nodeStatement+" FROM "), st.named, s.env.Flags)
	if _, err := k.Exec(ctx, sql); err != nil {
		return backend.Answer{}, err
	}
	s.cmd = append(append(s.cmd[:0], byte(wire.ComQuery)), st.execute...)
	return k.Relay(ctx, s.cmd, r, st.more)
}

// deallocateText is DEALLOCATE PREPARE.
func (s *Session) deallocateText(name string) error {
	key := strings.ToLower(name)
	if s.texts[key] == nil {
		return errUnknownStmt.New(name, "DEALLOCATE PREPARE")
	}
	delete(s.texts, key)
	return nil
}

// preparable refuses what can't be prepared by text, as the servers do.
func preparable(p *plan.Plan) error {
	switch p.Verb {
	case plan.Prepare, plan.Execute, plan.Deallocate:
		return errNotPreparable.New()
	default:
		return nil
	}
}

func rowsVerb(v plan.Verb) bool { return v == plan.Select || v == plan.Do || writesRows(v) }
