package integration

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// TestInterruptions lets clients run reads, writes on one and on all nodes and transactions, and cuts them off in the middle at random: by
// closing their connections and by KILL. Whatever was going on, each write is whole afterwards, all copies of a global table are equal, and
// neither sessions nor transactions nor connections in use are left over.
func TestInterruptions(t *testing.T) {
	b := startBallast(t)
	root := connect(t, b, func(c *mysql.Config) { c.InterpolateParams = true })
	root.must("CREATE DATABASE app")
	root.must("CREATE TABLE app.a (id INT PRIMARY KEY, v INT) BALANCE BY (id) MOD 4")
	root.must("CREATE TABLE app.ai (id BIGINT AUTO_INCREMENT PRIMARY KEY, v INT) BALANCE BY (id) MOD 4")
	root.must("CREATE TABLE app.g (id INT PRIMARY KEY, v INT) GLOBAL")
	root.must("INSERT INTO app.g VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0)")

	const workers, length = 8, 4 * time.Second
	stop := time.Now().Add(length)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			cfg := b.DriverConfig(0)
			cfg.DBName, cfg.InterpolateParams = "app", w%2 == 0
			connector, err := mysql.NewConnector(cfg)
			if err != nil {
				t.Error(err)
				return
			}
			db := sql.OpenDB(connector)
			rnd := rand.New(rand.NewPCG(1, uint64(w)))
			for time.Now().Before(stop) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(2+rnd.IntN(200))*time.Millisecond)
				if err := disturbed(ctx, db, rnd); err != nil && !expected(err) {
					t.Errorf("worker %d: %v", w, err)
				}
				cancel()
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Add(1)
	go func() {
		defer wg.Done()
		own := root.rows("SELECT CONNECTION_ID()")
		tick := time.NewTicker(70 * time.Millisecond)
		defer tick.Stop()
		for time.Now().Before(stop) {
			<-tick.C
			ids := root.column("SHOW PROCESSLIST")
			if id := ids[rand.IntN(len(ids))]; id != own {
				if _, err := root.conn.ExecContext(t.Context(), "KILL QUERY "+id); err != nil && !expected(err) {
					t.Error(err)
				}
			}
		}
	}()
	wg.Wait()

	waitFor(t, func() bool { return !strings.Contains(root.rows("SHOW PROCESSLIST"), "app") })
	waitFor(t, func() bool {
		for i, n := range b.Servers.Nodes {
			var open int
			if err := n.DB.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.INNODB_TRX").Scan(&open); err != nil {
				t.Fatalf("node %d: %v", i, err)
			}
			if open > 0 {
				return false
			}
		}
		return true
	})
	copies := map[string]bool{}
	for _, n := range b.Servers.Nodes {
		var sum string
		if err := n.DB.QueryRowContext(t.Context(), "SELECT GROUP_CONCAT(id, ':', v ORDER BY id) FROM app.g").Scan(&sum); err != nil {
			t.Fatal(err)
		}
		copies[sum] = true
	}
	if len(copies) != 1 {
		t.Errorf("the copies of a global table differ: %v", copies)
	}
	var n int
	if _, err := fmt.Sscan(root.rows("SELECT COUNT(*) FROM app.ai"), &n); err != nil || n%3 != 0 {
		t.Errorf("%d rows by inserts of three, %v", n, err)
	}
}

// disturbed runs one statement or transaction that ctx may cut off anywhere.
func disturbed(ctx context.Context, db *sql.DB, rnd *rand.Rand) error {
	id := rnd.IntN(100)
	var err error
	switch rnd.IntN(7) {
	case 0:
		_, err = db.ExecContext(ctx, "INSERT INTO a VALUES (?, 1), (?, 2), (?, 3) ON DUPLICATE KEY UPDATE v = v + 1", id, id+1, id+2)
	case 1:
		_, err = db.ExecContext(ctx, "UPDATE a SET v = v + 1")
	case 2:
		var n sql.NullInt64
		err = db.QueryRowContext(ctx, "SELECT SUM(v) FROM a WHERE id > ?", id).Scan(&n)
	case 3:
		_, err = db.ExecContext(ctx, "INSERT INTO ai (v) VALUES (1), (2), (3)")
	case 4:
		_, err = db.ExecContext(ctx, "UPDATE g SET v = v + 1 WHERE id = ?", id%5)
	case 5:
		var got int
		err = db.QueryRowContext(ctx, "SELECT SLEEP(0.05)").Scan(&got)
	default:
		var tx *sql.Tx
		if tx, err = db.BeginTx(ctx, nil); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE a SET v = v + 1 WHERE id = ?", id)
		var n int
		if err == nil {
			err = tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM a").Scan(&n)
		}
		if err == nil && rnd.IntN(2) == 0 {
			return tx.Commit()
		}
		if undo := tx.Rollback(); err == nil && !errors.Is(undo, sql.ErrTxDone) {
			err = undo
		}
	}
	return err
}

// expected tells the errors that a cut makes.
func expected(err error) bool {
	var me *mysql.MySQLError
	if errors.As(err, &me) {
		return me.Number == 1317 || me.Number == 1213 || me.Number == 1205 || me.Number == 1094
	}
	var ne net.Error
	if errors.As(err, &ne) && ne.Timeout() {
		return true
	}
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, sql.ErrTxDone) ||
		errors.Is(err, driver.ErrBadConn)
}
