package plan

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/rules/catalog"
)

// resolver finds the tables that a statement names. Names of common table expressions are not tables.
type resolver struct {
	pc  *planCtx
	err error
	// ctes are the names in sight, innermost frame last; a frame belongs to one WITH clause.
	ctes [][]string
}

// resolve finds all tables of the statement, checks that they exist, and notes them in refs, tables and the plan's dependencies.
func (pc *planCtx) resolve(n ast.Node) error {
	r := &resolver{pc: pc}
	n.Accept(r)
	return r.err
}

// Enter implements ast.Visitor.
func (r *resolver) Enter(n ast.Node) (ast.Node, bool) {
	if r.err != nil {
		return n, true
	}
	switch n := n.(type) {
	case *ast.WithClause:
		var frame []string
		if n.IsRecursive {
			for _, c := range n.CTEs {
				frame = append(frame, c.Name.L)
			}
		}
		r.ctes = append(r.ctes, frame)
	case *ast.DeleteTableList:
		return n, true // names of references, not tables
	case *ast.TableName:
		if n.Schema.L == "" && r.isCTE(n.Name.L) {
			return n, true
		}
		_, r.err = r.pc.table(n)
		return n, true
	}
	return n, false
}

// Leave implements ast.Visitor.
func (r *resolver) Leave(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.CommonTableExpression:
		r.ctes[len(r.ctes)-1] = append(r.ctes[len(r.ctes)-1], n.Name.L)
	case *ast.SelectStmt:
		r.pop(n.With)
	case *ast.SetOprStmt:
		r.pop(n.With)
	case *ast.SetOprSelectList:
		r.pop(n.With)
	case *ast.UpdateStmt:
		r.pop(n.With)
	case *ast.DeleteStmt:
		r.pop(n.With)
	}
	return n, r.err == nil
}

func (r *resolver) pop(w *ast.WithClause) {
	if w != nil && len(r.ctes) > 0 {
		r.ctes = r.ctes[:len(r.ctes)-1]
	}
}

func (r *resolver) isCTE(lower string) bool {
	for _, f := range r.ctes {
		for _, name := range f {
			if name == lower {
				return true
			}
		}
	}
	return false
}

// table resolves one name.
func (pc *planCtx) table(n *ast.TableName) (resolved, error) {
	if got, ok := pc.refs[n]; ok {
		return got, nil
	}
	schema := n.Schema.O
	if schema == "" {
		schema = pc.env.DB
	}
	got, err := pc.lookup(schema, n.Name.O)
	if err != nil {
		return resolved{}, err
	}
	pc.refs[n] = got
	return got, nil
}

// lookup finds a table by its names; errors are MySQL's.
func (pc *planCtx) lookup(schema, table string) (resolved, error) {
	snap := pc.env.Snapshot
	switch {
	case schema == "":
		return resolved{}, errNoDB.New()
	case SystemSchema(schema):
		return resolved{schema: strings.ToLower(schema)}, nil
	}
	t := snap.Table(catalog.Name{Schema: schema, Table: table})
	if t == nil {
		if snap.Schemas[foldName(snap, schema)] == nil && !pc.mariaDB {
			return resolved{}, errUnknownDB.New(schema)
		}
		return resolved{}, errNoTable.New(schema, table)
	}
	for i, have := range pc.tables {
		if have == t {
			return resolved{table: t, index: i, schema: t.Name.Schema}, nil
		}
	}
	pc.tables = append(pc.tables, t)
	pc.plan.deps = append(pc.plan.deps, &dependency{name: t.Name, shape: t.Shape, kind: t.Kind})
	return resolved{table: t, index: len(pc.tables) - 1, schema: t.Name.Schema}, nil
}

func foldName(snap *catalog.Snapshot, name string) string {
	if snap.LowerCaseNames != 0 {
		return strings.ToLower(name)
	}
	return name
}

// SystemSchema says whether a schema is the server's own: it is read on any node, and never sharded.
func SystemSchema(name string) bool {
	switch strings.ToLower(name) {
	case "information_schema", "performance_schema", "mysql", "sys":
		return true
	}
	return false
}

// need notes that the statement needs a right on a table.
func (pc *planCtx) need(schema, table string, right catalog.Right) {
	for i := range pc.plan.Accesses {
		a := &pc.plan.Accesses[i]
		if a.Schema == schema && a.Table == table {
			a.Need |= right
			return
		}
	}
	pc.plan.Accesses = append(pc.plan.Accesses, Access{Schema: schema, Table: table, Need: right})
}

// needRead notes that all tables resolved so far are read, except those that have a right noted already.
func (pc *planCtx) needRead() {
	for n, r := range pc.refs {
		if r.table == nil {
			pc.need(r.schema, n.Name.O, catalog.Read)
			continue
		}
		pc.needOnce(r.table, catalog.Read)
	}
}

func (pc *planCtx) needOnce(t *catalog.Table, right catalog.Right) {
	for i := range pc.plan.Accesses {
		if pc.plan.Accesses[i].Schema == t.Name.Schema && pc.plan.Accesses[i].Table == t.Name.Table {
			return
		}
	}
	pc.need(t.Name.Schema, t.Name.Table, right)
}

// sharded says whether the statement names a sharded table.
func (pc *planCtx) sharded() bool {
	for _, t := range pc.tables {
		if t.Kind == catalog.Sharded {
			return true
		}
	}
	return false
}

// singleTable gives the single table of the statement, nil if there is none; two on different nodes are an error.
func (pc *planCtx) singleTable() (*catalog.Table, error) {
	var one *catalog.Table
	for _, t := range pc.tables {
		if t.Kind != catalog.Single {
			continue
		}
		if one != nil && one.SingleNode != t.SingleNode {
			return nil, errSingles.New(one.Name, t.Name)
		}
		one = t
	}
	return one, nil
}
