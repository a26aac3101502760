package integration

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"ballast/integration/cluster"
)

// TestScatterReads is about when the rows of several nodes come, and what becomes of what the nodes still do.
func TestScatterReads(t *testing.T) {
	b := startBallast(t)
	root := connect(t, b, func(c *mysql.Config) { c.InterpolateParams = true })
	root.must("CREATE DATABASE app")
	root.must("CREATE TABLE app.t (id INT NOT NULL, name VARCHAR(250) NOT NULL, PRIMARY KEY (name, id)) CHARACTER SET utf8mb4 BALANCE BY (id) MOD 4")
	for from := 0; from < 800; from += 100 {
		var rows []string
		for id := from; id < from+100; id++ {
			rows = append(rows, fmt.Sprintf("(%d, '%04d%s')", id, id, strings.Repeat("x", 200)))
		}
		root.must("INSERT INTO app.t VALUES " + strings.Join(rows, ","))
	}
	t.Run("first rows leave", func(t *testing.T) { firstRowsLeave(t, b) })
	t.Run("one node fails", func(t *testing.T) { oneNodeFails(t, b) })
	t.Run("limit", func(t *testing.T) { limitGivesUp(t, b) })
	t.Run("union", func(t *testing.T) { unionInTransaction(t, b) })
	t.Run("prepared", func(t *testing.T) { preparedScatter(t, b) })
}

// lockRow keeps a row locked on its node until the returned function is called.
func lockRow(t *testing.T, b *cluster.Ballast, id int) (release func()) {
	t.Helper()
	tx, err := b.Servers.Nodes[id%4].DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := tx.QueryRowContext(t.Context(), "SELECT id FROM app.t WHERE id = ? AND name LIKE ? FOR UPDATE", id, fmt.Sprintf("%04d%%", id)).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
}

