package plan

import (
	"regexp"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/rules"
	"ballast/rules/catalog"
)

// DDLCommand is a statement that changes definitions, on all nodes at once, through the master.
type DDLCommand struct {
	// Stmt is the parsed statement without the balancing clause; nil for an ALTER TABLE that has nothing but the clause.
	Stmt ast.StmtNode
	// SQL is the client's text, with the clause.
	SQL string
	// Clause is the balancing clause, nil if there is none.
	Clause *rules.Clause
	// Schema is the database concerned by CREATE/ALTER/DROP DATABASE, else "".
	Schema string
	// Tables are the tables concerned; schema-qualified.
	Tables []catalog.Name
	// Lenient is IF EXISTS or IF NOT EXISTS.
	Lenient bool
}

// ShowBallastCommand is SHOW BALLAST NODES and the like.
type ShowBallastCommand struct {
	// What are the words behind SHOW BALLAST, in upper case, for instance ["NODES"] or ["TABLES", "LIKE"].
	What []string
	// Argument is the string or number at the end, "" if there is none.
	Argument string
}

// describePattern is DESCRIBE with a pattern in quotes, which the parser does not know.
var describePattern = regexp.MustCompile("(?is)^\\s*(?:DESC|DESCRIBE|EXPLAIN)\\s+([^\\s'\"(]+)\\s+('[^'\\\\]*')\\s*$")

// planText handles statements that the parser can't read; done is false for all others.
func (pc *planCtx) planText() (done bool, err error) {
	if m := describePattern.FindSubmatch(pc.args.Text); m != nil {
		stmt, err := pc.planner.parse("SHOW COLUMNS FROM "+string(m[1])+" LIKE "+string(m[2]), pc.env)
		if err != nil {
			return true, notParsed(err, pc.args.Text)
		}
		pc.plan.Verb, pc.plan.tree = Show, stmt
		return true, nil
	}
	l := &pc.args.lex
	switch l.verb {
	case kwShow:
		if words := strings.Fields(strings.ToUpper(string(l.norm))); len(words) > 2 && words[1] == "BALLAST" {
			pc.plan.Verb = ShowBallast
			pc.plan.Command = showBallast(words[2:])
			pc.plan.tree = &ast.ShowStmt{}
			return true, nil
		}
	case kwCreate, kwAlter:
		sql, clause, err := rules.SplitClauseMode(string(pc.args.Text), pc.env.Flags&ANSIQuotes != 0, pc.env.Flags&NoBackslashEscapes != 0)
		if err != nil || clause == nil {
			return err != nil, err
		}
		return true, pc.ddlWithClause(sql, clause)
	}
	return false, nil
}

func showBallast(words []string) *ShowBallastCommand {
	c := &ShowBallastCommand{What: words}
	if last := words[len(words)-1]; last != "" && (last[0] == '\'' || last[0] == '"' || last[0] >= '0' && last[0] <= '9') {
		c.What, c.Argument = words[:len(words)-1], strings.Trim(last, `'"`)
	}
	return c
}

// ddlWithClause plans CREATE or ALTER TABLE whose clause was taken off.
func (pc *planCtx) ddlWithClause(sql string, clause *rules.Clause) error {
	stmt, err := pc.planner.parse(sql, pc.env)
	if err != nil {
		return notParsed(err, pc.args.Text)
	}
	if err := pc.ddl(stmt); err != nil {
		return err
	}
	pc.plan.Command.(*DDLCommand).Clause = clause
	return nil
}

// command plans everything that the session carries out itself.
func (pc *planCtx) command() error {
	p := pc.plan
	p.tree = pc.stmt
	switch s := pc.stmt.(type) {
	case *ast.SetStmt:
		p.Verb = Set
	case *ast.UseStmt:
		p.Verb = Use
	case *ast.BeginStmt:
		p.Verb = Begin
	case *ast.CommitStmt:
		p.Verb = Commit
	case *ast.RollbackStmt:
		p.Verb = Rollback
		if s.SavepointName != "" {
			p.Verb = RollbackTo
		}
	case *ast.SavepointStmt:
		p.Verb = Savepoint
	case *ast.ReleaseSavepointStmt:
		p.Verb = Release
	case *ast.ShowStmt:
		p.Verb = Show
	case *ast.ExplainStmt:
		p.Verb = Explain
		if show, ok := s.Stmt.(*ast.ShowStmt); ok {
			p.Verb, p.tree = Show, show
		}
	case *ast.PrepareStmt:
		p.Verb = Prepare
	case *ast.ExecuteStmt:
		p.Verb = Execute
	case *ast.DeallocateStmt:
		p.Verb = Deallocate
	case *ast.KillStmt:
		p.Verb = Kill
	case *ast.DoStmt:
		return pc.do()
	case *ast.LockTablesStmt:
		p.Verb = LockTables
	case *ast.UnlockTablesStmt:
		p.Verb = UnlockTables
	case *ast.AnalyzeTableStmt, *ast.OptimizeTableStmt, *ast.RepairTableStmt, *ast.FlushStmt:
		p.Verb = Admin
		if err := pc.resolve(pc.stmt); err != nil {
			return err
		}
		for _, t := range pc.tables {
			pc.need(t.Name.Schema, t.Name.Table, catalog.Write)
		}
	case *ast.CallStmt:
		return errRefused.New("CALL")
	case *ast.LoadDataStmt:
		return errRefused.New("LOAD DATA")
	default:
		return pc.ddl(pc.stmt)
	}
	return nil
}

// do plans DO, which computes expressions and answers nothing.
func (pc *planCtx) do() error {
	pc.plan.Verb, pc.plan.tree = Do, nil
	pc.rewriteSession()
	if err := pc.resolve(pc.stmt); err != nil {
		return err
	}
	if pc.sharded() {
		return errRefused.New("DO with a subquery on a sharded table")
	}
	pc.needRead()
	return pc.unsharded()
}
