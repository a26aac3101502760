package integration

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"ballast/master/api"
	"ballast/rules/catalog"
)

// TestRouter runs a client's day against one cluster: the parts share it, each with tables of its own.
func TestRouter(t *testing.T) {
	b := startBallast(t)
	root := connect(t, b, nil)
	root.must("CREATE DATABASE app")
	inApp := func(c *mysql.Config) { c.DBName = "app" }
	inline := func(c *mysql.Config) { c.DBName, c.InterpolateParams = "app", true }

	t.Run("rows", func(t *testing.T) {
		for name, how := range map[string]func(*mysql.Config){"prepared": inApp, "interpolated": inline} {
			t.Run(name, func(t *testing.T) {
				c := connect(t, b, how)
				c.must("DROP TABLE IF EXISTS t")
				c.must("CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY, g INT, s VARCHAR(40)) BALANCE BY (id) MOD 4")
				for i := range 20 {
					c.must("INSERT INTO t (id, g, s) VALUES (?, ?, ?)", i, i%3, strings.Repeat("x", i))
				}
				r := c.must("INSERT INTO t (id, g) VALUES (?, ?), (?, ?), (?, ?)", 100, 7, 101, 7, 102, 7)
				if n, err := r.RowsAffected(); n != 3 || err != nil {
					t.Errorf("%d rows affected, %v", n, err)
				}
				c.want("7,1", "SELECT id, g FROM t WHERE id = ?", 7)
				c.want("23", "SELECT COUNT(*) FROM t")
				c.want("18 19 100", "SELECT id FROM t WHERE id >= ? ORDER BY id LIMIT 3", 18)
				c.want("0,7 1,7 2,6 7,3", "SELECT g, COUNT(*) FROM t GROUP BY g ORDER BY g")
				c.want("102 101", "SELECT id FROM t WHERE id IN (?, ?) ORDER BY id DESC", 101, 102)
				c.want("", "SELECT id FROM t WHERE id = ?", -5)
				c.must("UPDATE t SET g = ? WHERE id > ?", 8, 99)
				c.want("3", "SELECT ROW_COUNT()")
				c.must("DELETE FROM t WHERE id = ?", 101)
				c.want("2", "SELECT COUNT(*) FROM t WHERE g = ?", 8)
				c.fails(1062, "INSERT INTO t (id) VALUES (?), (?)", 200, 5)
				c.want("0", "SELECT COUNT(*) FROM t WHERE id = ?", 200)
			})
		}
	})

	t.Run("transactions", func(t *testing.T) {
		c, other := connect(t, b, inline), connect(t, b, inline)
		c.must("CREATE TABLE acc (id INT PRIMARY KEY, v INT) BALANCE BY (id) MOD 4")
		c.must("INSERT INTO acc VALUES (1, 10), (2, 20), (5, 50)")
		c.must("BEGIN")
		c.must("UPDATE acc SET v = v + 1 WHERE id = 1")
		c.want("11,20,50", "SELECT (SELECT v FROM acc WHERE id = 1), 20, 50")
		c.want("81", "SELECT SUM(v) FROM acc")
		other.want("80", "SELECT SUM(v) FROM acc")
		c.fails(1235, "UPDATE acc SET v = 0 WHERE id = 2") // another node
		c.fails(1235, "UPDATE acc SET v = 0")
		c.must("UPDATE acc SET v = v + 1 WHERE id = 5") // the same node
		c.must("SAVEPOINT a")
		c.must("UPDATE acc SET v = 0 WHERE id = 1")
		c.must("ROLLBACK TO SAVEPOINT a")
		c.fails(1305, "ROLLBACK TO SAVEPOINT b")
		c.must("COMMIT")
		other.want("11 20 51", "SELECT v FROM acc ORDER BY id")

		c.must("SET autocommit = 0")
		c.must("INSERT INTO acc VALUES (9, 90)")
		other.want("3", "SELECT COUNT(*) FROM acc")
		c.must("ROLLBACK")
		c.must("INSERT INTO acc VALUES (9, 91)")
		c.must("SET autocommit = 1") // commits
		other.want("91", "SELECT v FROM acc WHERE id = 9")

		c.must("START TRANSACTION READ ONLY")
		c.fails(1792, "DELETE FROM acc WHERE id = 1")
		c.must("COMMIT")
		c.must("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
		c.must("BEGIN")
		c.want("11", "SELECT v FROM acc WHERE id = 1")
		other.must("UPDATE acc SET v = 12 WHERE id = 1")
		c.want("12", "SELECT v FROM acc WHERE id = 1")
		c.must("COMMIT AND CHAIN")
		c.want("12", "SELECT v FROM acc WHERE id = 1")
		c.must("ROLLBACK")
	})

	t.Run("deadlock", func(t *testing.T) {
		x, y := connect(t, b, inline), connect(t, b, inline)
		x.must("CREATE TABLE dl (id INT PRIMARY KEY, v INT) BALANCE BY (id) MOD 4")
		x.must("INSERT INTO dl VALUES (1, 0), (5, 0), (2, 0)")
		x.must("BEGIN")
		y.must("BEGIN")
		x.must("UPDATE dl SET v = 1 WHERE id = 1")
		y.must("UPDATE dl SET v = 2 WHERE id = 5")
		x.want("0", "SELECT v FROM dl WHERE id = 2")
		y.want("0", "SELECT v FROM dl WHERE id = 2")
		done := make(chan error, 1)
		go func() {
			_, err := x.conn.ExecContext(t.Context(), "UPDATE dl SET v = 1 WHERE id = 5")
			done <- err
		}()
		_, yErr := y.conn.ExecContext(t.Context(), "UPDATE dl SET v = 2 WHERE id = 1")
		xErr := <-done
		victim, winner, lost := x, y, xErr
		if yErr != nil {
			victim, winner, lost = y, x, yErr
		}
		var me *mysql.MySQLError
		if !errors.As(lost, &me) || me.Number != 1213 || xErr != nil && yErr != nil {
			t.Fatalf("the two updates ended with %v and %v", xErr, yErr)
		}
		victim.want("none", "SELECT 'none' FROM dl WHERE id = 2")
		if got := victim.rows("SHOW BALLAST SESSION"); !strings.Contains(got, "transaction,none") {
			t.Errorf("after a deadlock the victim's session is %s", got)
		}
		winner.must("COMMIT")
	})

	t.Run("session", func(t *testing.T) {
		c := connect(t, b, inline)
		c.must("CREATE TABLE ids (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, v INT) BALANCE BY (id) MOD 4")
		r := c.must("INSERT INTO ids (v) VALUES (1), (2), (3)")
		first, err := r.LastInsertId()
		if err != nil || first <= 0 {
			t.Fatal(first, err)
		}
		c.want("1", "SELECT LAST_INSERT_ID() = ?", first)
		c.want(strconv.FormatInt(first, 10), "SELECT MIN(id) FROM ids")
		c.must("SET @a = 5, @b = 'x', @n = NULL")
		c.want("5,x,NULL,6", "SELECT @a, @b, @n, @a + 1")
		c.must("SET @m = (SELECT COUNT(*) FROM ids)")
		c.want("3", "SELECT @m")
		c.must("PREPARE p FROM 'SELECT v FROM ids WHERE id = ?'")
		c.must("SET @id = ?", first+1)
		c.want("2", "EXECUTE p USING @id")
		c.must("DEALLOCATE PREPARE p")
		c.fails(1243, "EXECUTE p USING @id")
		c.must("SET sql_mode = 'ANSI_QUOTES', time_zone = '+02:00'")
		c.want("ANSI_QUOTES,+02:00", "SELECT @@sql_mode, @@time_zone")
		c.want("2", `SELECT "v" FROM ids WHERE id = ?`, first+1)
		other := connect(t, b, inline)
		if got := other.rows("SELECT @@time_zone, @a"); got != "SYSTEM,NULL" {
			t.Errorf("another session sees %s", got)
		}
		c.fails(1235, "SET GLOBAL max_connections = 5")
		c.fails(1193, "SET no_such_variable = 1")
		c.fails(1231, "SET sql_log_bin = 0")
		c.fails(1049, "USE nowhere")
		c.fails(1146, "SELECT * FROM nowhere")
		c.fails(1064, "SELEC 1")
		c.must("SELECT CAST('abc' AS SIGNED)")
		c.want("1", "SELECT @@warning_count")
	})

	t.Run("named locks", func(t *testing.T) {
		c, other := connect(t, b, inline), connect(t, b, inline)
		c.want("1", "SELECT GET_LOCK('a', 1)")
		other.want("0", "SELECT GET_LOCK('a', 0)")
		other.want("1", "SELECT GET_LOCK('b', 0)")
		c.must("BEGIN")
		c.must("COMMIT")
		other.want("0", "SELECT IS_FREE_LOCK('a')")
		c.must("SET @got = RELEASE_LOCK('a')")
		c.want("1", "SELECT @got")
		other.want("1", "SELECT GET_LOCK('a', 0)")
		c.must("KILL " + other.rows("SELECT CONNECTION_ID()"))
		c.want("1", "SELECT GET_LOCK('b', 5)")
		c.want("9", "SELECT LAST_INSERT_ID(9)")
		c.want("9", "SELECT LAST_INSERT_ID()")
	})

	t.Run("kill", func(t *testing.T) {
		c, other := connect(t, b, inline), connect(t, b, inline)
		id := c.rows("SELECT CONNECTION_ID()")
		done := make(chan error, 1)
		go func() {
			_, err := c.conn.ExecContext(t.Context(), "SELECT SLEEP(60)")
			done <- err
		}()
		waitFor(t, func() bool { return strings.Contains(other.rows("SHOW PROCESSLIST"), "SLEEP") })
		other.must("KILL QUERY " + id)
		select {
		case err := <-done: // MySQL's SLEEP answers 1 when it is interrupted, MariaDB's statement fails
			t.Logf("the statement ended with %v", err)
		case <-time.After(10 * time.Second):
			t.Fatal("KILL QUERY did not end the statement")
		}
		c.want("1", "SELECT 1")
		other.must("KILL " + id)
		waitFor(t, func() bool { return !strings.Contains(other.rows("SHOW PROCESSLIST"), id) })
		other.fails(1094, "KILL "+id)
	})

	t.Run("multi statements", func(t *testing.T) {
		c := connect(t, b, func(cfg *mysql.Config) { cfg.DBName, cfg.MultiStatements = "app", true })
		got := numbers(t, c, "SELECT 1; SET @x = 7; SELECT @x; ")
		if len(got) != 2 || got[0] != 1 || got[1] != 7 {
			t.Errorf("got %v", got)
		}
		connect(t, b, inline).fails(1064, "SELECT 1; SELECT 2")
	})

	t.Run("rights", func(t *testing.T) {
		root := connect(t, b, inline)
		root.must("CREATE DATABASE secret")
		root.must("CREATE TABLE secret.s (id INT PRIMARY KEY)")
		root.must("CREATE TABLE app.open (id INT PRIMARY KEY)")
		for _, q := range []api.UserRequest{
			{Op: "add", Name: "reader", Schema: "app", Rights: catalog.Read},
			{Op: "add", Name: "safe", Schema: "app", Rights: catalog.Read | catalog.Write, SafeUpdates: true},
		} {
			if err := b.Client.ChangeUser(t.Context(), q); err != nil {
				t.Fatal(err)
			}
		}
		waitFor(t, func() bool { return strings.Contains(root.rows("SHOW BALLAST USERS"), "safe,") })
		c := connect(t, b, func(cfg *mysql.Config) { cfg.User, cfg.InterpolateParams = "reader", true })
		c.want("app information_schema", "SHOW DATABASES")
		c.must("USE app")
		c.fails(1044, "USE secret")
		c.fails(1044, "USE nowhere")
		c.want("", "SELECT id FROM open")
		c.fails(1142, "INSERT INTO open VALUES (1)")
		c.fails(1142, "SELECT * FROM secret.s")
		c.fails(1142, "DROP TABLE open")
		c.fails(1044, "CREATE DATABASE mine")
		c.fails(1142, "SHOW CREATE TABLE secret.s")
		c.fails(1044, "SHOW TABLES FROM secret")
		c.want("open", "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_NAME IN ('open', 's')")
		c.want("app information_schema", "SELECT s.SCHEMA_NAME FROM information_schema.SCHEMATA AS s ORDER BY 1")
		c.want("app.open", "SELECT CONCAT(information_schema.COLUMNS.TABLE_SCHEMA, '.', TABLE_NAME) FROM information_schema.COLUMNS WHERE COLUMN_NAME = 'id' AND TABLE_NAME IN ('open', 's')")
		c.fails(1227, "SELECT * FROM information_schema.PROCESSLIST")
		c.fails(1227, "SHOW BALLAST USERS")
		c.want("GRANT USAGE ON *.* TO `reader`@`%` GRANT SELECT ON `app`.* TO `reader`@`%`", "SHOW GRANTS")
		prepared := connect(t, b, func(cfg *mysql.Config) { cfg.User, cfg.DBName = "reader", "app" })
		prepared.want("open", "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_NAME IN (?, ?)", "open", "s")

		careful := connect(t, b, func(cfg *mysql.Config) { cfg.User, cfg.DBName, cfg.InterpolateParams = "safe", "app", true })
		careful.must("INSERT INTO open VALUES (1), (2), (3), (4)")
		careful.fails(1175, "DELETE FROM open")
		careful.fails(1231, "SET sql_safe_updates = 0")
		careful.must("DELETE FROM open WHERE id = 3")
		careful.want("1 2 4", "SELECT id FROM open ORDER BY id")

		for range 3 { // by then the statement's plan is known to be allowed
			c.want("2", "SELECT id FROM open WHERE id = 2")
			prepared.want("2", "SELECT id FROM open WHERE id = ?", 2)
		}
		if err := b.Client.ChangeUser(t.Context(), api.UserRequest{Op: "revoke", Name: "reader", Schema: "app", Rights: catalog.Read}); err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool { return !strings.Contains(root.rows("SHOW BALLAST USERS"), "reader,app") })
		c.fails(1142, "SELECT id FROM open WHERE id = 2")
		prepared.fails(1142, "SELECT id FROM open WHERE id = ?", 2)
	})

	t.Run("definitions", func(t *testing.T) {
		c := connect(t, b, inline)
		c.must("CREATE TABLE d1 (id INT PRIMARY KEY, v INT)")
		if got := c.rows("SHOW CREATE TABLE d1"); !strings.Contains(got, "/*!999999 BALANCE BY (id) HASH MOD 64") {
			t.Error(got)
		}
		c.must("ALTER TABLE d1 ADD COLUMN w INT DEFAULT 4")
		c.must("INSERT INTO d1 (id, v) VALUES (1, 1), (2, 2), (3, 3)")
		c.want("12", "SELECT SUM(w) FROM d1")
		c.must("TRUNCATE TABLE d1")
		c.want("0", "SELECT COUNT(*) FROM d1")
		c.must("DROP TABLE d1")
		c.fails(1146, "SELECT * FROM d1")
		c.fails(1051, "DROP TABLE d1")
		c.fails(1007, "CREATE DATABASE app")
	})
}

