package master_test

import (
	"strings"
	"testing"
	"time"

	"ballast/integration/cluster"
	"ballast/master/api"
	"ballast/master/client"
	"ballast/rules/catalog"
)

// twoNodes is a cluster of two nodes with the database shop.
func twoNodes(t *testing.T) (*cluster.Servers, *run, *client.Client) {
	t.Helper()
	s := pool.Servers(t, cluster.Shape{Nodes: 2, Metadata: true})
	m := startMaster(t, s, nil)
	c := newClient(t, m)
	addNodes(t, c, s)
	ddl(t, c, api.CreateDatabase, "CREATE DATABASE shop", "shop")
	return s, m, c
}

// TestJobOutlivesItsMaster blocks a job on the second node, stops its master, and lets the next one finish it.
func TestJobOutlivesItsMaster(t *testing.T) {
	s, m, c := twoNodes(t)
	ddl(t, c, api.CreateTable, "CREATE TABLE a (id INT PRIMARY KEY, b INT) BALANCE BY (id) MOD 2", "shop.a")
	mustExec(t, s.Nodes[1], "INSERT INTO shop.a VALUES (1, 1)")
	reader, err := s.Nodes[1].DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var one int
	if err := reader.QueryRowContext(t.Context(), "SELECT id FROM shop.a").Scan(&one); err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := tryDDL(t, c, api.CreateIndex, "CREATE INDEX by_b ON a (b)", "shop.a")
		answered <- err
	}()
	hasIndex := func(n *cluster.Node) bool {
		var count int
		err := n.DB.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = 'shop' AND index_name = 'by_b'").Scan(&count)
		return err == nil && count == 1
	}
	eventually(t, "the first node has the index", 5*time.Second, func() bool {
		jobs, err := c.Jobs(t.Context())
		return err == nil && len(jobs[0].Done) == 1 && hasIndex(s.Nodes[0])
	})
	m.stop()
	if err := <-answered; err == nil {
		t.Error("the client was told that it is done")
	}
	again := startMaster(t, s, nil)
	c = newClient(t, again)
	jobs, err := c.Jobs(t.Context())
	if err != nil || jobs[0].State != "changing" || len(jobs[0].Done) != 1 {
		t.Errorf("jobs %+v, error %v", jobs, err)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the job is done", 15*time.Second, func() bool {
		jobs, err := c.Jobs(t.Context())
		return err == nil && jobs[0].State == "done"
	})
	if !hasIndex(s.Nodes[1]) {
		t.Error("the second node lacks the index")
	}
	snap, err := c.Snapshot(t.Context())
	if err != nil || len(snap.Table(parseName("shop.a")).Keys) != 2 {
		t.Errorf("the catalog lacks the index, error %v", err)
	}
}

func TestRefusedOnOneNodeIsTakenBack(t *testing.T) {
	s, _, c := twoNodes(t)
	ddl(t, c, api.CreateTable, "CREATE TABLE a (id INT PRIMARY KEY, b INT) SINGLE ON (n1)", "shop.a")
	mustExec(t, s.Nodes[1], "INSERT INTO shop.a VALUES (1, 7), (2, 7)")
	if _, err := tryDDL(t, c, api.CreateIndex, "CREATE UNIQUE INDEX u ON a (b)", "shop.a"); number(err) != 1062 {
		t.Errorf("a unique index over equal values: %v", err)
	}
	var count int
	if err := s.Nodes[0].DB.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = 'shop' AND index_name = 'u'").Scan(&count); err != nil || count != 0 {
		t.Errorf("the first node kept the index (%d), error %v", count, err)
	}
	mustExec(t, s.Nodes[1], "DELETE FROM shop.a WHERE id = 2")
	ddl(t, c, api.CreateIndex, "CREATE UNIQUE INDEX u ON a (b)", "shop.a")
}

func TestRuleOfATable(t *testing.T) {
	s, _, c := twoNodes(t)
	r := startRouter(t, c, client.RouterInfo{Name: "r1"})
	ddl(t, c, api.CreateTable, "CREATE TABLE a (id INT PRIMARY KEY) BALANCE BY (id) MOD 2", "shop.a")
	ddl(t, c, api.AlterTable, "ALTER TABLE a BALANCE BY (id) RANGE (0, 100, 200)", "shop.a")
	eventually(t, "the router has the new rule", 3*time.Second, func() bool {
		a := r.Current().Table(parseName("shop.a"))
		return a != nil && len(a.Strategy.Steps[0].Bounds) == 3
	})
	mustExec(t, s.Nodes[0], "INSERT INTO shop.a VALUES (50)")
	if _, err := tryDDL(t, c, api.AlterTable, "ALTER TABLE a BALANCE BY (id) MOD 2", "shop.a"); number(err) != 1235 || !strings.Contains(err.Error(), "needs a job") && !strings.Contains(err.Error(), "need a job") {
		t.Errorf("a new rule for a table with rows: %v", err)
	}
	reply, err := c.Check(t.Context(), parseName("shop.a"))
	if err != nil || !reply.Holds {
		t.Errorf("check %+v, error %v", reply, err)
	}
	mustExec(t, s.Nodes[1], "INSERT INTO shop.a VALUES (51)")
	if reply, err = c.Check(t.Context(), parseName("shop.a")); err != nil || reply.Holds || reply.Nodes[1].Misplaced != 1 {
		t.Errorf("check of a stray row %+v, error %v", reply, err)
	}
	if _, err := tryDDL(t, c, api.AlterTable, "ALTER TABLE a DROP COLUMN id, ADD COLUMN x INT", "shop.a"); number(err) != 1235 {
		t.Errorf("dropping the balancing field: %v", err)
	}
}