// firstRowsLeave: what the nodes have sent reaches the client while one of them is held up, although it fills no buffer.
func firstRowsLeave(t *testing.T, b *cluster.Ballast) {
	release := lockRow(t, b, 798)
	held := true
	defer func() {
		if held {
			release()
		}
	}()
	c := connect(t, b, nil)
	rows, err := c.conn.QueryContext(t.Context(), "SELECT id FROM app.t ORDER BY name, id FOR UPDATE")
	if err != nil {
		t.Fatal(err)
	}
	for want := range 800 {
		if want == 100 { // all are below the row that is locked, and these are some hundred bytes
			release()
			held = false
		}
		var id int
		if !rows.Next() {
			t.Fatalf("after %d rows: %v", want, rows.Err())
		}
		if err := rows.Scan(&id); err != nil || id != want {
			t.Fatalf("row %d is %d, %v", want, id, err)
		}
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
}

// running lists what a node does for the router in the schema app.
func running(t *testing.T, n *cluster.Node) map[uint64]string {
	t.Helper()
	rows, err := n.DB.QueryContext(t.Context(), "SELECT ID, INFO FROM information_schema.PROCESSLIST WHERE INFO LIKE '%app%' AND ID <> CONNECTION_ID() AND COMMAND IN ('Query', 'Execute')")
	if err != nil {
		t.Fatal(err)
	}
	out := map[uint64]string{}
	for rows.Next() {
		var id uint64
		var info sql.NullString
		if err := rows.Scan(&id, &info); err != nil {
			t.Fatal(err)
		}
		out[id] = info.String
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
	return out
}

// oneNodeFails: the failure of the last node is told, and the first node's work ended, while the first one waits for a lock.
func oneNodeFails(t *testing.T, b *cluster.Ballast) {
	defer lockRow(t, b, 0)()
	defer lockRow(t, b, 3)()
	c := connect(t, b, nil)
	said := make(chan error, 1)
	go func() {
		rows, err := c.conn.QueryContext(t.Context(), "SELECT id FROM app.t ORDER BY name, id FOR UPDATE")
		if err == nil {
			err = rows.Close()
		}
		said <- err
	}()
	first, last := b.Servers.Nodes[0], b.Servers.Nodes[3]
	waitFor(t, func() bool { return len(running(t, first)) == 1 && len(running(t, last)) == 1 })
	began := time.Now()
	for id := range running(t, last) {
		if _, err := last.DB.ExecContext(t.Context(), fmt.Sprintf("KILL QUERY %d", id)); err != nil {
			t.Error(err)
		}
	}
	if err := <-said; err == nil || time.Since(began) > 3*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	waitFor(t, func() bool { return len(running(t, first)) == 0 })
}

// limitGivesUp: once a LIMIT that nodes can't apply is full, nothing goes on there, and connections are good for what follows.
func limitGivesUp(t *testing.T, b *cluster.Ballast) {
	c := connect(t, b, func(c *mysql.Config) { c.InterpolateParams = true })
	const q = "SELECT name, COUNT(*) AS n FROM app.t GROUP BY name HAVING n > 0 ORDER BY name LIMIT 3"
	for range 5 {
		rows := strings.Fields(c.rows(q))
		if len(rows) == 0 || !strings.HasPrefix(rows[0], "0000xx") {
			t.Errorf("%.80q", rows)
		}
		c.want("800,319600", "SELECT COUNT(*), SUM(id) FROM app.t")
	}
	const wide = "SELECT a.name, COUNT(*) AS n FROM app.t a JOIN app.t b ON a.id = b.id GROUP BY a.name HAVING n > 0 ORDER BY a.name LIMIT 1"
	c.rows(wide)
	for _, n := range b.Servers.Nodes {
		waitFor(t, func() bool { return len(running(t, n)) == 0 })
	}
}

// preparedScatter: the same text again and again, with other values, other definitions, and among other statements.
func preparedScatter(t *testing.T, b *cluster.Ballast) {
	c := connect(t, b, nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	st, err := c.conn.PrepareContext(ctx, "SELECT COUNT(*), MIN(id), MAX(id) FROM app.t WHERE id >= ?")
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.conn.PrepareContext(ctx, "SELECT * FROM app.t WHERE id IN (1, 2, 3) ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(from int) {
		t.Helper()
		var n, least, most int
		if err := st.QueryRowContext(ctx, from).Scan(&n, &least, &most); err != nil || n != 800-from || least != from || most != 799 {
			t.Errorf("from %d: %d rows from %d to %d, %v", from, n, least, most, err)
		}
	}
	for _, from := range []int{0, 0, 5, 5, 0, 700, 700} {
		ask(from)
		rows, err := all.QueryContext(ctx)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rows.Next() {
			n++
		}
		if err := rows.Close(); err != nil || n != 3 {
			t.Errorf("%d rows, %v", n, err)
		}
		ask(from)
	}
	c.must("ALTER TABLE app.t ADD COLUMN more INT NOT NULL DEFAULT 7")
	for range 3 {
		ask(0)
		ask(400)
	}
	for _, q := range []*sql.Stmt{st, all} {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
}

// unionInTransaction: the answers of several branches come over the one connection that a transaction has to each node.
func unionInTransaction(t *testing.T, b *cluster.Ballast) {
	c := connect(t, b, func(c *mysql.Config) { c.InterpolateParams = true })
	for _, q := range []string{
		"SELECT id, name FROM app.t UNION ALL SELECT id + 1, name FROM app.t",
		"SELECT id, name FROM app.t WHERE id < 500 UNION SELECT id, name FROM app.t WHERE id > 300 ORDER BY id",
		"SELECT COUNT(*) FROM app.t UNION ALL SELECT COUNT(*) FROM app.t WHERE id < 9 UNION ALL SELECT MAX(id) FROM app.t",
		"SELECT id FROM app.t UNION ALL SELECT id FROM app.t ORDER BY id LIMIT 7",
	} {
		sorted := func() string {
			rows := c.column(q)
			slices.Sort(rows)
			return strings.Join(rows, " ")
		}
		outside := sorted()
		c.must("BEGIN")
		for range 2 {
			if inside := sorted(); inside != outside {
				t.Errorf("%s: %.200q in a transaction, %.200q outside", q, inside, outside)
			}
		}
		c.must("COMMIT")
	}
}
