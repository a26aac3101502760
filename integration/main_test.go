package integration

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"ballast/integration/cluster"
)

var pool = cluster.NewPool()

func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }

// startBallast gives a cluster of four nodes with one master and one router; it ends with the test.
func startBallast(t *testing.T) *cluster.Ballast {
	t.Helper()
	servers := pool.Servers(t, cluster.Shape{Nodes: 4, Metadata: true})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	b, err := cluster.StartBallast(ctx, servers, cluster.Size{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("router:", b.Routers[0].LastWords())
			t.Log("master:", b.Masters[0].LastWords())
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// client is one connection to the router.
type client struct {
	t    *testing.T
	conn *sql.Conn
}

// connect opens one connection; change may alter the driver's settings first.
func connect(t *testing.T, b *cluster.Ballast, change func(*mysql.Config)) *client {
	t.Helper()
	cfg := b.DriverConfig(0)
	if change != nil {
		change(cfg)
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(conn.Close(), db.Close()); err != nil && !errors.Is(err, sql.ErrConnDone) {
			t.Error(err)
		}
	})
	return &client{t: t, conn: conn}
}

// must runs a statement that has to succeed.
func (c *client) must(query string, args ...any) sql.Result {
	c.t.Helper()
	r, err := c.conn.ExecContext(c.t.Context(), query, args...)
	if err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
	return r
}

// fails runs a statement that has to fail with that number.
func (c *client) fails(number uint16, query string, args ...any) {
	c.t.Helper()
	_, err := c.conn.ExecContext(c.t.Context(), query, args...)
	var me *mysql.MySQLError
	if !errors.As(err, &me) || me.Number != number {
		c.t.Errorf("%s: got %v, want error %d", query, err, number)
	}
}

// rows reads an answer as text: values joined by commas, rows by spaces, NULL written as such.
func (c *client) rows(query string, args ...any) string {
	c.t.Helper()
	var rows []string
	for _, row := range c.table(query, args...) {
		rows = append(rows, strings.Join(row, ","))
	}
	return strings.Join(rows, " ")
}

// table reads an answer, NULL written as such.
func (c *client) table(query string, args ...any) (out [][]string) {
	c.t.Helper()
	rows, err := c.conn.QueryContext(c.t.Context(), query, args...)
	if err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
	defer func() {
		if err := rows.Close(); err != nil {
			c.t.Error(err)
		}
	}()
	cols, err := rows.Columns()
	if err != nil {
		c.t.Fatal(err)
	}
	vals, at := make([]sql.NullString, len(cols)), make([]any, len(cols))
	for i := range vals {
		at[i] = &vals[i]
	}
	for rows.Next() {
		if err := rows.Scan(at...); err != nil {
			c.t.Fatal(err)
		}
		row := make([]string, len(cols))
		for i, v := range vals {
			row[i] = "NULL"
			if v.Valid {
				row[i] = v.String
			}
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
	return out
}

// column reads the first value of each row.
func (c *client) column(query string) (out []string) {
	c.t.Helper()
	for _, row := range c.table(query) {
		out = append(out, row[0])
	}
	return out
}

// want compares an answer.
func (c *client) want(expected, query string, args ...any) {
	c.t.Helper()
	if got := c.rows(query, args...); got != expected {
		c.t.Errorf("%s: got %q, want %q", query, got, expected)
	}
}
