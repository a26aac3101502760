package loops

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// ended says whether a client's trouble is one that kills and lost nodes may cause: being interrupted, rolled back, or cut off.
func ended(err error) bool {
	var said *mysql.MySQLError
	if !errors.As(err, &said) {
		return true // the driver lost its connection
	}
	switch said.Number {
	case 1317, 1927, 1158, 1213, 1205, 1053, 1105, 1429:
		return true
	}
	return false
}

// Transactions move amounts between rows of one node while KILL QUERY and KILL hit them at every point: the sum stays, and no lock and no
// connection is left.
func TestKillsKeepTransactionsWhole(t *testing.T) {
	b, s := narrow(t)
	_, c := s.fresh("lstorm", s.accounts(), "killer")
	killer := c[0]
	cfg := b.DriverConfig(0)
	cfg.DBName, cfg.Timeout = "lstorm", 30*time.Second
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxIdleConns(0)
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	const clients, turns = 16, 25
	var ids [clients]atomic.Uint32
	var committed, failed atomic.Int64
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var movers, killers sync.WaitGroup
	for i := range clients {
		rnd := rand.New(rand.NewPCG(3, uint64(i)))
		movers.Go(func() {
			for range turns {
				err := move(ctx, db, &ids[i], rnd)
				switch {
				case err == nil:
					committed.Add(1)
				case ended(err):
					failed.Add(1)
				default:
					t.Errorf("client %d: %v", i, err)
				}
			}
		})
	}
	done := make(chan struct{})
	killers.Go(func() {
		rnd := rand.New(rand.NewPCG(4, 4))
		for {
			select {
			case <-done:
				return
			default:
			}
			id := ids[rnd.IntN(clients)].Load()
			if id == 0 {
				continue
			}
			how := []string{"KILL QUERY", "KILL QUERY", "KILL"}[rnd.IntN(3)]
			if err := killer.Query(fmt.Sprintf("%s %d", how, id)); err != nil {
				t.Error(err)
				return
			}
			if _, err := killer.RecvOK(); err != nil && !isNumber(err, 1094) {
				t.Error(err)
				return
			}
		}
	})
	movers.Wait()
	close(done)
	killers.Wait()
	t.Logf("%d transactions were committed, %d were not", committed.Load(), failed.Load())
	if committed.Load() == 0 || failed.Load() == 0 {
		t.Error("one of both never happened")
	}
	within(t, 20*time.Millisecond, "the sum is what it was", func() bool {
		var sum int
		if err := db.QueryRowContext(t.Context(), "SELECT SUM(v) FROM t WHERE g = 1 AND id < 5").Scan(&sum); err != nil {
			t.Fatal(err)
		}
		return sum == 100 // open transactions of killed sessions end a moment later; they can't be seen
	})
	var open int
	within(t, 110*time.Millisecond, "no transaction is open", func() bool {
		open = 0
		for _, n := range b.Servers.Nodes {
			var here int
			if err := n.DB.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.innodb_trx").Scan(&here); err != nil {
				t.Fatal(err)
			}
			open += here
		}
		return open == 0
	})
}

// isNumber tells an error by its number.
func isNumber(err error, number uint16) bool {
	var said interface{ MySQL() (uint16, string) }
	if errors.As(err, &said) {
		n, _ := said.MySQL()
		return n == number
	}
	return false
}

// move takes 1 from a row and gives it to another, over a connection of its own.
func move(ctx context.Context, db *sql.DB, id *atomic.Uint32, rnd *rand.Rand) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() {
		id.Store(0)
		if cerr := conn.Close(); cerr != nil && err == nil && !errors.Is(cerr, sql.ErrConnDone) {
			err = cerr
		}
	}()
	var own uint32
	if err := conn.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&own); err != nil {
		return err
	}
	id.Store(own)
	from := 1 + rnd.IntN(4)
	to := 1 + (from+rnd.IntN(3))%4
	low, high, step := from, to, -1
	if low > high { // in order, so that there are few deadlocks
		low, high, step = to, from, 1
	}
	for _, q := range []string{
		"BEGIN", fmt.Sprintf("UPDATE t SET v = v + %d WHERE g = 1 AND id = %d", step, low), "SELECT v FROM t WHERE g = 1 AND id = 1",
		fmt.Sprintf("UPDATE t SET v = v - %d WHERE g = 1 AND id = %d", step, high), "COMMIT",
	} {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// A node that kills the router's idle connections all the time, those of its probes among them, is no reason for a write to be done twice, or
// to be lost: what was answered is there, and what failed says so.
func TestNodeKillsIdleConnections(t *testing.T) {
	b, s := narrow(t)
	s.fresh("lcut", s.accounts())
	cfg := b.DriverConfig(0)
	cfg.DBName = "lcut"
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	done := make(chan struct{})
	var cutters, clients sync.WaitGroup
	var cuts atomic.Int64
	for _, node := range b.Servers.Nodes {
		cutters.Go(func() {
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-done:
					return
				case <-tick.C:
				}
				var id int64
				err := node.DB.QueryRowContext(t.Context(), "SELECT id FROM information_schema.processlist WHERE user LIKE 'ballast%' AND command = 'Sleep' ORDER BY RAND() LIMIT 1").Scan(&id)
				if errors.Is(err, sql.ErrNoRows) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				var said *mysql.MySQLError
				if _, err := node.DB.ExecContext(t.Context(), fmt.Sprintf("KILL %d", id)); err != nil && (!errors.As(err, &said) || said.Number != 1094) {
					t.Error(err)
					return
				}
				cuts.Add(1)
			}
		})
	}
	var written sync.Map
	var reads, readsFailed, writesFailed atomic.Int64
	for i := range 8 {
		clients.Go(func() {
			for n := range 60 {
				key := 1000 + 100*i + n
				_, err := db.ExecContext(t.Context(), fmt.Sprintf("INSERT INTO t VALUES (%d, %d, 0, 'x')", 1+n%2, key))
				switch {
				case err == nil:
					written.Store(key, true)
				case ended(err):
					writesFailed.Add(1)
				default:
					t.Errorf("write %d: %v", key, err) // a duplicate key above all
				}
				reads.Add(1)
				var v int
				switch err := db.QueryRowContext(t.Context(), fmt.Sprintf("SELECT v FROM t WHERE g = %d AND id = 1", 1+n%2)).Scan(&v); {
				case err == nil && v == 10:
				case err != nil && ended(err):
					readsFailed.Add(1)
				default:
					t.Errorf("read: %d, %v", v, err)
				}
			}
		})
	}
	clients.Wait()
	close(done)
	cutters.Wait()
	t.Logf("%d connections were killed; of %d reads %d failed, of as many writes %d", cuts.Load(), reads.Load(), readsFailed.Load(), writesFailed.Load())
	written.Range(func(key, _ any) bool {
		var v int
		if err := db.QueryRowContext(t.Context(), "SELECT v FROM t WHERE g = ? AND id = ?", 1+key.(int)%100%2, key).Scan(&v); err != nil {
			t.Errorf("row %v: %v", key, err)
		}
		return true
	})
}
