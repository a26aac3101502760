package backend_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/router/backend"
	"ballast/router/routertest"
	"ballast/rules/catalog"
	"ballast/sqlfront/wire"
)

// overFakes runs a cluster whose nodes are fakes; probes are off, so that the fakes' lists hold what the tests do.
func overFakes(t *testing.T, cfg backend.Config, nodes ...*routertest.Node) *backend.Cluster {
	t.Helper()
	cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	c, err := backend.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var list []catalog.Node
	for i, n := range nodes {
		list = append(list, catalog.Node{Name: "n" + string(rune('0'+i)), Addr: n.Addr()})
	}
	c.Update(list, root)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := c.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return c
}

func statements(n *routertest.Node) string {
	var out []string
	for _, s := range n.Statements() {
		if s != "PING" {
			out = append(out, s)
		}
	}
	n.Forget()
	return strings.Join(out, "; ")
}

const firstSet = "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci"

func TestSettingsGoAlong(t *testing.T) {
	n := routertest.Start(t, nil)
	c := overFakes(t, backend.Config{}, n)
	s := c.Settings().WithDB("d")
	k := acquire(t, c, 0, s)
	exec(t, k, "SELECT 1")
	if got := statements(n); got != firstSet+"; USE d; SELECT 1" {
		t.Error(got)
	}
	exec(t, k, "SELECT 2")
	k.Apply(s.With("sql_mode", "''"))
	exec(t, k, "DELETE FROM t")
	k.Apply(s.WithDB("e"))
	exec(t, k, "SELECT 3")
	if got := statements(n); got != "SELECT 2; SET sql_mode=''; DELETE FROM t; SET sql_mode=DEFAULT; USE e; SELECT 3" {
		t.Error(got)
	}
	k.Taint()
	k.Release()
	k = acquire(t, c, 0, s)
	exec(t, k, "DELETE FROM t")
	k.Release()
	if got := statements(n); got != "RESET; "+firstSet+"; USE d; DELETE FROM t" {
		t.Error(got)
	}
	if n.Connections() > 2 { // one is the probe's
		t.Errorf("%d connections", n.Connections())
	}
}

func TestRefusedSettingStopsTheWrite(t *testing.T) {
	broken := routertest.Start(t, func(q *routertest.Query) { q.Err(1231, "42000", "no") })
	c := overFakes(t, backend.Config{}, broken)
	k := acquire(t, c, 0, c.Settings())
	defer k.Release()
	if _, err := k.Exec(t.Context(), []byte("UPDATE t SET a = 1")); number(err) != 1231 {
		t.Error(err)
	}
}

// A pooled connection that died is noticed: reads are sent again, writes go over a new connection from the start.
func TestDeadPooledConnection(t *testing.T) {
	n := routertest.Start(t, nil)
	c := overFakes(t, backend.Config{}, n)
	for _, sql := range []string{"SELECT 1", "INSERT INTO t VALUES (1)", "SELECT 2", "UPDATE t SET a = 1"} {
		k := acquire(t, c, 0, c.Settings())
		exec(t, k, "SELECT 0")
		k.Release()
		n.CutAll()
		n.Forget()
		k = acquire(t, c, 0, c.Settings())
		exec(t, k, sql)
		k.Release()
		if got := statements(n); strings.Count(got, sql) != 1 {
			t.Errorf("%s: the node was sent %s", sql, got)
		}
	}
}

func TestAnswerCutShort(t *testing.T) {
	columns := []wire.Column{{Name: "a", Type: wire.TypeVarString}}
	row := wire.AppendLenencString(nil, "x")
	var n *routertest.Node
	n = routertest.Start(t, func(q *routertest.Query) {
		switch q.SQL {
		case "nothing":
			q.Cut()
		case "boundary":
			q.Half(columns, 0, row, row)
		case "torn":
			q.Half(columns, 6, row, row)
		case "garbage":
			q.Bytes([]byte{1, 0, 0, 9, 0})
		default:
			q.OK(wire.OK{})
		}
	})
	c := overFakes(t, backend.Config{}, n)
	relay := func(sql string) (backend.Answer, *sink, error) {
		k := acquire(t, c, 0, c.Settings())
		defer k.Release()
		exec(t, k, "SELECT 1")
		var out sink
		a, err := k.Relay(t.Context(), query(sql), &out, false)
		if !k.Broken() {
			t.Errorf("%s: the connection is thought whole", sql)
		}
		return a, &out, err
	}
	if _, out, err := relay("nothing"); number(err) != 1158 || out.Len() != 0 || errors.Is(err, backend.ErrTorn) {
		t.Error(err)
	}
	a, out, err := relay("boundary")
	if err != nil || !a.IsErr || a.ErrNumber != 1158 || a.Rows != 2 || !strings.Contains(out.String(), "n0") {
		t.Errorf("%+v %v %q", a, err, out.String())
	}
	if _, _, err := relay("torn"); !errors.Is(err, backend.ErrTorn) {
		t.Error(err)
	}
	if _, _, err := relay("garbage"); number(err) != 1835 {
		t.Error(err)
	}
}

