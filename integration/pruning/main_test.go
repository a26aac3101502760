package pruning_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"

	"ballast/dbserver"
	"ballast/integration/cluster"
	"ballast/router/plan"
	"ballast/rules"
	"ballast/rules/catalog"
)

var pool = cluster.NewPool()

func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }

const nodeCount = 61

// bench is a server with one table per column type, and the catalog that describes them.
type bench struct {
	t       *testing.T
	conn    *sql.Conn
	planner *plan.Planner
	env     *plan.Env
	tables  map[string]*catalog.Table
}

// column is one column type under test; its table is named after it.
type column struct {
	name, definition, clause string
	field                    rules.FieldType
	values                   []string
}

func newBench(t *testing.T, columns []column) *bench {
	t.Helper()
	srv := pool.Servers(t, cluster.Shape{Nodes: 1})
	conn, err := srv.Nodes[0].DB.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Log(err)
		}
	})
	b := &bench{t: t, conn: conn, planner: plan.New(plan.Config{}), tables: map[string]*catalog.Table{}}
	for _, s := range []string{
		"DROP DATABASE IF EXISTS app", "CREATE DATABASE app CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "USE app",
		"SET NAMES utf8mb4 COLLATE utf8mb4_general_ci", "SET time_zone = '+00:00'", "SET sql_mode = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'",
	} {
		b.exec(s)
	}
	snap := &catalog.Snapshot{Schemas: map[string]*catalog.Schema{"app": {Name: "app"}}, Version: catalog.Version{Epoch: 1, N: 1}}
	for i := range nodeCount {
		n := catalog.Node{Name: fmt.Sprintf("n%d", i), Flavor: catalog.MySQL, ServerVersion: "9.7.4", Weight: 100}
		if srv.Flavour == dbserver.MariaDB {
			n.Flavor, n.ServerVersion = catalog.MariaDB, "10.11.6-MariaDB"
		}
		snap.Nodes = append(snap.Nodes, n)
	}
	for _, c := range columns {
		tab := b.create(c)
		snap.Tables = append(snap.Tables, tab)
		b.tables[c.name] = tab
	}
	if err := snap.Compile(); err != nil {
		t.Fatal(err)
	}
	b.env = &plan.Env{Snapshot: snap, DB: "app", Flags: plan.Strict, Charset: "utf8mb4", Collation: "utf8mb4_general_ci", TimeZone: "+00:00"}
	return b
}

func (b *bench) exec(sql string) {
	b.t.Helper()
	if _, err := b.conn.ExecContext(b.t.Context(), sql); err != nil {
		b.t.Fatalf("%s: %v", sql, err)
	}
}

// create makes the table of a column with all its values.
func (b *bench) create(c column) *catalog.Table {
	b.t.Helper()
	b.exec("CREATE TABLE " + c.name + " (n INT AUTO_INCREMENT PRIMARY KEY, k " + c.definition + ")")
	for _, v := range c.values {
		b.exec("INSERT INTO " + c.name + " (k) VALUES (" + v + ")")
	}
	clause, err := rules.ParseClause(c.clause)
	if err != nil {
		b.t.Fatal(err)
	}
	nullable := !strings.Contains(c.definition, "NOT NULL")
	c.field.Nullable = nullable
	return &catalog.Table{
		Name: catalog.Name{Schema: "app", Table: c.name}, Kind: catalog.Sharded, Shape: 1, Strategy: &clause.Strategy,
		Columns: []catalog.Column{
			{Name: "n", Type: "int", DataType: "int", HasDefault: true},
			{Name: "k", Type: c.definition, DataType: strings.ToLower(strings.Fields(c.definition)[0]), Nullable: nullable, HasDefault: nullable, Field: c.field},
		},
	}
}

// stored gives the key of a row as the server prints it.
func (b *bench) stored(tab *catalog.Table, text sql.NullString) int {
	b.t.Helper()
	v := rules.Value{Kind: rules.Null}
	if text.Valid {
		var ok bool
		if v, ok = tab.Columns[1].Field.Parse(text.String); !ok {
			b.t.Fatalf("%s: the server's value %q can't be read", tab.Name, text.String)
		}
	}
	node, err := tab.Placement.Node([]rules.Value{v})
	if err != nil {
		b.t.Fatalf("%s: %q: %v", tab.Name, text.String, err)
	}
	return node
}

// planned gives the nodes that the planner names for a statement; refused says that it names none.
func (b *bench) planned(statement string) (nodes map[int]bool, refused error) {
	b.t.Helper()
	var a plan.Args
	var out plan.Bound
	p, err := b.planner.Plan(context.Background(), b.env, []byte(statement), 0, &a)
	if err == nil {
		err = p.Bind(context.Background(), b.env, &a, nil, &out)
	}
	if err != nil {
		return nil, err
	}
	return nodesOf(&out), nil
}

// nodesOf gives the nodes whose rows a bound write may touch.
func nodesOf(out *plan.Bound) map[int]bool {
	nodes := map[int]bool{}
	switch {
	case out.Single != nil && !out.Single.AnyNode:
		nodes[out.Single.Node] = true
	case out.Writes != nil:
		for _, q := range out.Writes.Parts {
			nodes[q.Node] = true
		}
	}
	return nodes
}