func TestRulesFile(t *testing.T) {
	_, _, c := twoNodes(t)
	ddl(t, c, api.CreateTable, "CREATE TABLE a (id INT PRIMARY KEY)", "shop.a")
	file := `schema: shop
tables:
  a: {by: [id], steps: [{mod: 2}]}
  later: {group: by_user, by: [user_id], steps: [hash, {mod: 8}]}
  later_items: {group: by_user, by: [owner]}
`
	reply, err := c.Apply(t.Context(), api.ApplyRequest{YAML: file, DryRun: true})
	if err != nil || len(reply.Changes) != 3 {
		t.Fatalf("dry run %+v, error %v", reply, err)
	}
	if _, err := c.Apply(t.Context(), api.ApplyRequest{YAML: file}); err != nil {
		t.Fatal(err)
	}
	if reply, err = c.Apply(t.Context(), api.ApplyRequest{YAML: file}); err != nil || len(reply.Changes) != 0 {
		t.Errorf("applied again %+v, error %v", reply, err)
	}
	ddl(t, c, api.CreateTable, "CREATE TABLE later (id BIGINT AUTO_INCREMENT PRIMARY KEY, user_id BIGINT)", "shop.later")
	ddl(t, c, api.CreateTable, "CREATE TABLE later_items (id BIGINT AUTO_INCREMENT PRIMARY KEY, owner BIGINT)", "shop.later_items")
	snap, err := c.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, by := range map[string]string{"later": "user_id", "later_items": "owner"} {
		table := snap.Table(catalog.Name{Schema: "shop", Table: name})
		if table.Group != "by_user" || table.Kind != catalog.Sharded || table.Strategy.By[0] != by || table.Strategy.Steps[1].Mod != 8 {
			t.Errorf("%s became %+v", name, table)
		}
	}
	if _, err := c.Apply(t.Context(), api.ApplyRequest{YAML: "schema: shop\ntables:\n  a: {by: [nothing], steps: [{mod: 2}]}\n"}); number(err) != 1072 {
		t.Errorf("an unknown field: %v", err)
	}
}

func TestIDsOfTwoRouters(t *testing.T) {
	_, _, c := twoNodes(t)
	ddl(t, c, api.CreateTable, "CREATE TABLE a (id BIGINT AUTO_INCREMENT PRIMARY KEY) AUTO_INCREMENT = 10", "shop.a")
	r1 := startRouter(t, c, client.RouterInfo{Name: "r1"})
	r2 := startRouter(t, c, client.RouterInfo{Name: "r2"})
	sequence := r1.Current().Table(parseName("shop.a")).Sequence
	seen := map[uint64]bool{}
	take := func(r *client.Router, n uint64) uint64 {
		t.Helper()
		first, err := r.NextIDs(t.Context(), sequence, n)
		if err != nil {
			t.Fatal(err)
		}
		for id := first; id < first+n; id++ {
			if seen[id] {
				t.Errorf("id %d twice", id)
			}
			seen[id] = true
		}
		return first
	}
	if first := take(r1, 1); first != 10 {
		t.Errorf("the first id is %d", first)
	}
	take(r2, 5)
	for range 2000 {
		take(r1, 3)
		take(r2, 1)
	}
	// An explicit id far above: nobody counts below it any more on the router that saw it.
	if err := r1.RaiseID(t.Context(), sequence, 1_000_000); err != nil {
		t.Fatal(err)
	}
	if first := take(r1, 1); first <= 1_000_000 {
		t.Errorf("after an explicit 1000000 comes %d", first)
	}
	// An explicit id inside a block that the other router holds: it must give the block up.
	next := take(r2, 1)
	if err := r1.RaiseID(t.Context(), sequence, next+1); err != nil {
		t.Fatal(err)
	}
	seen[next+1] = true
	for range 300 {
		take(r2, 1)
	}
}

