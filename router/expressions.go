package router

import (
	"context"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"

	"ballast/router/engine"
	"ballast/router/plan"
	"ballast/sqlfront/wire"
)

// restore writes a tree as SQL.
func restore(n ast.Node) (string, error) {
	var b strings.Builder
	err := n.Restore(format.NewRestoreCtx(format.DefaultRestoreFlags|format.RestoreStringWithoutCharset, &b))
	return b.String(), err
}

// valueText is an expression as an error message shows it: a bare word or literal without quotes, anything else by its kind.
func valueText(e ast.ExprNode) string {
	switch v := e.(type) {
	case nil:
		return "DEFAULT"
	case *ast.DefaultExpr:
		return "DEFAULT"
	case ast.ValueExpr:
		text, err := restore(v)
		if err != nil {
			return "?"
		}
		return strings.Trim(text, "'")
	case *ast.ColumnNameExpr:
		return v.Name.Name.O
	default:
		return "an expression"
	}
}

// readsSession says whether an expression needs more than a node's connection: tables, or what only the session knows.
func readsSession(e ast.ExprNode) bool {
	c := &sessionReads{}
	e.Accept(c)
	return c.yes
}

type sessionReads struct{ yes bool }

// Enter implements ast.Visitor.
func (c *sessionReads) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.SubqueryExpr, *ast.TableName:
		c.yes = true
	case *ast.FuncCallExpr:
		switch n.FnName.L {
		case "last_insert_id", "found_rows", "row_count", "connection_id", "user", "session_user", "system_user", "current_user", "version",
			"get_lock", "release_lock", "release_all_locks", "is_free_lock", "is_used_lock":
			c.yes = true
		}
	case *ast.VariableExpr:
		switch strings.ToLower(n.Name) {
		case "last_insert_id", "identity", "pseudo_thread_id", "version", "version_comment", "hostname", "port", "warning_count", "error_count":
			c.yes = c.yes || n.IsSystem
		}
	}
	return n, c.yes
}

// Leave implements ast.Visitor.
func (c *sessionReads) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// literalOnly says whether a SET gives the same result whenever it starts from the same settings.
func literalOnly(as []assignment) bool {
	for _, a := range as {
		if a.name[0] == '@' {
			return false
		}
		switch a.value.(type) {
		case nil, ast.ValueExpr, *ast.DefaultExpr, *ast.ColumnNameExpr:
			if a.name == "timestamp" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// evaluate computes an expression by the ordinary path of a SELECT and gives its value as a literal of the same type.
func (s *Session) evaluate(ctx context.Context, e ast.ExprNode) (string, error) {
	inner := e
	for {
		p, ok := inner.(*ast.ParenthesesExpr)
		if !ok {
			break
		}
		inner = p.Expr
	}
	var what ast.Node = e
	prefix := "SELECT "
	if sub, ok := inner.(*ast.SubqueryExpr); ok {
		what, prefix = sub.Query, ""
	}
	sql, err := restore(what)
	if err != nil {
		return "", err
	}
	cols, rows, err := s.rows(ctx, []byte(prefix+sql), 2)
	if err != nil {
		return "", err
	}
	switch {
	case len(cols) != 1:
		return "", errOneColumn.New(1)
	case len(rows) == 0:
		return "NULL", nil
	case len(rows) > 1:
		return "", errOneRow.New()
	}
	return s.columnLiteral(cols[0], rows[0][0]), nil
}

// columnLiteral writes a value read as text as a literal of its column's type.
func (s *Session) columnLiteral(c wire.Column, v []byte) string {
	if v == nil {
		return "NULL"
	}
	if lit, ok := numberLiteral(c, v); ok {
		return lit
	}
	var b strings.Builder
	const digits = "0123456789ABCDEF"
	for _, x := range v {
		b.WriteByte(digits[x>>4])
		b.WriteByte(digits[x&15])
	}
	co := collation{"utf8mb4_general_ci", "utf8mb4"}
	if f := s.router.facts.known.Load(); f != nil {
		co = f.handshake(c.Charset)
	}
	if c.Charset == wire.CollationBinary {
		return "X'" + b.String() + "'"
	}
	return "_" + co.charset + " X'" + b.String() + "' COLLATE " + co.name
}

// rows runs a SELECT of the router's own through planning and reads its answer whole: at most limit rows, one more is an error.
func (s *Session) rows(ctx context.Context, sql []byte, limit int) ([]wire.Column, [][][]byte, error) {
	var args plan.Args
	p, err := s.router.planner.Plan(ctx, &s.env, sql, 0, &args)
	if err != nil {
		return nil, nil, err
	}
	if err := s.checkRights(p.Accesses); err != nil {
		return nil, nil, err
	}
	var b plan.Bound
	if err := p.Bind(ctx, &s.env, &args, s.router.sequences, &b); err != nil {
		return nil, nil, err
	}
	switch {
	case b.Single != nil:
		text := b.Single.SQL
		if b.Single.Verbatim {
			text = args.Text
		}
		k, err := s.joinFor(ctx, &statement{plan: p}, b.Single)
		if err != nil {
			return nil, nil, err
		}
		cols, rows, err := smallAnswer(ctx, k, text)
		return cols, rows, s.done(ctx, k, err)
	case b.Root != nil:
		return s.treeRows(ctx, b.Root, limit)
	default:
		return nil, nil, errUnsupported.New("this expression")
	}
}

func (s *Session) treeRows(ctx context.Context, root engine.Node, limit int) ([]wire.Column, [][][]byte, error) {
	if s.pins() {
		if err := s.joinAll(ctx, engine.Nodes(root, nil)); err != nil {
			return nil, nil, err
		}
	}
	st, err := root.Run(ctx, s.onShards(0), wire.Text)
	var cols []wire.Column
	var rows [][][]byte
	if err == nil {
		cols, rows, err = drain(st, limit)
	}
	return cols, rows, s.settleBranches(ctx, err)
}