func TestStatementsAreBounded(t *testing.T) {
	n := routertest.Start(t, nil)
	c := overFakes(t, backend.Config{MaxStatements: 2}, n)
	k := acquire(t, c, 0, c.Settings())
	defer k.Release()
	var first *backend.Stmt
	for _, sql := range []string{"A ?", "B", "A ?", "C"} {
		st, err := k.Prepare(t.Context(), []byte(sql))
		if err != nil {
			t.Fatal(err)
		}
		if sql == "B" {
			first = st
		}
	}
	n.Forget()
	var out sink
	if _, err := k.RelayExecute(t.Context(), first, nil, &out, false); err != nil { // dropped for C: prepared again
		t.Fatal(err)
	}
	exec(t, k, "SELECT 1")
	if got := statements(n); got != "CLOSE B; PREPARE B; CLOSE A ?; EXECUTE B; SELECT 1" {
		t.Error(got)
	}
	if _, err := k.RelayExecute(t.Context(), first, make([]wire.Param, 1), &out, false); number(err) != 1210 {
		t.Error(err)
	}
}

func TestNodeDownFailsFastAndComesBack(t *testing.T) {
	n, other := routertest.Start(t, nil), routertest.Start(t, nil)
	c := overFakes(t, backend.Config{ProbeInterval: 10 * time.Millisecond, RetryInterval: 10 * time.Millisecond}, n, other)
	if err := selectOne(c); err != nil {
		t.Fatal(err)
	}
	n.Down(true)
	eventually(t, 3*time.Second, func() error {
		if number(selectOne(c)) != 1429 {
			return errors.New("not down yet")
		}
		return nil
	})
	k, err := c.Acquire(t.Context(), 0, 1, 0, c.Settings())
	if err != nil {
		t.Fatal(err)
	}
	exec(t, k, "SELECT 1")
	k.Release()
	n.Down(false)
	eventually(t, 3*time.Second, func() error { return selectOne(c) })
}

func TestUpdateReplacesNodes(t *testing.T) {
	n, next := routertest.Start(t, nil), routertest.Start(t, nil)
	c := overFakes(t, backend.Config{}, n)
	k := acquire(t, c, 0, c.Settings())
	exec(t, k, "SELECT 1")
	c.Update([]catalog.Node{{Name: "n0", Addr: next.Addr()}, {Name: "n1", Addr: n.Addr(), Removed: true}}, root)
	exec(t, k, "SELECT 2") // a connection in use goes on
	k.Release()
	n.Forget()
	k = acquire(t, c, 0, c.Settings())
	exec(t, k, "SELECT 3")
	k.Release()
	if got := statements(n); got != "" {
		t.Errorf("the old node was sent %s", got)
	}
	for _, place := range []int{-1, 1, 2} {
		if _, err := c.Acquire(t.Context(), 0, place, 0, c.Settings()); err == nil {
			t.Errorf("node %d gave a connection", place)
		}
	}
}

func TestStreamClosedEarly(t *testing.T) {
	columns := []wire.Column{{Name: "a", Type: wire.TypeVarString}}
	small, large := make([][]byte, 100), make([][]byte, 100_000)
	for i := range small {
		small[i] = wire.AppendLenencString(nil, "value")
	}
	for i := range large {
		large[i] = small[0]
	}
	n := routertest.Start(t, func(q *routertest.Query) {
		switch q.SQL {
		case "SELECT small":
			q.Rows(columns, small...)
		case "SELECT large":
			q.Rows(columns, large...)
		default:
			q.OK(wire.OK{})
		}
	})
	c := overFakes(t, backend.Config{}, n)
	for sql, keeps := range map[string]bool{"SELECT small": true, "SELECT large": false} {
		k := acquire(t, c, 0, c.Settings())
		st, err := k.Query(t.Context(), []byte(sql), wire.Text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.Next(); err != nil {
			t.Fatal(err)
		}
		if _, err := k.Exec(t.Context(), []byte("SELECT 1")); number(err) != 1105 {
			t.Errorf("a connection did two things at once: %v", err)
		}
		closeStream(t, st)
		if k.Broken() == keeps {
			t.Errorf("%s: broken is %v", sql, k.Broken())
		}
		k.Release()
	}
}

func TestWaitersAreServedInOrder(t *testing.T) {
	n := routertest.Start(t, nil)
	c := overFakes(t, backend.Config{MaxPerNode: 1, WaitTimeout: 10 * time.Second}, n)
	k := acquire(t, c, 0, c.Settings())
	var order atomic.Int32
	var wg sync.WaitGroup
	for i := range int32(5) {
		wg.Go(func() {
			mine, err := c.Acquire(context.Background(), 0, 0, 0, c.Settings())
			if err != nil {
				t.Error(err)
				return
			}
			if at := order.Add(1) - 1; at != i {
				t.Errorf("waiter %d was served as number %d", i, at)
			}
			mine.Release()
		})
		eventually(t, 3*time.Second, func() error {
			if c.Stats()[0].Waiting != int(i)+1 {
				return errors.New("not waiting yet")
			}
			return nil
		})
	}
	k.Release()
	wg.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	k = acquire(t, c, 0, c.Settings())
	defer k.Release()
	cancel()
	if _, err := c.Acquire(ctx, 0, 0, 0, c.Settings()); number(err) != 1317 {
		t.Error(err)
	}
}
