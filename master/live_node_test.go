package master_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"ballast/integration/cluster"
	"ballast/master/api"
	"ballast/master/client"
)

func mustExec(t *testing.T, n *cluster.Node, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := n.DB.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// enter logs in to a node with a router's account.
func enter(t *testing.T, n *cluster.Node, r client.Registration) *sql.DB {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr = r.Account, r.Password, "tcp", n.Addr()
	cfg.AllowNativePasswords, cfg.Logger = true, &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestUnfitNodesAreRefused(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 2, Metadata: true})
	m := startMaster(t, s, nil)
	c := newClient(t, m)
	user := s.Nodes[0].DriverConfig().User
	add := func(i int, name string, accept bool) error {
		_, err := c.AddNode(t.Context(), api.AddNodeRequest{Name: name, Addr: s.Nodes[i].Link.Addr(), User: user, AcceptNonDurable: accept})
		return err
	}
	var mode string
	if err := s.Nodes[1].DB.QueryRowContext(t.Context(), "SELECT @@GLOBAL.sql_mode").Scan(&mode); err != nil {
		t.Fatal(err)
	}
	reset := []string{"SET GLOBAL sync_binlog = 1", "SET GLOBAL innodb_flush_log_at_trx_commit = 1", "SET GLOBAL binlog_row_image = 'FULL'", "SET GLOBAL sql_mode = '" + mode + "'"}
	mustExec(t, s.Nodes[0], reset[:3]...)
	mustExec(t, s.Nodes[1], reset...)
	defer mustExec(t, s.Nodes[1], reset...)

	mustExec(t, s.Nodes[0], "SET GLOBAL sync_binlog = 0")
	if err := add(0, "n0", false); err == nil || !strings.Contains(err.Error(), "sync_binlog is 0") {
		t.Errorf("a node without sync_binlog: %v", err)
	}
	if err := add(0, "n0", true); err != nil {
		t.Errorf("accepted without sync_binlog: %v", err)
	}
	mustExec(t, s.Nodes[0], "SET GLOBAL sync_binlog = 1")
	status, err := c.Status(t.Context())
	if err != nil || len(status.Warnings) != 1 || !strings.Contains(status.Warnings[0], "n0 may lose") {
		t.Errorf("warnings %v, error %v", status, err)
	}
	if err := add(0, "again", false); err == nil || !strings.Contains(err.Error(), "is node n0 already") {
		t.Errorf("one server twice: %v", err)
	}
	mustExec(t, s.Nodes[1], "SET GLOBAL sql_mode = 'ANSI'", "SET GLOBAL binlog_row_image = 'MINIMAL'")
	err = add(1, "n1", false)
	for _, want := range []string{"sql_mode is", "binlog_row_image is MINIMAL"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not named: %v", want, err)
		}
	}
	mustExec(t, s.Nodes[1], reset...)
	mustExec(t, s.Nodes[1], "CREATE USER weak@'%' IDENTIFIED BY 'secret-9'", "GRANT SELECT ON *.* TO weak@'%'")
	_, err = c.AddNode(t.Context(), api.AddNodeRequest{Name: "n1", Addr: s.Nodes[1].Link.Addr(), User: "weak", Password: "secret-9"})
	for _, want := range []string{"CREATE USER", "PROCESS", "GRANT OPTION", "REPLICATION SLAVE"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not named: %v", want, err)
		}
	}
	if err == nil || strings.Contains(err.Error(), "secret-9") {
		t.Errorf("the password is in %v", err)
	}
	_, err = c.AddNode(t.Context(), api.AddNodeRequest{Name: "n1", Addr: s.Nodes[1].Link.Addr(), User: "weak", Password: "wrong"})
	if err == nil || !strings.Contains(err.Error(), "can't be entered") {
		t.Errorf("a wrong password: %v", err)
	}
	if err := add(1, "n1", false); err != nil {
		t.Error(err)
	}
}

func TestAccountsOfIncarnations(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 2, Metadata: true})
	m := startMaster(t, s, nil)
	c := newClient(t, m)
	addNodes(t, c, s)
	ddl(t, c, api.CreateDatabase, "CREATE DATABASE sho_p", "sho_p")
	mustExec(t, s.Nodes[0], "CREATE DATABASE shoXp", "CREATE TABLE shoXp.a (id INT)")
	ddl(t, c, api.CreateTable, "CREATE TABLE sho_p.a (id INT PRIMARY KEY)", "sho_p.a")
	r := startRouter(t, c, client.RouterInfo{Name: "r1"})
	old := r.Registration()
	db := enter(t, s.Nodes[0], old)
	for statement, allowed := range map[string]bool{
		"INSERT INTO sho_p.a VALUES (1)": true, "SELECT * FROM sho_p.a": true, "CREATE TEMPORARY TABLE sho_p.tmp (a INT)": true,
		"DROP TABLE sho_p.a": false, "CREATE TABLE sho_p.b (id INT)": false, "SELECT * FROM shoXp.a": false,
		"SELECT * FROM ballast_sys.leader": false, "SELECT * FROM mysql.user": false, "CREATE USER x": false,
	} {
		if _, err := db.ExecContext(t.Context(), statement); (err == nil) != allowed {
			t.Errorf("%s: %v", statement, err)
		}
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	// The same router registers again: the old incarnation's account and sessions go, on both nodes.
	again, err := c.Register(t.Context(), client.RouterInfo{Name: "r1"})
	if err != nil {
		t.Fatal(err)
	}
	if again.Registration().Incarnation == old.Incarnation || again.Registration().Router != old.Router {
		t.Errorf("registered again as %+v", again.Registration().Incarnation)
	}
	eventually(t, "the old session is gone", 10*time.Second, func() bool { return conn.PingContext(t.Context()) != nil })
	eventually(t, "the old account is gone", 10*time.Second, func() bool {
		var n0, n1 int
		query := "SELECT COUNT(*) FROM mysql.user WHERE user = '" + old.Account + "'"
		if s.Nodes[0].DB.QueryRowContext(t.Context(), query).Scan(&n0) != nil || s.Nodes[1].DB.QueryRowContext(t.Context(), query).Scan(&n1) != nil {
			return false
		}
		return n0+n1 == 0
	})
	if err := conn.Close(); err != nil {
		t.Log(err) // it was killed
	}
	// The first router is told that it was replaced, and registers anew by itself: from then on the new account is gone in its turn.
	second := enter(t, s.Nodes[1], again.Registration())
	eventually(t, "the new account can enter, or was replaced", 10*time.Second, func() bool {
		return second.PingContext(t.Context()) == nil || r.Registration().Incarnation > again.Registration().Incarnation
	})
	eventually(t, "the first router has a new account", 10*time.Second, func() bool { return r.Registration().Incarnation > again.Registration().Incarnation })
}

