package supervise

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"
)

// sampleQueries are run through the router each time the page is printed: the answers are real.
var sampleQueries = []struct{ about, query string }{
	{
		"one user: one node, the statement is passed on as it is",
		"SELECT id, name, province, joined FROM users WHERE id = 1234",
	},
	{
		"grouped over all nodes, merged by the router",
		"SELECT province, COUNT(*) AS users, MIN(joined) AS first, MAX(joined) AS last FROM users GROUP BY province ORDER BY users DESC, province",
	},
	{
		"the newest of all: each node sends its first rows, sorted",
		"SELECT name, id, joined FROM users ORDER BY joined DESC, id LIMIT 3",
	},
	{
		"a join inside a balance group: one node has both sides",
		"SELECT o.id, o.total, i.product, i.quantity FROM orders o JOIN order_items i ON i.user_id = o.user_id AND i.order_id = o.id WHERE o.user_id = 7 ORDER BY o.id, i.line LIMIT 4",
	},
	{
		"a join with a global table, on every node",
		"SELECT r.area, COUNT(*) AS users FROM users u JOIN region r ON r.province = u.province GROUP BY r.area ORDER BY r.area",
	},
}

// openRouter gives a pool of connections to the router, as any client would make them.
func (o Options) openRouter(database string) (*sql.DB, error) {
	return openAs(loopback(o.Ports.Router), database)
}

func openAs(addr, database string) (*sql.DB, error) {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.DBName = "root", "tcp", addr, database
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("configure a connection to %s: %w", addr, err)
	}
	return sql.OpenDB(connector), nil
}

// page prints how to connect and, with the sample, where its rows are and queries with their answers.
func (o Options) page(ctx context.Context) error {
	client, rulectl := o.clientCommand(), "bin/rulectl"
	if o.Ports.Master != DefaultPorts().Master {
		rulectl += " --master " + o.masterURL()
	}
	schema := sampleSchema
	if o.NoSample {
		schema = ""
	}
	err := o.say(`
Ballast is up (%[1]s, %[8]d nodes, loopback only, no password: a cluster for development)

  connect      %[2]s -h 127.0.0.1 -P %[3]d -u root %[4]s
  or           any MySQL client: host 127.0.0.1, port %[3]d, user root, no password
  rules        %[7]s status
               %[7]s explain shop.users 1234
               %[7]s table list
  watch        http://%[5]s/metrics    logs in %[6]s
  stop         make down (keeps the data)    make clean (removes it)`,
		o.Flavour.Title(), client, o.Ports.Router, schema, loopback(o.Ports.RouterAdmin), o.path("logs"), rulectl, len(o.Ports.Nodes))
	if err != nil {
		return err
	}
	if o.NoSample {
		return nil
	}
	if err := o.layout(ctx); err != nil {
		return err
	}
	return o.answers(ctx)
}

// layout counts each sample table's rows on each node, asked of the nodes themselves.
func (o Options) layout(ctx context.Context) error {
	header := []string{"table"}
	counts := make([][]string, len(sampleTables))
	for i, t := range sampleTables {
		counts[i] = []string{t.name}
	}
	for i, port := range o.Ports.Nodes {
		header = append(header, nodeName(i))
		db, err := openAs(loopback(port), "")
		if err != nil {
			return err
		}
		for k, t := range sampleTables {
			counts[k] = append(counts[k], countRows(ctx, db, t.name))
		}
		if err := db.Close(); err != nil {
			return fmt.Errorf("close the connection to %s: %w", nodeName(i), err)
		}
	}
	header = append(header, "rule")
	for k, t := range sampleTables {
		counts[k] = append(counts[k], t.rule)
	}
	return o.say("\nWhere the rows of schema %s are (counted on the nodes, ports %d to %d):\n\n%s", sampleSchema,
		o.Ports.Nodes[0], o.Ports.Nodes[len(o.Ports.Nodes)-1], grid(header, counts))
}

// countRows gives a sample table's rows on a node, for people: "-" where the table was dropped or the node is away. A node that has just
// recovered from a crash may refuse a first query, so it is asked for a while.
func countRows(ctx context.Context, db *sql.DB, table string) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for {
		var n int
		err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+sampleSchema+"."+table).Scan(&n)
		if err == nil {
			return strconv.Itoa(n)
		}
		var server *mysql.MySQLError
		if errors.As(err, &server) && (server.Number == 1146 || server.Number == 1049) {
			return "-"
		}
		select {
		case <-ctx.Done():
			return "-"
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// answers runs the sample queries through the router.
func (o Options) answers(ctx context.Context) (err error) {
	db, err := o.openRouter(sampleSchema)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := o.say("\nSome queries and their answers, asked just now:"); err != nil {
		return err
	}
	for _, q := range sampleQueries {
		answer, err := ask(ctx, db, q.query)
		if err != nil {
			answer = "  " + err.Error() // for instance because a person dropped the table
		}
		if err := o.say("\n-- %s\nmysql> %s;\n%s", q.about, q.query, answer); err != nil {
			return err
		}
	}
	return nil
}

// ask runs a query and draws its rows.
func ask(ctx context.Context, db *sql.DB, query string) (text string, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	header, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var body [][]string
	for rows.Next() {
		values := make([]sql.NullString, len(header))
		places := make([]any, len(header))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return "", err
		}
		line := make([]string, len(header))
		for i, v := range values {
			line[i] = "NULL"
			if v.Valid {
				line[i] = v.String
			}
		}
		body = append(body, line)
	}
	return grid(header, body), rows.Err()
}
