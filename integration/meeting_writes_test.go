package integration

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// Writes over several nodes that touch the same rows at the same time wait for each other; they never block each other until a time-out.
func TestWritesThatMeet(t *testing.T) {
	b := startBallast(t)
	root := connect(t, b, nil)
	root.must("CREATE DATABASE app")
	root.must("CREATE TABLE app.m (id BIGINT NOT NULL PRIMARY KEY, n INT NOT NULL) BALANCE BY (id) MOD 4")
	root.must("CREATE TABLE app.g (id BIGINT NOT NULL PRIMARY KEY, n INT NOT NULL) GLOBAL")
	rows := make([]string, 200)
	for i := range rows {
		rows[i] = "(" + strconv.Itoa(i) + ", 0)"
	}
	root.must("INSERT INTO app.m VALUES " + strings.Join(rows, ", "))
	root.must("INSERT INTO app.g VALUES (1, 0)")
	const writers, each = 4, 15
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for w := range writers {
		c := connect(t, b, func(c *mysql.Config) { c.DBName = "app" })
		wg.Go(func() {
			for i := range each {
				// Now in one order of the rows, now in the other.
				for _, q := range []string{
					[]string{"UPDATE m SET n = n + 1", "UPDATE m SET n = n + 1 WHERE id IN (3, 2, 1, 0) OR id > 3"}[(w+i)%2], "UPDATE g SET n = n + 1",
					"REPLACE INTO m VALUES (1003, 1), (1002, 1), (1001, 1), (1000, 1)", "DELETE FROM m WHERE id > 999",
				} {
					if _, err := c.conn.ExecContext(ctx, q); err != nil {
						t.Errorf("%s: %v", q, err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	total := strconv.Itoa(writers * each)
	root.want(total+","+total+",200", "SELECT MIN(n), MAX(n), COUNT(*) FROM app.m WHERE id < 1000")
	root.want(total, "SELECT n FROM app.g")
}