func TestNodeThatWasAway(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 2, Metadata: true})
	m := startMaster(t, s, nil)
	c := newClient(t, m)
	addNodes(t, c, s)
	ddl(t, c, api.CreateDatabase, "CREATE DATABASE shop", "shop")
	s.Nodes[1].Link.Set(cluster.Cut)
	began := time.Now()
	if _, err := tryDDL(t, c, api.CreateTable, "CREATE TABLE a (id INT PRIMARY KEY)", "shop.a"); number(err) != 1158 {
		t.Errorf("a definition with a node down: %v", err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("that took %s", took)
	}
	var count int
	if err := s.Nodes[0].DB.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop'").Scan(&count); err != nil || count != 0 {
		t.Errorf("the other node has %d tables, error %v", count, err)
	}
	// Routers can start meanwhile; more than the pool holds.
	var last *client.Router
	for _, name := range []string{"r1", "r2", "r3"} {
		last = startRouter(t, c, client.RouterInfo{Name: name})
	}
	if err := enter(t, s.Nodes[0], last.Registration()).PingContext(t.Context()); err != nil {
		t.Errorf("the account on the node that is up: %v", err)
	}
	s.Nodes[1].Link.Set(cluster.Open)
	away := enter(t, s.Nodes[1], last.Registration())
	eventually(t, "the account is on the node that was away", 10*time.Second, func() bool {
		_, err := away.ExecContext(t.Context(), "USE shop")
		return err == nil
	})
	eventually(t, "definitions work", 10*time.Second, func() bool {
		_, err := tryDDL(t, c, api.CreateTable, "CREATE TABLE a (id INT PRIMARY KEY)", "shop.a")
		return err == nil
	})
}

func TestNodesComeAndGo(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 2, Metadata: true})
	m := startMaster(t, s, nil)
	c := newClient(t, m)
	add := func(i int, name string) error {
		_, err := c.AddNode(t.Context(), api.AddNodeRequest{Name: name, Addr: s.Nodes[i].Link.Addr(), User: s.Nodes[i].DriverConfig().User, AcceptNonDurable: true})
		return err
	}
	if err := add(0, "n0"); err != nil {
		t.Fatal(err)
	}
	ddl(t, c, api.CreateDatabase, "CREATE DATABASE shop", "shop")
	ddl(t, c, api.CreateTable, "CREATE TABLE parent (id INT PRIMARY KEY) BALANCE BY (id) MOD 1", "shop.parent")
	ddl(t, c, api.CreateTable, "CREATE TABLE g (id INT PRIMARY KEY) GLOBAL", "shop.g")
	mustExec(t, s.Nodes[0], "INSERT INTO shop.g VALUES (1)")
	if err := add(1, "n1"); err == nil || !strings.Contains(err.Error(), "global table shop.g has rows") {
		t.Errorf("a node that would lack global rows: %v", err)
	}
	mustExec(t, s.Nodes[0], "DELETE FROM shop.g")
	if err := add(1, "n1"); err != nil {
		t.Fatal(err)
	}
	var count int
	if err := s.Nodes[1].DB.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop'").Scan(&count); err != nil || count != 2 {
		t.Errorf("the new node has %d tables, error %v", count, err)
	}
	ddl(t, c, api.CreateTable, "CREATE TABLE b (id INT PRIMARY KEY) BALANCE BY (id) MOD 2", "shop.b")
	if err := c.RemoveNode(t.Context(), "n1"); err == nil || !strings.Contains(err.Error(), "still holds shop.b") {
		t.Errorf("removing a node that holds a table: %v", err)
	}
	ddl(t, c, api.DropTable, "DROP TABLE b", "shop.b")
	if err := c.RemoveNode(t.Context(), "n1"); err != nil {
		t.Fatal(err)
	}
	snap, err := c.Snapshot(t.Context())
	if err != nil || !snap.Nodes[1].Removed {
		t.Errorf("after the removal: %v, error %v", snap, err)
	}
	if err := c.RemoveNode(t.Context(), "n0"); err == nil {
		t.Error("the last node was removed")
	}
	mustExec(t, s.Nodes[1], "DROP DATABASE shop")
	if err := add(1, "n1"); err != nil {
		t.Errorf("adding it again: %v", err)
	}
}
