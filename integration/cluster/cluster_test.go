package cluster

import (
	"context"
	"database/sql"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

var pool = NewPool()

func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }

func TestServersAreReusedAndWiped(t *testing.T) {
	shape := Shape{Nodes: 2, Plain: true}
	first := pool.Servers(t, shape)
	for _, statement := range []string{
		"CREATE DATABASE `odd``name`", "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY)", "INSERT INTO d.t VALUES (1)",
		"CREATE USER app@'%' IDENTIFIED BY 'secret'",
	} {
		if _, err := first.Nodes[0].DB.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	prepareBranch(t, first.Nodes[0])
	pid := first.Nodes[1].PID()
	first.Nodes[0].Kill()
	first.Nodes[1].Pause()
	first.Nodes[1].Link.Set(Cut)
	again := pool.Servers(t, shape)
	if again != first || again.Nodes[1].PID() != pid {
		t.Error("another set was started")
	}
	schemas, err := column(t.Context(), again.Nodes[0].DB, "SHOW DATABASES")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range schemas {
		if s == "d" || s == "odd`name" {
			t.Errorf("schema %s is left", s)
		}
	}
	users, err := column(t.Context(), again.Nodes[0].DB, "SELECT user FROM mysql.user WHERE user = 'app'")
	if err != nil || len(users) > 0 {
		t.Errorf("accounts left: %v, error %v", users, err)
	}
	if err := throughLink(t, again.Nodes[1]).PingContext(t.Context()); err != nil {
		t.Errorf("after a wipe the link is not open: %v", err)
	}
}

// prepareBranch leaves a prepared transaction, whose locks would keep a table from being dropped.
func prepareBranch(t *testing.T, n *Node) {
	t.Helper()
	conn, err := n.DB.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { quiet(conn.Close()) }()
	for _, statement := range []string{"XA START 'branch','b',7", "INSERT INTO d.t VALUES (2)", "XA END 'branch','b',7", "XA PREPARE 'branch','b',7"} {
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func TestServersAreOneKind(t *testing.T) {
	s := pool.Servers(t, Shape{Nodes: 2, Plain: true})
	settings := map[string]string{}
	ids := map[string]bool{}
	for _, n := range s.All() {
		for _, query := range []string{"SELECT @@sql_mode", "SELECT @@collation_server", "SELECT @@time_zone", "SELECT @@version"} {
			got, err := column(t.Context(), n.DB, query)
			if err != nil {
				t.Fatal(err)
			}
			if settings[query] == "" {
				settings[query] = got[0]
			}
			if settings[query] != got[0] {
				t.Errorf("%s on %s: %s, elsewhere %s", query, n.Name(), got[0], settings[query])
			}
		}
		id, err := column(t.Context(), n.DB, "SELECT @@server_id")
		if err != nil {
			t.Fatal(err)
		}
		if ids[id[0]] {
			t.Errorf("server id %s twice", id[0])
		}
		ids[id[0]] = true
	}
}

func throughLink(t *testing.T, n *Node) *sql.DB {
	t.Helper()
	cfg := n.DriverConfig()
	cfg.Addr = n.Link.Addr()
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { quiet(db.Close()) })
	return db
}

func TestLinkCutsAndSwallows(t *testing.T) {
	n := pool.Servers(t, Shape{Nodes: 2, Plain: true}).Nodes[0]
	db := throughLink(t, n)
	if err := db.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	n.Link.Set(Silent)
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := db.PingContext(short); err == nil {
		t.Error("a silent link let an answer through")
	}
	n.Link.Set(Cut)
	if err := db.PingContext(t.Context()); err == nil {
		t.Error("a cut link let a connection through")
	}
	if err := n.DB.PingContext(t.Context()); err != nil {
		t.Errorf("the node itself: %v", err)
	}
	n.Link.Set(Open)
	if err := db.PingContext(t.Context()); err != nil {
		t.Errorf("an open link: %v", err)
	}
}

func TestLinkKeepsWhatWasSentWhileSilent(t *testing.T) {
	far, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { quiet(far.Close()) }()
	link, err := NewLink(far.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { quiet(link.Close()) }()
	link.Set(Silent)
	near, err := net.Dial("tcp", link.Addr())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := near.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	link.Set(Open)
	got, err := far.Accept()
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 5)
	if _, err := io.ReadFull(got, buf); err != nil || string(buf) != "hello" {
		t.Errorf("got %q, error %v", buf, err)
	}
	link.Set(Cut)
	if _, err := near.Read(buf); err == nil {
		t.Error("a cut link left a connection open")
	}
}
