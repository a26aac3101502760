package loops

import (
	"context"
	"fmt"
	"testing"
	"time"

	"ballast/integration/cluster"
	"ballast/sqlfront/wire"
)

// accounts is a table whose rows of one g are on one node.
func (s side) accounts() []string {
	return []string{
		"CREATE TABLE t (g INT NOT NULL, id INT NOT NULL, v INT NOT NULL, s VARCHAR(20), PRIMARY KEY (g, id))" + s.split("(g) MOD 2"),
		"INSERT INTO t VALUES (1, 1, 10, 'a'), (1, 2, 20, 'b'), (1, 3, 30, 'c'), (1, 4, 40, 'd')",
		"INSERT INTO t VALUES (2, 1, 10, 'a'), (2, 2, 20, 'b'), (2, 3, 30, NULL)",
	}
}

func TestTransactions(t *testing.T) {
	both(t, func(s side) []string {
		notes, c := s.fresh("ltrans", s.accounts(), "a", "b")
		a, b := c[0], c[1]
		see := "SELECT id, v FROM t WHERE g = 1 AND id = 1"
		for range 2 {
			a.do("BEGIN", see, "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1", see)
			b.do(see)
			a.do("COMMIT", see)
			b.do(see)
			a.do("START TRANSACTION", "UPDATE t SET v = 0 WHERE g = 1 AND id = 1", see, "ROLLBACK", see)
			a.do("BEGIN", "COMMIT", "BEGIN", "ROLLBACK", "COMMIT", "ROLLBACK")
			// Errors leave the transaction as it is, and so do warnings.
			a.do("BEGIN", "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 2", "INSERT INTO t VALUES (1, 1, 1, 'dup')", "SELECT v FROM t WHERE g = 1 AND id = 2", "SHOW WARNINGS", "COMMIT",
				"SELECT v FROM t WHERE g = 1 AND id = 2")
			a.do("BEGIN", "SELECT nothing FROM t WHERE g = 1 AND id = 2", "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 2", "ROLLBACK", "SELECT v FROM t WHERE g = 1 AND id = 2")
			a.do("BEGIN", "INSERT INTO t VALUES (1, 9, 1, 'dup')", "INSERT INTO t VALUES (1, 9, 1, 'dup')", "ROLLBACK", "SELECT COUNT(*) FROM t WHERE g = 1")
			// An error in the first statement of a transaction, and in its only one.
			a.do("BEGIN", "INSERT INTO t VALUES (1, 1, 1, 'dup')", "SELECT v FROM t WHERE g = 1 AND id = 1", "COMMIT")
			// Read only transactions.
			a.do("START TRANSACTION READ ONLY", see, "UPDATE t SET v = 0 WHERE g = 1 AND id = 1", "COMMIT", "UPDATE t SET v = v WHERE g = 1 AND id = 1")
			a.do("SET TRANSACTION READ ONLY", "BEGIN", "UPDATE t SET v = 0 WHERE g = 1 AND id = 1", "ROLLBACK", "UPDATE t SET v = v WHERE g = 1 AND id = 1")
			a.do("BEGIN", "SELECT v FROM t WHERE g = 1 AND id = 3 FOR UPDATE", "DELETE FROM t WHERE g = 1 AND id = 3", "SELECT COUNT(*) FROM t WHERE g = 1", "ROLLBACK")
			// BEGIN commits what was open, COMMIT AND CHAIN goes on.
			a.do("BEGIN", "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 4", "BEGIN", "ROLLBACK", "SELECT v FROM t WHERE g = 1 AND id = 4")
			a.do("BEGIN", "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 4", "COMMIT AND CHAIN", "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 4", "ROLLBACK AND CHAIN",
				"SELECT v FROM t WHERE g = 1 AND id = 4", "COMMIT")
			b.do("SELECT g, id, v, s FROM t WHERE g = 1 ORDER BY id")
		}
		return notes.all
	})
}

func TestTransactionsWithoutAutocommit(t *testing.T) {
	both(t, func(s side) []string {
		notes, c := s.fresh("lauto", s.accounts(), "a", "b")
		a, b := c[0], c[1]
		see := "SELECT v FROM t WHERE g = 1 AND id = 1"
		for range 2 {
			a.do("SET autocommit = 0", see, "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1", see)
			b.do(see)
			a.do("COMMIT", see, "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1", "ROLLBACK", see, "COMMIT")
			a.do("UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1", "INSERT INTO t VALUES (1, 1, 1, 'dup')", "BEGIN", "ROLLBACK", see)
			a.do("UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1", "SET autocommit = 1", "ROLLBACK", see)
			b.do(see)
		}
		return notes.all
	})
}

