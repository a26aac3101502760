package merge

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"ballast/dbserver"
	"ballast/integration/cluster"
	"ballast/router/engine"
	"ballast/router/plan"
	"ballast/rules"
	"ballast/rules/catalog"
	"ballast/sqlfront/wire"
)

var pool = cluster.NewPool()

func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }

const nodeCount = 4

// bench is the server with its schemas: connections 0 to 3 are the nodes, the last is the plain one.
type bench struct {
	t       *testing.T
	conns   [nodeCount + 1]*client.Conn
	locks   [nodeCount + 1]sync.Mutex
	maria   bool
	planner *plan.Planner
	env     *plan.Env
}

// newBench makes the schemas and fills them. Tables are given by their definition, how they are spread, and rows of values.
func newBench(t *testing.T, tables []table) *bench {
	t.Helper()
	srv := pool.Servers(t, cluster.Shape{Nodes: 1})
	b := &bench{t: t, planner: plan.New(plan.Config{}), maria: srv.Flavour == dbserver.MariaDB}
	for i := range b.conns {
		db := fmt.Sprintf("n%d", i)
		admin := b.connect(srv.Nodes[0].Addr(), "")
		b.exec(admin, "DROP DATABASE IF EXISTS "+db)
		b.exec(admin, "CREATE DATABASE "+db+" CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
		if err := admin.Close(); err != nil {
			t.Fatal(err)
		}
		b.conns[i] = b.connect(srv.Nodes[0].Addr(), db)
		t.Cleanup(func() {
			if err := b.conns[i].Close(); err != nil {
				t.Log(err)
			}
		})
	}
	snap := &catalog.Snapshot{Schemas: map[string]*catalog.Schema{"app": {Name: "app"}}, Version: catalog.Version{Epoch: 1, N: 1}}
	for i := range nodeCount {
		n := catalog.Node{Name: fmt.Sprintf("n%d", i), Flavor: catalog.MySQL, ServerVersion: "9.7.4", Weight: 100}
		if b.maria {
			n.Flavor, n.ServerVersion = catalog.MariaDB, "10.11.6-MariaDB"
		}
		snap.Nodes = append(snap.Nodes, n)
	}
	for _, tab := range tables {
		snap.Tables = append(snap.Tables, b.create(tab))
	}
	if err := snap.Compile(); err != nil {
		t.Fatal(err)
	}
	for _, tab := range tables {
		b.fill(snap, tab)
	}
	for _, c := range b.conns { // rows were stored in UTC; in this zone some instants print alike
		b.exec(c, "SET time_zone = 'Europe/Berlin'")
	}
	b.env = &plan.Env{Snapshot: snap, DB: "app", Flags: plan.Strict | plan.OnlyFullGroupBy, Charset: "utf8mb4", Collation: "utf8mb4_general_ci", TimeZone: "Europe/Berlin"}
	if b.maria {
		b.env.Flags &^= plan.OnlyFullGroupBy
	}
	return b
}

func (b *bench) connect(addr, db string) *client.Conn {
	b.t.Helper()
	c, err := client.ConnectWithTimeout(addr, "root", "", db, 10*time.Second)
	if err != nil {
		b.t.Fatal(err)
	}
	b.exec(c, "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci")
	b.exec(c, "SET time_zone = '+00:00'")
	return c
}

func (b *bench) exec(c *client.Conn, sql string) {
	b.t.Helper()
	r, err := c.Execute(sql)
	if err != nil {
		b.t.Fatalf("%s: %v", sql, err)
	}
	r.Close()
}

// table is one table of the test.
type table struct {
	name, columns, clause string
	rows                  []string
	// key reads the balancing field off a row.
	key func(row string) int64
}

// create makes the table everywhere and reads its columns back.
func (b *bench) create(tab table) *catalog.Table {
	b.t.Helper()
	for _, c := range b.conns {
		b.exec(c, "CREATE TABLE "+tab.name+" ("+tab.columns+")")
	}
	out := &catalog.Table{Name: catalog.Name{Schema: "app", Table: tab.name}, Kind: catalog.Global, Shape: 1}
	if tab.clause != "GLOBAL" {
		clause, err := rules.ParseClause(tab.clause)
		if err != nil {
			b.t.Fatal(err)
		}
		out.Kind, out.Strategy, out.Group = catalog.Sharded, &clause.Strategy, clause.Group
	}
	r, err := b.conns[0].Execute("SELECT column_name, column_type, data_type, IFNULL(character_set_name, ''), IFNULL(collation_name, ''), is_nullable " +
		"FROM information_schema.columns WHERE table_schema = 'n0' AND table_name = '" + tab.name + "' ORDER BY ordinal_position")
	if err != nil {
		b.t.Fatal(err)
	}
	for i := range r.Values {
		text := func(j int) string { return fmt.Sprintf("%s", r.Values[i][j].AsString()) }
		c := catalog.Column{Name: text(0), Type: text(1), DataType: text(2), Charset: text(3), Collation: text(4), Nullable: text(5) == "YES", HasDefault: true}
		if c.DataType == "bigint" {
			c.Field = rules.FieldType{Kind: rules.FieldInt, Bits: 64}
		}
		out.Columns = append(out.Columns, c)
	}
	r.Close()
	return out
}

// fill stores the rows on their nodes and in the plain schema.
func (b *bench) fill(snap *catalog.Snapshot, tab table) {
	b.t.Helper()
	place := snap.Table(catalog.Name{Schema: "app", Table: tab.name})
	byNode := make([][]string, len(b.conns))
	for _, row := range tab.rows {
		byNode[nodeCount] = append(byNode[nodeCount], row)
		for n := range nodeCount {
			if place.Kind == catalog.Sharded {
				at, err := place.Placement.Node([]rules.Value{{Kind: rules.Int, I: tab.key(row)}})
				if err != nil {
					b.t.Fatal(err)
				}
				if at != n {
					continue
				}
			}
			byNode[n] = append(byNode[n], row)
		}
	}
	for n, rows := range byNode {
		if len(rows) > 0 {
			b.exec(b.conns[n], "INSERT INTO "+tab.name+" VALUES "+strings.Join(rows, ","))
		}
	}
}

// Start implements engine.Shards; the answer is read whole by Rows.
func (b *bench) Start(_ context.Context, q engine.Query) (engine.Started, error) {
	return &started{b: b, query: q}, nil
}

type started struct {
	b     *bench
	query engine.Query
}

func (s *started) Ready()     {}
func (s *started) Interrupt() {}

func (s *started) Rows() (engine.Stream, error) {
	cols, rows, err := s.b.query(s.query.Node, string(s.query.SQL), s.query.Format)
	if err != nil {
		return nil, err
	}
	return &stream{columns: cols, rows: rows}, nil
}

// query runs a statement on one connection and copies the raw rows.
func (b *bench) query(conn int, sql string, f wire.Format) ([]wire.Column, [][]byte, error) {
	b.locks[conn].Lock()
	defer b.locks[conn].Unlock()
	var r *mysql.Result
	var err error
	if f == wire.Text {
		r, err = b.conns[conn].Execute(sql)
	} else {
		var st *client.Stmt
		if st, err = b.conns[conn].Prepare(sql); err == nil {
			r, err = st.Execute()
			if closing := st.Close(); err == nil && closing != nil {
				err = closing
			}
		}
	}
	if err != nil {
		return nil, nil, err
	}
	cols, rows := rawRows(r)
	return cols, rows, nil
}

// rawRows copies a result's columns and row packets, and gives the result back.
func rawRows(r *mysql.Result) ([]wire.Column, [][]byte) {
	defer r.Close()
	var cols []wire.Column
	for _, f := range r.Fields {
		cols = append(cols, wire.Column{Name: string(f.Name), Type: wire.Type(f.Type), Flags: f.Flag, Charset: f.Charset, Length: f.ColumnLength, Decimals: f.Decimal})
	}
	var rows [][]byte
	for _, row := range r.RowDatas {
		rows = append(rows, append([]byte(nil), row...))
	}
	return cols, rows
}

type stream struct {
	columns []wire.Column
	rows    [][]byte
}

func (s *stream) Columns() []wire.Column { return s.columns }
func (s *stream) Warnings() uint16       { return 0 }
func (s *stream) Close() error           { return nil }
func (s *stream) Next() ([]byte, error) {
	if len(s.rows) == 0 {
		return nil, io.EOF
	}
	row := s.rows[0]
	s.rows = s.rows[1:]
	return row, nil
}
