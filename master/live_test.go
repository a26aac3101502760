package master_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ballast/integration/cluster"
	"ballast/master"
	"ballast/master/api"
	"ballast/master/client"
	"ballast/rules"
	"ballast/rules/catalog"
	"ballast/rules/failure"
)

var pool = cluster.NewPool()

func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }

const token = "a-token-for-the-tests"

// run is a master that runs for one test.
type run struct {
	m    *master.Master
	stop func()
}

// startMaster starts a master over the servers' metadata and waits until it answers.
func startMaster(t *testing.T, s *cluster.Servers, change func(*master.Config)) *run {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	cfg := master.Default()
	dsn := s.Metadata.DriverConfig()
	dsn.DBName, dsn.Addr = "", s.Metadata.Link.Addr()
	cfg.Meta, cfg.Listen = dsn.FormatDSN(), "127.0.0.1:0"
	cfg.KeyFile, cfg.TokenFile = write("key", strings.Repeat("k", 40)), write("token", token)
	cfg.Development, cfg.AccountPool = true, 2
	if change != nil {
		change(&cfg)
	}
	level := slog.LevelWarn
	if testing.Verbose() {
		level = slog.LevelInfo
	}
	m, err := master.New(cfg, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	r := &run{m: m}
	stopped := false
	r.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the master ended with %v", err)
		}
	}
	t.Cleanup(r.stop)
	select {
	case <-m.Listening():
	case err := <-done:
		stopped = true
		t.Fatalf("the master ended at once: %v", err)
	}
	return r
}

func newClient(t *testing.T, masters ...*run) *client.Client {
	t.Helper()
	cfg := client.Config{Token: token, Actor: "test", Why: "to see"}
	for _, r := range masters {
		cfg.URLs = append(cfg.URLs, r.m.URL())
	}
	c, err := client.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

// addNodes makes all db nodes of the set nodes of the cluster.
func addNodes(t *testing.T, c *client.Client, s *cluster.Servers) {
	t.Helper()
	for i, n := range s.Nodes {
		dsn := n.DriverConfig()
		q := api.AddNodeRequest{Name: fmt.Sprintf("n%d", i), Addr: n.Link.Addr(), User: dsn.User, Password: dsn.Passwd, AcceptNonDurable: true}
		if _, err := c.AddNode(t.Context(), q); err != nil {
			t.Fatalf("add node %s: %v", q.Name, err)
		}
	}
}

// startRouter registers a router and keeps its stream for the test.
func startRouter(t *testing.T, c *client.Client, info client.RouterInfo) *client.Router {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	r, err := c.Register(ctx, info)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return r
}

func ddl(t *testing.T, c *client.Client, kind api.DDLKind, sql string, tables ...string) *api.DDLReply {
	t.Helper()
	reply, err := tryDDL(t, c, kind, sql, tables...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return reply
}

// tryDDL sends a definition as a router would: the clause taken off, the names qualified.
func tryDDL(t *testing.T, c *client.Client, kind api.DDLKind, sql string, tables ...string) (*api.DDLReply, error) {
	t.Helper()
	q := api.DDLRequest{Kind: kind, Schema: "shop", SQL: sql}
	for _, name := range tables {
		q.Tables = append(q.Tables, parseName(name))
	}
	if kind == api.CreateTable || kind == api.AlterTable {
		stmt, clause, err := rules.SplitClause(sql)
		if err != nil {
			t.Fatal(err)
		}
		q.SQL, q.Clause = stmt, clause
		if clause != nil && kind == api.AlterTable {
			q.SQL = ""
		}
	}
	return c.DDL(t.Context(), q)
}

func parseName(s string) catalog.Name {
	schema, table, ok := strings.Cut(s, ".")
	if !ok {
		return catalog.Name{Schema: s}
	}
	return catalog.Name{Schema: schema, Table: table}
}

// eventually waits for something that comes by itself.
func eventually(t *testing.T, what string, limit time.Duration, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline.C:
			t.Fatalf("%s: not within %s", what, limit)
		case <-tick.C:
		}
	}
}

func number(err error) uint16 {
	var f *failure.Error
	if !errors.As(err, &f) {
		return 0
	}
	n, _ := f.MySQL()
	return n
}

