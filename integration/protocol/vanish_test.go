package protocol

import (
	"context"
	"testing"
	"time"

	"ballast/integration/cluster"
	"ballast/sqlfront/wire"
)

// running counts the statements on all nodes that sleep or wait for a locked table.
func running(t *testing.T, b *cluster.Ballast) (n int) {
	t.Helper()
	for _, node := range b.Servers.Nodes {
		var here int
		err := node.DB.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.processlist WHERE (info LIKE '%sleep%' OR state LIKE 'Waiting for table%') AND id <> CONNECTION_ID()").Scan(&here)
		if err != nil {
			t.Fatal(err)
		}
		n += here
	}
	return n
}

// within asks until it is so, at most for d.
func within(t *testing.T, d time.Duration, what string, so func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s: not within %s", what, d)
		}
	}
}

func TestVanishedClientEndsItsStatements(t *testing.T) {
	b := pool.Ballast(t, cluster.Shape{Nodes: 4, Plain: true}, cluster.Size{})
	s := side{"ballast", b.Routers[0].Addr, t}
	admin := s.fresh("pvanish", usual, "CREATE TABLE t (id BIGINT PRIMARY KEY, v INT)", "INSERT INTO t (id) VALUES (1), (2), (3), (4), (5), (6), (7), (8)")
	// A statement on several nodes waits because one of them has the table locked.
	locker, err := b.Servers.Nodes[2].DB.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := locker.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := locker.ExecContext(t.Context(), "LOCK TABLES pvanish.t WRITE"); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"SELECT SLEEP(60)", "SELECT COUNT(*) FROM t", "SELECT id FROM t ORDER BY id", "UPDATE t SET v = 1"} {
		for _, way := range []string{"close", "kill"} {
			c := s.login("root", "", "pvanish", usual)
			c.fatal(c.Query(sql))
			within(t, 10*time.Second, sql+" begins", func() bool { return running(t, b) > 0 })
			if way == "close" {
				c.fatal(c.Close())
			} else {
				admin.command((&wire.ProcessKill{ID: c.Client.Greeting().ConnectionID}).Append(nil))
				_, err := admin.RecvOK()
				c.fatal(err)
				c.fatal(c.RecvEnd())
			}
			within(t, 5*time.Second, sql+" ends by "+way, func() bool { return running(t, b) == 0 })
		}
	}
	if _, err := locker.ExecContext(t.Context(), "UNLOCK TABLES"); err != nil {
		t.Fatal(err)
	}
}
