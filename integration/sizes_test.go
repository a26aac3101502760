package integration

import (
	"strconv"
	"strings"
	"testing"
)

// What SHOW TABLE STATUS and information_schema tell of a table's size is that of all nodes together.
func TestSizesAreAddedUp(t *testing.T) {
	b := startBallast(t)
	root := connect(t, b, nil)
	root.must("CREATE DATABASE app")
	root.must("CREATE TABLE app.m (id BIGINT NOT NULL PRIMARY KEY, n INT NOT NULL) BALANCE BY (id) MOD 4")
	root.must("CREATE TABLE app.g (id BIGINT NOT NULL PRIMARY KEY) GLOBAL")
	root.must("CREATE TABLE app.s (id BIGINT NOT NULL PRIMARY KEY) SINGLE ON (n2)")
	rows := make([]string, 400)
	for i := range rows {
		rows[i] = "(" + strconv.Itoa(i) + ", 0)"
	}
	root.must("INSERT INTO app.m VALUES " + strings.Join(rows, ", "))
	root.must("INSERT INTO app.g VALUES (1), (2), (3)")
	root.must("INSERT INTO app.s VALUES (1), (2)")
	total, length := 0, 0
	for _, n := range b.Servers.Nodes {
		if _, err := n.DB.ExecContext(t.Context(), "ANALYZE TABLE app.m, app.g, app.s"); err != nil {
			t.Fatal(err)
		}
		var here, bytes int
		if err := n.DB.QueryRowContext(t.Context(), "SELECT TABLE_ROWS, DATA_LENGTH FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'app' AND TABLE_NAME = 'm'").Scan(&here, &bytes); err != nil {
			t.Fatal(err)
		}
		total, length = total+here, length+bytes
	}
	if total != 400 {
		t.Fatalf("the nodes know of %d rows", total)
	}
	root.want("m,400,"+strconv.Itoa(length), "SELECT TABLE_NAME, TABLE_ROWS, DATA_LENGTH FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'app' AND TABLE_NAME = 'm'")
	root.want("3", "SELECT t.TABLE_ROWS FROM information_schema.tables t WHERE t.TABLE_SCHEMA = 'app' AND t.TABLE_NAME = 'g'")
	root.want("2", "SELECT table_rows FROM information_schema.tables WHERE table_schema = 'app' AND table_name = 's'")
	root.want("400", "SELECT MAX(x.TABLE_ROWS) FROM (SELECT * FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'app') x")
	root.want("3", "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'app'")
	status, err := root.conn.QueryContext(t.Context(), "SHOW TABLE STATUS FROM app LIKE 'm'")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := status.Close(); err != nil {
			t.Error(err)
		}
	}()
	columns, err := status.Columns()
	if err != nil || !status.Next() {
		t.Fatalf("no row: %v %v", err, status.Err())
	}
	cells := make([]any, len(columns))
	for i := range cells {
		cells[i] = new(any)
	}
	if err := status.Scan(cells...); err != nil {
		t.Fatal(err)
	}
	for i, c := range columns {
		if c == "Rows" {
			if v, ok := (*cells[i].(*any)).([]byte); ok && string(v) != "400" || !ok && *cells[i].(*any) != uint64(400) && *cells[i].(*any) != int64(400) {
				t.Errorf("%v rows", *cells[i].(*any))
			}
		}
	}
}
