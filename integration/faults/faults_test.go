package faults

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"ballast/integration/cluster"
)

// errorsWithin is how long a client may wait for an error about a part that is away; recoversWithin how long recovery may take once the
// part is back.
const (
	errorsWithin   = 3 * time.Second
	recoversWithin = 10 * time.Second
)

var pool = cluster.NewPool()

func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }

// setup gives a cluster with a table whose row i is on node i mod 4.
func setup(t *testing.T) (*cluster.Ballast, *sql.DB) {
	t.Helper()
	b := pool.Ballast(t, cluster.Shape{Nodes: 4, Metadata: true}, cluster.Size{})
	db, err := b.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Heal(context.Background()); err != nil {
			t.Error(err)
		}
		try := func() error { _, err := db.Exec("DROP DATABASE IF EXISTS faults"); return err }
		eventually(t, try)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, q := range []string{
		"CREATE DATABASE faults", "CREATE TABLE faults.t (id INT PRIMARY KEY, v INT NOT NULL) BALANCE BY (id) MOD 4",
		"INSERT INTO faults.t VALUES (0, 0), (1, 0), (2, 0), (3, 0)",
	} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	return b, db
}

// read reads the row of a node.
func read(ctx context.Context, db *sql.DB, node int) error {
	var v int
	return db.QueryRowContext(ctx, fmt.Sprintf("SELECT v FROM faults.t WHERE id = %d", node)).Scan(&v)
}

// eventually tries until it works.
func eventually(t *testing.T, try func() error) {
	t.Helper()
	begin := time.Now()
	for {
		err := try()
		if err == nil {
			t.Logf("works again after %s", time.Since(begin).Round(time.Millisecond))
			return
		}
		if time.Since(begin) > recoversWithin {
			t.Fatalf("still failing after %s: %v", recoversWithin, err)
		}
	}
}

// refused checks that an error came in time, from the router, and names the node.
func refused(t *testing.T, what string, begin time.Time, err error, node string) {
	t.Helper()
	took := time.Since(begin)
	var me *mysql.MySQLError
	switch {
	case took > errorsWithin:
		t.Errorf("%s: an error took %s: %v", what, took, err)
	case !errors.As(err, &me):
		t.Errorf("%s: no error of the router but %v", what, err)
	case !strings.Contains(me.Message, node):
		t.Errorf("%s: the error does not name %s: %v", what, node, err)
	}
}

// away checks what clients see while node 1 is away, and that all is well once it is back.
func away(t *testing.T, b *cluster.Ballast, db *sql.DB, take, give func()) {
	t.Helper()
	type end struct {
		err error
		at  time.Time
	}
	busy := make(chan end, 1)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { t.Log("the busy connection, closed:", conn.Close()) }()
	go func() { // a statement that runs on the node when it goes
		_, err := conn.ExecContext(context.Background(), "UPDATE faults.t SET v = SLEEP(60) WHERE id = 1")
		busy <- end{err, time.Now()}
	}()
	eventually(t, func() error {
		var n int
		err := b.Servers.Nodes[1].DB.QueryRow("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'UPDATE%SLEEP(60)%'").Scan(&n)
		if err == nil && n == 0 {
			err = errors.New("not running yet")
		}
		return err
	})
	take()
	begin := time.Now()
	for range 5 {
		at := time.Now()
		refused(t, "read", at, read(t.Context(), db, 1), "n1")
		at = time.Now()
		_, err := db.ExecContext(t.Context(), "UPDATE faults.t SET v = v + 1 WHERE id = 1")
		refused(t, "write", at, err, "n1")
		at = time.Now()
		refused(t, "scatter", at, db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM faults.t").Scan(new(int)), "n1")
		for _, node := range []int{0, 2, 3} {
			at = time.Now()
			if err := read(t.Context(), db, node); err != nil || time.Since(at) > errorsWithin {
				t.Errorf("node %d, which is well: %v after %s", node, err, time.Since(at))
			}
		}
	}
	select {
	case e := <-busy:
		refused(t, "running statement", begin.Add(time.Since(e.at)), e.err, "n1")
	case <-time.After(2 * errorsWithin):
		t.Error("a statement hangs on a node that is away")
	}
	give()
	eventually(t, func() error { return read(t.Context(), db, 1) })
	eventually(t, func() error {
		_, err := db.ExecContext(t.Context(), "UPDATE faults.t SET v = v + 1 WHERE id = 1")
		return err
	})
}

func TestNodeKilled(t *testing.T) {
	b, db := setup(t)
	node := b.Servers.Nodes[1]
	away(t, b, db, node.Kill, func() {
		if err := node.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestNodeFrozen(t *testing.T) {
	b, db := setup(t)
	node := b.Servers.Nodes[1]
	away(t, b, db, node.Pause, node.Resume)
}

func TestNodeCutOff(t *testing.T) {
	b, db := setup(t)
	link := b.Servers.Nodes[1].Link
	away(t, b, db, func() { link.Set(cluster.Silent) }, func() { link.Set(cluster.Open) })
}

// Without master or metadata server routers go on, for any length of time.
// With the master, the metadata server, or both of them dead, clients go on; a definition hears within seconds that it can't be done, and all
// works again once they are back.
func TestMasterAndMetadataKilled(t *testing.T) {
	for _, c := range []struct {
		what             string
		master, metadata bool
		named            string
	}{{"the master", true, false, "master"}, {"the metadata server", false, true, "metadata"}, {"both", true, true, "master"}} {
		t.Run(c.what, func(t *testing.T) {
			b, db := setup(t)
			if c.master {
				b.Masters[0].Kill()
			}
			if c.metadata {
				b.Servers.Metadata.Kill()
			}
			for round := range 3 {
				for node := range 4 {
					if err := read(t.Context(), db, node); err != nil {
						t.Errorf("read: %v", err)
					}
					if _, err := db.ExecContext(t.Context(), fmt.Sprintf("REPLACE INTO faults.t VALUES (%d, %d)", node, round)); err != nil {
						t.Errorf("write: %v", err)
					}
				}
			}
			begin := time.Now()
			_, err := db.ExecContext(t.Context(), "CREATE TABLE faults.u (id INT PRIMARY KEY)")
			refused(t, "definition", begin, err, c.named)
			if c.metadata {
				if err := b.Servers.Metadata.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if c.master {
				if err := b.Masters[0].Start(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, func() error {
				_, err := db.ExecContext(t.Context(), "CREATE TABLE IF NOT EXISTS faults.u (id INT PRIMARY KEY)")
				return err
			})
		})
	}
}
