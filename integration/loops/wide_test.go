package loops

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"ballast/integration/cluster"
	"ballast/sqlfront/wire"
)

// narrow is a Ballast with few connections to its nodes and one loop, which all clients share.
func narrow(t *testing.T) (*cluster.Ballast, side) {
	t.Helper()
	b := pool.Ballast(t, cluster.Shape{Nodes: 2, Plain: true}, cluster.Size{Direct: true, Router: "loops: 1\nnodes: {max_per_node: 8, wait_timeout: 30s}\n"})
	return b, side{"ballast", b.Routers[0].Addr, t}
}

// metric reads the sum of a metric's values whose line matches.
func metric(t *testing.T, admin, pattern string) (sum float64) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+admin+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^`+pattern+` (\S+)$`).FindAllStringSubmatch(string(body), -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += v
	}
	return sum
}

// empty checks that nobody is left once all clients have gone: no session, no place in a pool, nobody in a queue.
func empty(t *testing.T, b *cluster.Ballast) {
	t.Helper()
	within(t, 20*time.Millisecond, "everything is given back", func() bool {
		admin := b.Routers[0].Admin
		return metric(t, admin, "ballast_sqlfront_connections") == 0 && metric(t, admin, `ballast_backend_connections\{node="[^"]*",state="(?:used|kept)"\}`) == 0 &&
			metric(t, admin, `ballast_backend_waiting\{.*\}`) == 0
	})
}