func TestTablesOverAllNodes(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 2, Metadata: true})
	m := startMaster(t, s, nil)
	c := newClient(t, m)
	addNodes(t, c, s)
	r := startRouter(t, c, client.RouterInfo{Name: "r1", Addr: "127.0.0.1:3307", Version: "test"})

	ddl(t, c, api.CreateDatabase, "CREATE DATABASE shop", "shop")
	ddl(t, c, api.CreateTable, "CREATE TABLE user (id BIGINT PRIMARY KEY, name VARCHAR(20)) BALANCE BY (id) MOD 2", "shop.user")
	reply := ddl(t, c, api.CreateTable, "CREATE TABLE log (line TEXT)", "shop.log")
	if len(reply.Notes) != 1 || !strings.Contains(reply.Notes[0].Message, "no primary key") {
		t.Errorf("notes of a table without a key: %v", reply.Notes)
	}
	ddl(t, c, api.CreateTable, "CREATE TABLE orders (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, total DECIMAL(10,2) DEFAULT '1.50')", "shop.orders")
	ddl(t, c, api.CreateTable, "CREATE TABLE region (id INT PRIMARY KEY, name CHAR(9)) GLOBAL", "shop.region")

	eventually(t, "the router knows all tables", 3*time.Second, func() bool { return len(r.Current().Tables) == 4 })
	orders := r.Current().Table(catalog.Name{Schema: "shop", Table: "orders"})
	if orders.Kind != catalog.Sharded || orders.Sequence == "" || len(orders.Strategy.On) != 2 {
		t.Errorf("orders became %+v", orders)
	}
	for _, n := range s.Nodes {
		var count int
		if err := n.DB.QueryRow("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop'").Scan(&count); err != nil || count != 4 {
			t.Errorf("node %s has %d tables, error %v", n.Name(), count, err)
		}
	}
	first, err := r.NextIDs(t.Context(), orders.Sequence, 3)
	if err != nil || first != 1 {
		t.Errorf("the first ids begin with %d, error %v", first, err)
	}

	ddl(t, c, api.AlterTable, "ALTER TABLE user ADD COLUMN age INT", "shop.user")
	eventually(t, "the router sees the column", 3*time.Second, func() bool {
		_, ok := r.Current().Table(catalog.Name{Schema: "shop", Table: "user"}).Column("age")
		return ok
	})
	ddl(t, c, api.CreateIndex, "CREATE INDEX by_age ON user (age)", "shop.user")
	ddl(t, c, api.TruncateTable, "TRUNCATE TABLE orders", "shop.orders")
	if _, err := c.DDL(t.Context(), api.DDLRequest{
		Kind: api.RenameTable, Schema: "shop", SQL: "RENAME TABLE log TO journal", Tables: []catalog.Name{parseName("shop.log")}, To: []catalog.Name{parseName("shop.journal")},
	}); err != nil {
		t.Fatal(err)
	}
	ddl(t, c, api.DropTable, "DROP TABLE journal, region", "shop.journal", "shop.region")
	eventually(t, "the router knows two tables", 3*time.Second, func() bool { return len(r.Current().Tables) == 2 })

	if _, err := tryDDL(t, c, api.CreateTable, "CREATE TABLE user (a INT)", "shop.user"); number(err) != 1050 {
		t.Errorf("creating a table twice: %v", err)
	}
	if _, err := tryDDL(t, c, api.CreateTable, "CREATE TABLE bad (a INT, UNIQUE KEY u (a), b INT) BALANCE BY (b) MOD 2", "shop.bad"); number(err) != 1503 {
		t.Errorf("a unique key without the field: %v", err)
	}
	if _, err := tryDDL(t, c, api.CreateTable, "CREATE TABLE bad (a NOTHING)", "shop.bad"); number(err) != 1064 && number(err) != 4161 {
		t.Errorf("a syntax error: %v", err)
	}
	ddl(t, c, api.DropDatabase, "DROP DATABASE shop", "shop")
	eventually(t, "the router knows no schema", 3*time.Second, func() bool { return len(r.Current().Schemas) == 0 })
	jobs, err := c.Jobs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if j.State != "done" {
			t.Errorf("job %d (%s %s) is %s: %s", j.ID, j.Kind, j.Table, j.State, j.Error)
		}
	}
}