func TestSavepointsAndImplicitCommits(t *testing.T) {
	both(t, func(s side) []string {
		notes, c := s.fresh("lsave", s.accounts(), "a", "b")
		a, b := c[0], c[1]
		see := "SELECT v FROM t WHERE g = 1 AND id = 1"
		up := "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1"
		for range 2 {
			a.do("BEGIN", up, "SAVEPOINT one", up, see, "ROLLBACK TO SAVEPOINT one", see, "RELEASE SAVEPOINT one", "ROLLBACK TO one", up, "COMMIT", see)
			a.do("BEGIN", "SAVEPOINT early", up, see, "ROLLBACK TO early", see, "COMMIT", see)
			a.do("BEGIN", up, "CREATE TABLE extra (id INT PRIMARY KEY)", "ROLLBACK", see, "DROP TABLE extra")
			b.do(see)
			a.do("BEGIN", up, "SAVEPOINT s")
			b.do(see)
			a.do("ROLLBACK", see, "ROLLBACK TO s")
		}
		return notes.all
	})
}

// waiting returns once a statement waits for a row lock, on any server.
func (s side) waiting() {
	s.t.Helper()
	b := ballast(s.t)
	nodes := b.Servers.Nodes
	if s.name == "plain" {
		nodes = []*cluster.Node{b.Servers.Plain}
	}
	// Servers look no more often than ten times a second.
	within(s.t, 110*time.Millisecond, "a statement waits for a lock", func() bool {
		n := 0
		for _, node := range nodes {
			var here int
			err := node.DB.QueryRowContext(s.t.Context(), "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'").Scan(&here)
			if err != nil {
				s.t.Fatal(err)
			}
			n += here
		}
		return n > 0
	})
}

// within asks every so often until it is so.
func within(t *testing.T, every time.Duration, what string, so func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("not in time: %s", what)
		}
		if so() {
			return
		}
	}
}

func TestLocks(t *testing.T) {
	both(t, func(s side) []string {
		notes, c := s.fresh("llocks", s.accounts(), "a", "b", "c")
		a, b, admin := c[0], c[1], c[2]
		// A deadlock: b has changed less, so it is the one that is rolled back.
		a.do("BEGIN", "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1", "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 3", "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 4")
		b.do("BEGIN", "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 2")
		a.fatal(a.Query("UPDATE t SET v = v + 100 WHERE g = 1 AND id = 2"))
		s.waiting()
		b.do("UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1")
		a.answer("the other one", wire.Text)
		b.do("SELECT v FROM t WHERE g = 1 AND id = 2", "UPDATE t SET v = v + 1 WHERE g = 2 AND id = 1", "ROLLBACK")
		a.do("COMMIT", "SELECT id, v FROM t WHERE g = 1 ORDER BY id")
		b.do("SELECT id, v FROM t WHERE g = 2 ORDER BY id")
		// KILL QUERY of a wait leaves the transaction, KILL ends it.
		for _, how := range []string{"KILL QUERY", "KILL CONNECTION"} {
			victim := s.login(notes, "victim", "llocks")
			victim.do("BEGIN", "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 2")
			a.do("BEGIN", "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1")
			victim.fatal(victim.Query("UPDATE t SET v = v + 200 WHERE g = 1 AND id = 1"))
			s.waiting()
			admin.must(fmt.Sprintf("%s %d", how, victim.id()))
			if how == "KILL QUERY" {
				victim.answer("killed", wire.Text)
				victim.do("SELECT v FROM t WHERE g = 1 AND id = 2", "COMMIT")
			} else {
				_, err := victim.RecvResult()
				victim.note("killed: %v", err != nil)
				victim.fatal(victim.RecvEnd())
			}
			a.do("COMMIT")
			within(t, 10*time.Millisecond, "the killed transaction is gone", func() bool {
				admin.fatal(admin.Query("SELECT id, v FROM t WHERE g = 1 AND id = 2 FOR UPDATE SKIP LOCKED"))
				res, err := admin.RecvResult()
				admin.fatal(err)
				return len(res.Rows) == 1
			})
			a.do("SELECT id, v FROM t WHERE g = 1 ORDER BY id")
		}
		// A wait that takes too long undoes the statement only.
		b.do("SET innodb_lock_wait_timeout = 1", "BEGIN", "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 2")
		a.do("BEGIN", "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1")
		b.do("UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1", "SELECT v FROM t WHERE g = 1 AND id = 2", "COMMIT")
		a.do("COMMIT", "SELECT id, v FROM t WHERE g = 1 ORDER BY id")
		return notes.all
	})
}
