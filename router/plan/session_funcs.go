package plan

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// SessionFunc names a value that belongs to the session rather than to a node's connection.
type SessionFunc uint8

// The session's values.
const (
	// FuncLastInsertID is LAST_INSERT_ID(), @@last_insert_id and @@identity.
	FuncLastInsertID SessionFunc = iota
	FuncFoundRows
	FuncRowCount
	// FuncConnectionID is CONNECTION_ID() and @@pseudo_thread_id.
	FuncConnectionID
	// FuncUser is USER(), SESSION_USER() and SYSTEM_USER(); FuncCurrentUser is CURRENT_USER().
	FuncUser
	FuncCurrentUser
	// FuncVersion is VERSION() and @@version; FuncVersionComment is @@version_comment.
	FuncVersion
	FuncVersionComment
	FuncHostname
	FuncPort
	// FuncWarningCount and FuncErrorCount are @@warning_count and @@error_count.
	FuncWarningCount
	FuncErrorCount
	// FuncServerUUID is @@server_uuid, FuncServerID is @@server_id.
	FuncServerUUID
	FuncServerID
	// FuncNow is the time: seconds since 1970 with six digits behind the point. It is asked for once per statement.
	FuncNow
)

// SessionFuncs gives the session's values at bind time.
type SessionFuncs interface {
	// SessionValue gives the value of f now.
	SessionValue(f SessionFunc) Literal
	// UserVar gives a user variable's value; the name is in lower case, without @. A variable that was never set is NULL.
	UserVar(name string) Literal
}

var sessionFuncs = map[string]SessionFunc{
	"last_insert_id": FuncLastInsertID, "found_rows": FuncFoundRows, "row_count": FuncRowCount, "connection_id": FuncConnectionID,
	"user": FuncUser, "session_user": FuncUser, "system_user": FuncUser, "current_user": FuncCurrentUser, "version": FuncVersion,
}

var sessionVars = map[string]SessionFunc{
	"last_insert_id": FuncLastInsertID, "identity": FuncLastInsertID, "pseudo_thread_id": FuncConnectionID, "version": FuncVersion,
	"version_comment": FuncVersionComment, "hostname": FuncHostname, "port": FuncPort, "warning_count": FuncWarningCount,
	"error_count": FuncErrorCount, "server_uuid": FuncServerUUID, "server_id": FuncServerID,
}

// sessionRewriter replaces calls whose value the session knows, and notes user variables.
type sessionRewriter struct {
	pc *planCtx
	// changed counts replacements.
	changed int
}

// Enter implements ast.Visitor.
func (r *sessionRewriter) Enter(n ast.Node) (ast.Node, bool) { return n, false }

// Leave implements ast.Visitor.
func (r *sessionRewriter) Leave(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.FuncCallExpr:
		switch n.FnName.L {
		case "get_lock", "release_lock", "release_all_locks", "is_free_lock", "is_used_lock":
			r.pc.plan.NamedLocks = true
		case "last_insert_id":
			r.pc.plan.SetsInsertID = r.pc.plan.SetsInsertID || len(n.Args) > 0
		}
		if f, ok := sessionFuncs[n.FnName.L]; ok && len(n.Args) == 0 && n.Schema.L == "" {
			return r.replace(f), true
		}
	case *ast.VariableExpr:
		if n.IsSystem {
			if f, ok := sessionVars[strings.ToLower(n.Name)]; ok {
				return r.replace(f), true
			}
			return n, true
		}
		name := strings.ToLower(n.Name)
		if n.Value != nil {
			r.pc.plan.AssignsVars = appendOnce(r.pc.plan.AssignsVars, name)
		} else {
			r.pc.plan.UserVars = appendOnce(r.pc.plan.UserVars, name)
		}
	}
	return n, true
}

func (r *sessionRewriter) replace(f SessionFunc) ast.Node {
	r.changed++
	return &slotExpr{kind: slotFunc, index: int(f)}
}

func appendOnce(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

// rewriteSession replaces the session's functions in the statement. A select field of the outermost block that changed keeps the name
// that the server would have given it.
func (pc *planCtx) rewriteSession() {
	r := &sessionRewriter{pc: pc}
	for _, sel := range outerSelects(pc.stmt) {
		for _, f := range sel.Fields.Fields {
			if f.Expr == nil {
				continue
			}
			before := r.changed
			e, _ := f.Expr.Accept(r)
			f.Expr = e.(ast.ExprNode)
			if r.changed > before && f.AsName.L == "" {
				pc.nameField(f)
			}
		}
	}
	out, _ := pc.stmt.Accept(r)
	pc.stmt = out.(ast.StmtNode)
	if r.changed > 0 {
		pc.rewritten = true
	}
}

// outerSelects gives the query blocks whose fields name the result's columns: the first of a union.
func outerSelects(n ast.Node) []*ast.SelectStmt {
	switch n := n.(type) {
	case *ast.SelectStmt:
		if n.Fields != nil {
			return []*ast.SelectStmt{n}
		}
	case *ast.SetOprStmt:
		if n.SelectList != nil && len(n.SelectList.Selects) > 0 {
			return outerSelects(n.SelectList.Selects[0])
		}
	case *ast.SetOprSelectList:
		if len(n.Selects) > 0 {
			return outerSelects(n.Selects[0])
		}
	}
	return nil
}
