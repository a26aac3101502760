package plan

import (
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/rules/catalog"
)

// ddl plans a statement that changes definitions; whatever it does not know is refused by name.
func (pc *planCtx) ddl(stmt ast.StmtNode) error {
	c := &DDLCommand{Stmt: stmt, SQL: string(pc.args.Text)}
	var names []*ast.TableName
	right := catalog.DDL
	switch s := stmt.(type) {
	case *ast.CreateDatabaseStmt:
		c.Schema, c.Lenient = s.Name.O, s.IfNotExists
	case *ast.AlterDatabaseStmt:
		c.Schema = s.Name.O
		if s.AlterDefaultDatabase || c.Schema == "" {
			c.Schema = pc.env.DB
		}
	case *ast.DropDatabaseStmt:
		c.Schema, c.Lenient = s.Name.O, s.IfExists
	case *ast.CreateTableStmt:
		if err := refuseCreate(s); err != nil {
			return err
		}
		c.Lenient = s.IfNotExists
		names = append(names, s.Table)
		if s.ReferTable != nil {
			names = append(names, s.ReferTable)
		}
	case *ast.AlterTableStmt:
		names = append(names, s.Table)
		for _, spec := range s.Specs {
			if spec.NewTable != nil {
				names = append(names, spec.NewTable)
			}
		}
	case *ast.DropTableStmt:
		if s.IsView {
			return errRefused.New("DROP VIEW")
		}
		if s.TemporaryKeyword != ast.TemporaryNone {
			return errRefused.New("DROP TEMPORARY TABLE")
		}
		names, c.Lenient = s.Tables, s.IfExists
	case *ast.TruncateTableStmt:
		names = append(names, s.Table)
	case *ast.RenameTableStmt:
		for _, t := range s.TableToTables {
			names = append(names, t.OldTable, t.NewTable)
		}
	case *ast.CreateIndexStmt:
		names = append(names, s.Table)
		c.Lenient = s.IfNotExists
	case *ast.DropIndexStmt:
		names = append(names, s.Table)
		c.Lenient = s.IfExists
	case *ast.CreateUserStmt, *ast.AlterUserStmt, *ast.DropUserStmt, *ast.RenameUserStmt, *ast.GrantStmt, *ast.GrantRoleStmt, *ast.RevokeStmt,
		*ast.RevokeRoleStmt, *ast.SetPwdStmt:
		return errAccounts.New(statementName(stmt, string(pc.args.lex.norm)))
	default:
		return errRefused.New(statementName(stmt, string(pc.args.lex.norm)))
	}
	for _, n := range names {
		schema := n.Schema.O
		if schema == "" {
			schema = pc.env.DB
		}
		if schema == "" {
			return errNoDB.New()
		}
		c.Tables = append(c.Tables, catalog.Name{Schema: schema, Table: n.Name.O})
		pc.need(schema, n.Name.O, right)
	}
	if c.Schema != "" {
		pc.need(c.Schema, "", right)
	}
	pc.plan.Verb, pc.plan.Command, pc.plan.tree = DDL, c, stmt
	return nil
}

// refuseCreate names the forms of CREATE TABLE that are not supported.
func refuseCreate(s *ast.CreateTableStmt) error {
	switch {
	case s.TemporaryKeyword != ast.TemporaryNone:
		return errRefused.New("CREATE TEMPORARY TABLE")
	case s.Select != nil:
		return errRefused.New("CREATE TABLE … AS SELECT")
	case s.Partition != nil:
		return nil
	}
	return nil
}

// statementName gives the leading words of a statement, for refusals: never anything behind them, which might hold literals.
func statementName(stmt ast.StmtNode, norm string) string {
	var words []string
	for _, w := range strings.Fields(norm) {
		if strings.ToUpper(w) == strings.ToLower(w) || strings.ContainsAny(w, "'\"`(@=,.") || len(words) == 2 {
			break
		}
		words = append(words, strings.ToUpper(w))
	}
	if len(words) == 0 {
		return fmt.Sprintf("%T", stmt)
	}
	return strings.Join(words, " ")
}