// TestRouterLosesNode cuts one node off: what does not need it goes on, what does gets an error in time, and all heals by itself.
func TestRouterLosesNode(t *testing.T) {
	b := startBallast(t)
	c := connect(t, b, func(c *mysql.Config) { c.InterpolateParams = true })
	c.must("CREATE DATABASE app")
	c.must("USE app")
	c.must("CREATE TABLE t (id INT PRIMARY KEY, v INT) BALANCE BY (id) MOD 4 ON (n0, n1, n2, n3)")
	c.must("INSERT INTO t VALUES (0, 0), (1, 1), (2, 2), (3, 3)")
	inApp := func(c *mysql.Config) { c.DBName, c.InterpolateParams = "app", true }
	open, reader := connect(t, b, inApp), connect(t, b, inApp)
	open.must("BEGIN")
	open.must("UPDATE t SET v = 7 WHERE id = 2")
	reader.must("BEGIN")
	reader.must("UPDATE t SET v = 8 WHERE id = 3")
	reader.want("4", "SELECT COUNT(*) FROM t")
	b.Servers.Nodes[2].Kill()
	// What was open on the node is undone everywhere, and the session says so once.
	if _, err := open.conn.ExecContext(t.Context(), "COMMIT"); err == nil {
		t.Error("COMMIT on a node that is gone was answered by OK")
	}
	reader.fails(1213, "SELECT v FROM t WHERE id = 2")
	reader.want("3", "SELECT v FROM t WHERE id = 3")
	if got := reader.rows("SHOW BALLAST SESSION"); !strings.Contains(got, "transaction,none") {
		t.Error(got)
	}
	c.want("1", "SELECT v FROM t WHERE id = 1")
	for _, q := range []string{"SELECT v FROM t WHERE id = 2", "SELECT COUNT(*) FROM t", "UPDATE t SET v = 9 WHERE id = 2", "UPDATE t SET v = v + 10"} {
		began := time.Now()
		_, err := c.conn.ExecContext(t.Context(), q)
		if took := time.Since(began); err == nil || took > 3*time.Second {
			t.Errorf("%s with its node gone: %v after %v", q, err, took)
		}
	}
	c.must("UPDATE t SET v = 11 WHERE id = 1")
	c.want("11", "SELECT v FROM t WHERE id = 1")
	if err := b.Servers.Nodes[2].Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		var n int
		err := c.conn.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM t").Scan(&n)
		return err == nil && n == 4
	})
	c.want("0 2 3 11", "SELECT v FROM t ORDER BY v")
}

