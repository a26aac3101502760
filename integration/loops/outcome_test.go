package loops

import (
	"fmt"
	"testing"

	"ballast/sqlfront/wire"
)

// What the session functions tell of statements that the loop carried out.
func TestWhatIsToldAfterwards(t *testing.T) {
	both(t, func(s side) []string {
		notes, c := s.fresh("lafter", s.accounts(), "a")
		a := c[0]
		told := []string{"SELECT ROW_COUNT()", foundRows, "SELECT @@warning_count, @@error_count", "SHOW WARNINGS"}
		for _, sql := range []string{
			"SELECT v FROM t WHERE g = 1 AND id = 1",
			"SELECT v FROM t WHERE g = 1 ORDER BY id LIMIT 2",
			"SELECT v FROM t WHERE g = 1 ORDER BY id LIMIT 1, 2",
			"SELECT SQL_CALC_FOUND_ROWS v FROM t WHERE g = 1 ORDER BY id LIMIT 2",
			"SELECT v FROM t WHERE g = 1 AND id = 77",
			"UPDATE t SET v = v + 1 WHERE g = 1",
			"UPDATE t SET v = v WHERE g = 1 AND id = 1",
			"UPDATE t SET v = 1 WHERE g = 1 AND id = 77",
			"INSERT INTO t VALUES (1, 50, 1, 'x'), (1, 51, 1, 'y')",
			"INSERT IGNORE INTO t VALUES (1, 50, 1, 'x')",
			"INSERT INTO t VALUES (1, 50, 1, 'x') ON DUPLICATE KEY UPDATE v = v + 1",
			"REPLACE INTO t VALUES (1, 50, 2, 'z')",
			"INSERT INTO t VALUES (1, 50, 1, 'x')",
			"SELECT v FROM t WHERE g = 1 AND id = '1x'",
			"SELECT CAST('abc' AS SIGNED) FROM t WHERE g = 1 AND id = 1",
			"DELETE FROM t WHERE g = 1 AND id > 40",
			"SELECT nowhere FROM t WHERE g = 1",
			"BEGIN", "SELECT v FROM t WHERE g = 1 AND id = 1", "COMMIT",
			"BEGIN", "DELETE FROM t WHERE g = 1 AND id = 4", "ROLLBACK",
		} {
			for _, then := range told {
				a.do(sql, then)
			}
		}
		a.do("COMMIT")
		return notes.all
	})
}

func TestInsertIDs(t *testing.T) {
	both(t, func(s side) []string {
		notes, c := s.fresh("lids", []string{"CREATE TABLE n (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, v INT)"}, "a", "b")
		a, b := c[0], c[1]
		for i := range 4 {
			a.do(fmt.Sprintf("INSERT INTO n (v) VALUES (%d)", i), "SELECT COUNT(*) FROM n WHERE id = LAST_INSERT_ID()", "SELECT ROW_COUNT()")
			b.do("SELECT LAST_INSERT_ID()")
			a.do(fmt.Sprintf("INSERT INTO n (id, v) VALUES (%d, 1)", 1000000+i), "SELECT COUNT(*) FROM n WHERE id = LAST_INSERT_ID() AND id < 1000000")
			a.do(fmt.Sprintf("UPDATE n SET v = LAST_INSERT_ID(%d) WHERE id = 1000000", 7+i), "SELECT LAST_INSERT_ID()", "SELECT LAST_INSERT_ID(5)", "SELECT LAST_INSERT_ID()")
			a.do("BEGIN", fmt.Sprintf("INSERT INTO n (v) VALUES (%d)", 100+i), "SELECT v FROM n WHERE id = LAST_INSERT_ID()", "ROLLBACK", "SELECT COUNT(*) FROM n WHERE id = LAST_INSERT_ID()")
		}
		id := a.prepare("INSERT INTO n (v) VALUES (?)")
		for i := range 4 {
			a.execute(id, "insert", wire.Param{Type: wire.TypeTiny, Value: []byte{byte(i)}})
			a.do("SELECT v FROM n WHERE id = LAST_INSERT_ID()")
		}
		return notes.all
	})
}

// User variables, SET in the middle, changes of the database: settings that differ between sessions on the same connections.
func TestSettingsBetweenSessions(t *testing.T) {
	both(t, func(s side) []string {
		tables := append(s.accounts(), "DROP DATABASE IF EXISTS lset2", "CREATE DATABASE lset2",
			"CREATE TABLE lset2.t (g INT NOT NULL, id INT NOT NULL, v INT NOT NULL, PRIMARY KEY (g, id))"+s.split("(g) MOD 2"), "INSERT INTO lset2.t VALUES (1, 1, 99)")
		notes, c := s.fresh("lset", tables, "a", "b", "c")
		c[1].must("SET sql_mode = ''", "SET time_zone = '+05:00'")
		c[2].must("USE lset2", "SET @x = 41")
		for range 3 {
			for _, one := range c {
				one.do("SELECT v FROM t WHERE g = 1 AND id = 1", "SELECT @@time_zone = '+05:00', @@sql_mode = '', @x, DATABASE() FROM t WHERE g = 1 AND id = 1",
					"UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1", "SELECT FROM_UNIXTIME(0) = '1970-01-01 05:00:00', v FROM t WHERE g = 1 AND id = 1")
			}
			c[0].do("INSERT INTO t VALUES (1, 7, 'abc', 'not a number')", "SELECT COUNT(*) FROM t WHERE g = 1")
			c[1].do("INSERT INTO t VALUES (1, 7, 'abc', 'not a number')", "SHOW WARNINGS", "DELETE FROM t WHERE g = 1 AND id = 7")
			c[2].do("SELECT @x := v FROM t WHERE g = 1 AND id = 1", "SELECT v FROM t WHERE g = 1 AND v = @x", "SET @x = 41")
			c[0].do("BEGIN", "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1", "SET sql_mode = ''", "INSERT INTO t VALUES (1, 8, 'abc', 'x')", "SELECT v FROM t WHERE g = 1 AND id = 8", "ROLLBACK", "SET sql_mode = DEFAULT")
		}
		return notes.all
	})
}