// crowd opens n clients of go-sql-driver, each with a connection of its own and its id.
func crowd(t *testing.T, b *cluster.Ballast, schema string, n int) ([]*sql.Conn, []uint32) {
	t.Helper()
	cfg := b.DriverConfig(0)
	cfg.DBName, cfg.Timeout = schema, 30*time.Second
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	conns, ids := make([]*sql.Conn, n), make([]uint32, n)
	errs := make([]error, n)
	var wg sync.WaitGroup
	slots := make(chan struct{}, 16)
	for i := range n {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if conns[i], errs[i] = db.Conn(t.Context()); errs[i] == nil {
				errs[i] = conns[i].QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&ids[i])
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return conns, ids
}

// A thousand clients want eight connections, all of which wait for a lock: those killed while they queue are gone at once and have done
// nothing, all others are served.
func TestManyClientsOnFewConnections(t *testing.T) {
	b, s := narrow(t)
	_, c := s.fresh("lcrowd", s.accounts(), "admin")
	admin := c[0]
	const n, killed, vanished, places = 1000, 50, 50, 8
	conns, ids := crowd(t, b, "lcrowd", n)
	row := "UPDATE t SET v = v + 1 WHERE g = 1 AND id = 1"
	for range 2 { // the plan is known
		admin.must(row)
	}
	node := b.Servers.Nodes[0] // or the other: the row is locked where it is
	lock := func(node *cluster.Node) *sql.Tx {
		tx, err := node.DB.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var v int
		if err := tx.QueryRowContext(t.Context(), "SELECT v FROM lcrowd.t WHERE g = 1 AND id = 1 FOR UPDATE").Scan(&v); err == nil {
			return tx
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		return nil
	}
	tx := lock(node)
	if tx == nil {
		if tx = lock(b.Servers.Nodes[1]); tx == nil {
			t.Fatal("no node has the row")
		}
	}
	ctxs, cancels := make([]context.Context, n), make([]context.CancelFunc, n)
	var done, failed atomic.Int64
	var wg sync.WaitGroup
	var mu sync.Mutex
	var unexpected []string
	address := b.Routers[0].Admin
	waiting := func() float64 { return metric(t, address, `ballast_backend_waiting\{.*\}`) }
	running := func() float64 { return metric(t, address, `ballast_backend_connections\{node="[^"]*",state="used"\}`) }
	for i := range n {
		ctxs[i], cancels[i] = context.WithCancel(t.Context())
		defer cancels[i]()
	}
	for i := n - 1; i >= 0; i-- {
		if i == n-places-1 { // those who come first have the connections: all victims queue behind them
			within(t, 20*time.Millisecond, "the connections are taken", func() bool { return waiting()+running() >= places })
		}
		wg.Go(func() {
			if _, err := conns[i].ExecContext(ctxs[i], row); err != nil {
				failed.Add(1)
				if i >= killed+vanished {
					mu.Lock()
					unexpected = append(unexpected, err.Error())
					mu.Unlock()
				}
				return
			}
			done.Add(1)
		})
	}
	within(t, 20*time.Millisecond, "the others queue", func() bool { return waiting()+running() >= n })
	for i := range killed {
		admin.must(fmt.Sprintf("KILL %d", ids[i]))
	}
	for i := range vanished {
		cancels[killed+i]() // the driver hangs up
	}
	// The loop is free meanwhile: other rows, on the other node, and what needs no node.
	for range 20 {
		admin.must("BEGIN", "COMMIT", "SELECT v FROM t WHERE g = 2 AND id = 1")
	}
	within(t, 20*time.Millisecond, "the killed have left the queue", func() bool {
		return failed.Load() >= killed+vanished && waiting()+running() <= n-killed-vanished
	})
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if len(unexpected) > 0 {
		t.Errorf("%d statements failed: %s", len(unexpected), strings.Join(unexpected[:min(3, len(unexpected))], "; "))
	}
	admin.fatal(admin.Query("SELECT v FROM t WHERE g = 1 AND id = 1"))
	res, err := admin.RecvResult()
	admin.fatal(err)
	if got, want := rows(t, res, wire.Text), fmt.Sprintf("(\"%d\")", 12+done.Load()); got != want {
		t.Errorf("the row has %s after %d updates, want %s", got, done.Load(), want)
	}
	if done.Load()+failed.Load() != n || failed.Load() != killed+vanished {
		t.Errorf("%d done, %d failed", done.Load(), failed.Load())
	}
	for _, conn := range conns {
		if err := conn.Close(); err != nil && !errors.Is(err, sql.ErrConnDone) {
			t.Error(err)
		}
	}
	admin.must("SELECT v FROM t WHERE g = 1 AND id = 1")
}

// resident is the memory of a process, in bytes.
func resident(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^VmRSS:\s*(\d+) kB`).FindSubmatch(text)
	if m == nil {
		t.Fatal("no VmRSS")
	}
	kb, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}

// Clients that do not read their answers of a hundred megabytes cost no memory, hold up nobody on their loop, and get every byte in the end.
func TestSlowReadersOfHugeAnswers(t *testing.T) {
	b, s := narrow(t)
	notes, c := s.fresh("lslow", s.accounts(), "fast")
	fast := c[0]
	const size = 1_000_000
	var tables []string
	for i := range 100 {
		tables = append(tables, fmt.Sprintf("(1, %d, 0, 'x')", 1000+i))
	}
	fast.must("INSERT INTO t VALUES " + strings.Join(tables, ", "))
	huge := fmt.Sprintf("SELECT id, REPEAT('y', %d) FROM t WHERE g = 1 AND id >= 1000", size)
	small := "SELECT v FROM t WHERE g = 1 AND id = 1"
	fast.must(small, small)
	warm := s.login(notes, "warm", "lslow")
	warm.must(huge) // its plan is known from here on
	before := resident(t, b.Routers[0].PID())
	const readers = 3
	slow := make([]*client, readers)
	for i := range slow {
		slow[i] = s.login(notes, "slow", "lslow")
		slow[i].fatal(slow[i].Query(huge))
		if _, err := slow[i].Recv(); err != nil { // the answer has begun
			t.Fatal(err)
		}
	}
	begin := time.Now()
	var worst time.Duration
	const calls = 500
	for range calls {
		at := time.Now()
		fast.must(small)
		worst = max(worst, time.Since(at))
	}
	t.Logf("%d calls beside %d slow readers: %s on average, %s at worst", calls, readers, time.Since(begin)/calls, worst)
	if grown := resident(t, b.Routers[0].PID()) - before; grown > 30<<20 {
		t.Errorf("the router grew by %d bytes for answers that nobody reads", grown)
	}
	var wg sync.WaitGroup
	for _, one := range slow {
		wg.Go(func() {
			var got int64
			one.In.Seq = 2
			for { // two definitions, rows, the end
				payload, err := one.Recv()
				if err != nil {
					t.Error(err)
					return
				}
				got += int64(len(payload))
				if len(payload) > 0 && payload[0] == wire.EOFHeader {
					break
				}
			}
			if got < 100*size || got > 101*size {
				t.Errorf("%d bytes came", got)
			}
		})
	}
	wg.Wait()
	for _, one := range slow {
		one.must(small)
	}
	// One that goes away in the middle, and one that is killed.
	for i, one := range slow[:2] {
		one.fatal(one.Query(huge))
		if _, err := one.Recv(); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			one.fatal(one.Close())
		} else {
			fast.must(fmt.Sprintf("KILL %d", one.id()))
			one.fatal(one.RecvEnd())
		}
		fast.must(small)
	}
	within(t, 20*time.Millisecond, "their connections are given back", func() bool {
		return metric(t, b.Routers[0].Admin, `ballast_backend_connections\{node="[^"]*",state="(?:used|kept)"\}`) <= 1
	})
}