func TestUsersAndAudit(t *testing.T) {
	_, _, c := twoNodes(t)
	r := startRouter(t, c, client.RouterInfo{Name: "r1"})
	native, sha2 := api.Verifiers("geheim")
	for _, q := range []api.UserRequest{
		{Op: "add", Name: "app", Native: native, CachingSHA2: sha2, Schema: "shop", Rights: catalog.Read},
		{Op: "grant", Name: "app", Schema: "shop", Rights: catalog.Write | catalog.DDL},
		{Op: "revoke", Name: "app", Schema: "shop", Rights: catalog.DDL},
		{Op: "add", Name: "root", Rights: catalog.Admin},
		{Op: "drop", Name: "root"},
	} {
		if err := c.ChangeUser(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q.Op, err)
		}
	}
	if err := c.ChangeUser(t.Context(), api.UserRequest{Op: "grant", Name: "nobody"}); number(err) != 1396 {
		t.Errorf("an unknown user: %v", err)
	}
	eventually(t, "the router knows the user", 3*time.Second, func() bool {
		u := r.Current().Users["app"]
		return u != nil && u.Can("shop", catalog.Read|catalog.Write) && !u.Can("shop", catalog.DDL) && r.Current().Users["root"] == nil
	})
	entries, err := c.Audit(t.Context())
	if err != nil || entries[0].What != "user root: drop" || entries[0].Who != "test" || entries[0].Why != "to see" {
		t.Errorf("audit %+v, error %v", entries[0], err)
	}
	for _, e := range entries {
		if strings.Contains(e.What, "geheim") {
			t.Error("the audit log holds a password")
		}
	}
}

func TestDefaultRules(t *testing.T) {
	_, _, c := twoNodes(t)
	r := startRouter(t, c, client.RouterInfo{Name: "r1"})
	ddl(t, c, api.CreateTable, "CREATE TABLE users (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20))", "shop.users")
	ddl(t, c, api.CreateTable, "CREATE TABLE posts (id INT AUTO_INCREMENT PRIMARY KEY, user_id INT, FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE)", "shop.posts")
	users := parseName("shop.users")
	if _, err := c.DDL(t.Context(), api.DDLRequest{
		Kind: api.CreateTable, Schema: "shop", SQL: "CREATE TABLE copy LIKE users", Tables: []catalog.Name{parseName("shop.copy")}, Like: &users,
	}); err != nil {
		t.Fatal(err)
	}
	tree := ddl(t, c, api.CreateTable, "CREATE TABLE tree (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES tree (id))", "shop.tree")
	if len(tree.Notes) != 1 || !strings.Contains(tree.Notes[0].Message, "single table on n") {
		t.Errorf("notes %v", tree.Notes)
	}
	if _, err := tryDDL(t, c, api.CreateTable, "CREATE TABLE likes (id INT AUTO_INCREMENT PRIMARY KEY, user_id INT, FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE SET NULL)", "shop.likes"); number(err) != 1235 {
		t.Errorf("ON DELETE SET NULL of a balancing field: %v", err)
	}
	eventually(t, "the router knows them", 3*time.Second, func() bool { return len(r.Current().Tables) == 4 })
	if copied := r.Current().Table(parseName("shop.copy")); copied.Kind != catalog.Sharded || copied.Group != "shop.copy" || copied.Sequence == "" {
		t.Errorf("the copy became %+v", copied)
	}
	posts := r.Current().Table(parseName("shop.posts"))
	if posts.Kind != catalog.Sharded || posts.Group != "shop.users" || posts.Strategy.By[0] != "user_id" {
		t.Errorf("posts became %+v", posts)
	}
	if _, err := tryDDL(t, c, api.DropTable, "DROP TABLE users", "shop.users"); number(err) != 3730 && number(err) != 1451 {
		t.Errorf("dropping a parent: %v", err)
	}
	ddl(t, c, api.DropTable, "DROP TABLE posts, users", "shop.posts", "shop.users")
	ddl(t, c, api.CreateTable, "CREATE TABLE users (id VARCHAR(9) PRIMARY KEY)", "shop.users")
	ddl(t, c, api.AlterTable, "ALTER TABLE users ADD COLUMN zero DATE", "shop.users")
}

func TestTransactionsHoldADefinitionUpForAWhile(t *testing.T) {
	s, _, c := twoNodes(t)
	ddl(t, c, api.CreateTable, "CREATE TABLE a (id INT PRIMARY KEY, b INT) BALANCE BY (id) MOD 2", "shop.a")
	tx, err := s.Nodes[1].DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), "INSERT INTO shop.a VALUES (1, 1)"); err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := tryDDL(t, c, api.AlterTable, "ALTER TABLE a ADD COLUMN c INT FIRST", "shop.a")
		answered <- err
	}()
	// The first node's lock is given up between tries, so the other side gets through.
	other, err := s.Nodes[0].DB.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the table can be read on the first node", 20*time.Second, func() bool {
		_, err := other.ExecContext(t.Context(), "INSERT INTO shop.a VALUES (2, 2)")
		return err == nil
	})
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
	var rows int
	if err := s.Nodes[0].DB.QueryRowContext(t.Context(), "SELECT COUNT(c) + COUNT(b) FROM shop.a").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("rows %d, error %v", rows, err)
	}
}