// TestRouterWithoutMaster kills the master: rows and ids go on, definitions say what is wrong.
func TestRouterWithoutMaster(t *testing.T) {
	b := startBallast(t)
	c := connect(t, b, func(c *mysql.Config) { c.InterpolateParams = true })
	c.must("CREATE DATABASE app")
	c.must("USE app")
	c.must("CREATE TABLE ai (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, v INT) BALANCE BY (id) MOD 4")
	c.must("INSERT INTO ai (v) VALUES (1)")
	b.Masters[0].Kill()
	for range 20 {
		c.must("INSERT INTO ai (v) VALUES (2)")
	}
	c.want("21", "SELECT COUNT(DISTINCT id) FROM ai")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := c.conn.ExecContext(ctx, "CREATE TABLE other (id INT PRIMARY KEY)"); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("CREATE TABLE without a master: %v", err)
	}
	if err := b.Masters[0].Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		_, err := c.conn.ExecContext(t.Context(), "CREATE TABLE IF NOT EXISTS other (id INT PRIMARY KEY)")
		if err != nil {
			t.Log(err)
		}
		return err == nil
	})
	c.must("INSERT INTO other VALUES (1)")
}

// numbers reads the first column of every result of a text of several statements.
func numbers(t *testing.T, c *client, query string) (got []int) {
	t.Helper()
	rows, err := c.conn.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}()
	for more := true; more; more = rows.NextResultSet() {
		for rows.Next() {
			var n int
			if err := rows.Scan(&n); err != nil {
				t.Fatal(err)
			}
			got = append(got, n)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return got
}

// waitFor polls a condition that has to come true within half a minute.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatal("waited in vain")
		}
	}
}