// Many clients do all kinds of things at once over few connections, none with an effect that another could see: every answer is known.
func TestMixedCrowd(t *testing.T) {
	b, s := narrow(t)
	_, c := s.fresh("lmixed", s.accounts(), "admin")
	var values []string
	for i := range 64 {
		values = append(values, fmt.Sprintf("(%d, 100, 0, 'm')", 100+i))
	}
	c[0].must("INSERT INTO t VALUES " + strings.Join(values, ", "))
	conns, _ := crowd(t, b, "lmixed", 64)
	var wg sync.WaitGroup
	for i, conn := range conns {
		wg.Go(func() {
			g, want := 100+i, 0
			check := func(q string, args ...any) bool {
				var v int
				if err := conn.QueryRowContext(t.Context(), q, args...).Scan(&v); err != nil || v != want {
					t.Errorf("client %d: %s gives %d, want %d: %v", i, q, v, want, err)
					return false
				}
				return true
			}
			exec := func(q string, args ...any) bool {
				if _, err := conn.ExecContext(t.Context(), q, args...); err != nil {
					t.Errorf("client %d: %s: %v", i, q, err)
					return false
				}
				return true
			}
			see := fmt.Sprintf("SELECT v FROM t WHERE g = %d AND id = 100", g)
			up := fmt.Sprintf("UPDATE t SET v = v + 1 WHERE g = %d AND id = 100", g)
			for n := range 12 {
				ok := false
				switch (n + i) % 4 {
				case 0:
					ok = exec(up)
					want++
				case 1:
					ok = exec("BEGIN") && exec(up)
					want++
					ok = ok && check(see) && exec("COMMIT")
				case 2:
					ok = exec("BEGIN") && exec(up)
					want++
					ok = ok && check(see) && exec("ROLLBACK")
					want--
				case 3:
					ok = exec("UPDATE t SET v = v + ? WHERE g = ? AND id = ?", 1, g, 100)
					want++
				}
				if !ok || !check(see) || !check("SELECT v FROM t WHERE g = ? AND id = ?", g, 100) {
					return
				}
			}
		})
	}
	wg.Wait()
	for _, conn := range conns {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
}

// After all of it nothing is held. This test is the last by its name's place in the last file.
func TestNothingIsLeft(t *testing.T) {
	b, s := narrow(t)
	empty(t, b)
	c := s.login(&lines{}, "last", "")
	c.fatal(c.Query("SHOW PROCESSLIST"))
	res, err := c.RecvResult()
	c.fatal(err)
	if len(res.Rows) != 1 {
		t.Errorf("%d sessions: %s", len(res.Rows), rows(t, res, wire.Text))
	}
	for _, n := range b.Servers.Nodes {
		var open, idle int
		if err := n.DB.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.innodb_trx").Scan(&open); err != nil {
			t.Fatal(err)
		}
		if err := n.DB.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.processlist WHERE user LIKE 'ballast%' AND command <> 'Sleep'").Scan(&idle); err != nil {
			t.Fatal(err)
		}
		if open > 0 || idle > 0 {
			t.Errorf("%s has %d open transactions and %d statements", n.Name(), open, idle)
		}
	}
}
