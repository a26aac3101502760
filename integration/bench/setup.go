package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"ballast/integration/cluster"
)

// scene is everything that runs.
type scene struct {
	servers *cluster.Servers
	ballast *cluster.Ballast
	relay   *exec.Cmd
	middles []middle
	version string
	config  string
}

// plainDB holds the tables of the middles without Ballast, whole on one node.
const plainDB = "bench_plain"

// setup starts what the wanted middles need, and fills the tables.
func setup(ctx context.Context, o options, stderr io.Writer) (s *scene, err error) {
	s = &scene{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	fmt.Fprintln(stderr, "starting servers …")
	withBallast := slices.Contains(o.middles, "ballast")
	if s.servers, err = cluster.StartFlavour(ctx, o.flavour, cluster.Shape{Nodes: 4, Metadata: withBallast}); err != nil {
		return s, err
	}
	node := s.servers.Nodes[0]
	if err := s.describe(ctx, node.DB); err != nil {
		return s, err
	}
	if withBallast {
		if s.ballast, err = cluster.StartBallast(ctx, s.servers, cluster.Size{Direct: true}); err != nil {
			return s, err
		}
	}
	for _, name := range o.middles {
		m := middle{name: name, db: plainDB, world: &world{rows: o.rows}}
		switch name {
		case "direct":
			m.addr = node.Addr()
		case "relay":
			if m.addr, err = s.startRelay(node.Addr()); err != nil {
				return s, err
			}
			m.pid = s.relay.Process.Pid
		case "ballast":
			m.addr, m.db, m.pid = s.ballast.Routers[0].Addr, "bench", s.ballast.Routers[0].PID()
		default:
			return s, fmt.Errorf("there is no middle %q; there are direct, relay, ballast", name)
		}
		s.middles = append(s.middles, m)
	}
	fmt.Fprintln(stderr, "filling tables …")
	if len(o.middles) > 1 || !withBallast {
		if err := fill(node.Addr(), plainDB, o.rows, false); err != nil {
			return s, fmt.Errorf("fill the plain tables: %w", err)
		}
		for i := range s.middles { // direct and relay insert into the same table
			if s.middles[i].name == "relay" {
				s.middles[i].nextID.Store(1 << 40)
			}
		}
	}
	if withBallast {
		if err := fill(s.ballast.Routers[0].Addr, "bench", o.rows, true); err != nil {
			return s, fmt.Errorf("fill the tables of Ballast: %w", err)
		}
	}
	return s, nil
}

// describe reads the settings that matter for speed, for the report.
func (s *scene) describe(ctx context.Context, db *sql.DB) error {
	if err := db.QueryRowContext(ctx, "SELECT VERSION()").Scan(&s.version); err != nil {
		return err
	}
	var parts []string
	for _, name := range []string{"innodb_flush_log_at_trx_commit", "sync_binlog", "binlog_format", "innodb_buffer_pool_size", "innodb_flush_method"} {
		var v string
		if err := db.QueryRowContext(ctx, "SELECT @@GLOBAL."+name).Scan(&v); err != nil {
			return err
		}
		parts = append(parts, name+"="+v)
	}
	s.config = strings.Join(parts, " ") + "; 4 nodes, data in " + s.servers.Dir
	return nil
}

// startRelay runs this program again, as the relay.
func (s *scene) startRelay(target string) (addr string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	s.relay = exec.Command(self, "relay", target) //nolint:noctx // ended by close
	s.relay.Stderr = os.Stderr
	out, err := s.relay.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := s.relay.Start(); err != nil {
		s.relay = nil
		return "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the relay says nothing: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// fill makes and fills the tables.
func fill(addr, db string, rows int, sharded bool) error {
	c, err := login(addr, "")
	if err != nil {
		return err
	}
	defer c.close()
	by := func(column string) string {
		if sharded {
			return " BALANCE BY (" + column + ") MOD 4"
		}
		return ""
	}
	const columns = " k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT ''"
	for _, q := range []string{
		"CREATE DATABASE " + db,
		"CREATE TABLE " + db + ".sbtest (id BIGINT NOT NULL PRIMARY KEY," + columns + ", KEY k_1 (k))" + by("id"),
		"CREATE TABLE " + db + ".sbinsert (id BIGINT NOT NULL PRIMARY KEY," + columns + ", KEY k_1 (k))" + by("id"),
		"CREATE TABLE " + db + ".sbrows (owner INT NOT NULL, id BIGINT NOT NULL," + columns + ", PRIMARY KEY (owner, id))" + by("owner"),
	} {
		if _, err := c.query([]byte(q)); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	c, err = again(c, addr, db)
	if err != nil {
		return err
	}
	defer c.close()
	if err := load(c, "INSERT INTO sbtest (id, k, c, pad) VALUES ", rows, func(b []byte, i int) []byte {
		return fmt.Appendf(b, "(%d, %d, '%s-%s', '%s')", i+1, i*7919%rows, pad, pad, pad)
	}); err != nil {
		return err
	}
	return load(c, "INSERT INTO sbrows (owner, id, k, c, pad) VALUES ", fullRows, func(b []byte, i int) []byte {
		return fmt.Appendf(b, "(1, %d, %d, '%s-%s', '%s')", i+1, i, pad, pad, pad)
	})
}

// again logs in a second time, with a default database that did not exist the first time.
func again(old *client, addr, db string) (*client, error) {
	old.close()
	return login(addr, db)
}

// load inserts rows, many in a statement.
func load(c *client, head string, rows int, row func(b []byte, i int) []byte) error {
	const batch = 500
	for from := 0; from < rows; from += batch {
		sql := []byte(head)
		for i := from; i < min(from+batch, rows); i++ {
			if i > from {
				sql = append(sql, ',')
			}
			sql = row(sql, i)
		}
		if _, err := c.query(sql); err != nil {
			return fmt.Errorf("%s…: %w", head, err)
		}
	}
	return nil
}

// memory measures the router with many clients that have done one query each and now do nothing.
func (s *scene) memory(ctx context.Context, clients int) (*memory, error) {
	if s.ballast == nil || clients == 0 {
		return nil, nil
	}
	router := s.ballast.Routers[0]
	m := &memory{Clients: clients}
	var err error
	if m.Before, err = resident(router.PID()); err != nil {
		return nil, err
	}
	open := make([]*client, 0, clients)
	defer func() {
		for _, c := range open {
			c.close()
		}
	}()
	for range clients {
		c, err := login(router.Addr, "bench")
		if err != nil {
			return nil, fmt.Errorf("client %d of %d: %w", len(open)+1, clients, err)
		}
		open = append(open, c)
		if _, err := c.query([]byte("SELECT c FROM sbtest WHERE id=1")); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	m.With, err = resident(router.PID())
	return m, err
}

// profile takes a CPU profile of the router for as long as a cell is measured.
func (s *scene) profile(ctx context.Context, file string, d time.Duration) (stop func() error) {
	done := make(chan error, 1)
	go func() {
		url := fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", s.ballast.Routers[0].Admin, max(int(d.Seconds()), 1))
		done <- download(ctx, url, file)
	}()
	return func() error { return <-done }
}

func download(ctx context.Context, url, file string) (err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, resp.Body)
	return errors.Join(err, out.Close())
}

// close ends everything that was started.
func (s *scene) close() error {
	var errs []error
	if s.relay != nil {
		errs = append(errs, s.relay.Process.Kill())
		quiet(s.relay.Wait()) // it was killed
	}
	if s.ballast != nil {
		errs = append(errs, s.ballast.Close())
	}
	if s.servers != nil {
		errs = append(errs, s.servers.Close())
	}
	return errors.Join(errs...)
}
