package backend_test

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"ballast/router/backend"
	"ballast/router/routertest"
	"ballast/sqlfront/wire"
)

// readAll gives the columns' names and the number of rows of a query.
func readAll(t *testing.T, k *backend.Conn, sql string, f wire.Format) string {
	t.Helper()
	st, err := k.Query(t.Context(), []byte(sql), f)
	if err != nil {
		t.Errorf("%s: %v", sql, err)
		return ""
	}
	n := 0
	for err == nil {
		_, err = st.Next()
		n++
	}
	if err != io.EOF {
		t.Errorf("%s: %v", sql, err)
	}
	var names []string
	for _, c := range st.Columns() {
		names = append(names, fmt.Sprintf("%s.%s:%d", c.Table, c.Name, c.Type))
	}
	closeStream(t, st)
	return fmt.Sprintf("%s %d", strings.Join(names, ","), n-1)
}

// Definitions are decoded only where they differ from those of the answer before; those given out earlier stay as they are.
func TestDefinitionsThatRepeat(t *testing.T) {
	answers := map[string][]wire.Column{
		"SELECT ab": {{Name: "a", Table: "t", Type: wire.TypeLong}, {Name: "b", Table: "t", Type: wire.TypeVarString}},
		"SELECT ac": {{Name: "a", Table: "t", Type: wire.TypeLong}, {Name: "c", Table: "u", Type: wire.TypeVarString}},
		"SELECT a":  {{Name: "a", Table: "t", Type: wire.TypeLong}},
		"SELECT b":  {{Name: "b", Table: "t", Type: wire.TypeLongLong}},
	}
	wide := make([]wire.Column, 300)
	for i := range wide {
		wide[i] = wire.Column{Name: fmt.Sprint("column", i), Type: wire.TypeLong}
	}
	answers["SELECT wide"] = wide
	n := routertest.Start(t, func(q *routertest.Query) {
		if columns := answers[q.SQL]; columns != nil {
			q.Rows(columns, []byte{1, '1'})
			return
		}
		q.OK(wire.OK{})
	})
	c := overFakes(t, backend.Config{}, n)
	k := acquire(t, c, 0, c.Settings())
	defer k.Release()
	want := map[string]string{
		"SELECT ab": "t.a:3,t.b:253 1", "SELECT ac": "t.a:3,u.c:253 1", "SELECT a": "t.a:3 1", "SELECT b": "t.b:8 1",
	}
	for _, sql := range []string{"ab", "ab", "ac", "ab", "a", "a", "ab", "b", "b", "ac", "wide", "wide", "ab", "wide"} {
		sql = "SELECT " + sql
		if got := readAll(t, k, sql, wire.Text); want[sql] != "" && got != want[sql] || want[sql] == "" && !strings.HasSuffix(got, ".column299:3 1") {
			t.Errorf("%s: %s", sql, got)
		}
	}
	first, err := k.Query(t.Context(), []byte("SELECT ab"), wire.Text)
	if err != nil {
		t.Fatal(err)
	}
	columns := first.Columns()
	closeStream(t, first)
	for _, sql := range []string{"SELECT ac", "SELECT b"} {
		readAll(t, k, sql, wire.Text)
	}
	if columns[0].Name != "a" || columns[1].Name != "b" || columns[1].Table != "t" {
		t.Errorf("columns changed under their reader: %v", columns)
	}
}

// A binary query whose text is that of the one before is executed without being prepared again, unless the server has lost it.
func TestBinaryQueriesThatRepeat(t *testing.T) {
	var lost atomic.Bool
	n := routertest.Start(t, func(q *routertest.Query) {
		switch {
		case !strings.HasPrefix(q.SQL, "SELECT"):
			q.OK(wire.OK{})
		case lost.Swap(false):
			q.Err(1243, "HY000", "Unknown prepared statement handler")
		default:
			q.Rows([]wire.Column{{Name: "a", Type: wire.TypeLong}}, []byte{0, 0, 1, 0, 0, 0})
		}
	})
	c := overFakes(t, backend.Config{}, n)
	k := acquire(t, c, 0, c.Settings())
	ask := func(sql, sent string) {
		t.Helper()
		if got := readAll(t, k, sql, wire.Binary); got != ".a:3 1" {
			t.Errorf("%s: %s", sql, got)
		}
		if got := statements(n); !strings.HasSuffix(got, sent) {
			t.Errorf("%s: the node was sent %q, want %q", sql, got, sent)
		}
	}
	ask("SELECT 1", "PREPARE SELECT 1; EXECUTE SELECT 1")
	ask("SELECT 1", "EXECUTE SELECT 1")
	ask("SELECT 2", "PREPARE SELECT 2; CLOSE SELECT 1; EXECUTE SELECT 2")
	lost.Store(true)
	ask("SELECT 2", "EXECUTE SELECT 2; PREPARE SELECT 2; EXECUTE SELECT 2")
	ask("SELECT 2", "EXECUTE SELECT 2")
	k.Release()
	n.CutAll()
	n.Forget()
	k = acquire(t, c, 0, c.Settings())
	ask("SELECT 2", "PREPARE SELECT 2; EXECUTE SELECT 2")
	k.Taint()
	k.Release()
	k = acquire(t, c, 0, c.Settings())
	ask("SELECT 2", "PREPARE SELECT 2; EXECUTE SELECT 2")
	k.Release()
}

// Queries are sent to two nodes before either answer is read; a connection that died in the pool is replaced.
func TestSentBeforeRead(t *testing.T) {
	handler := func(q *routertest.Query) {
		if strings.HasPrefix(q.SQL, "SELECT") {
			q.Rows([]wire.Column{{Name: "a", Type: wire.TypeLong}}, []byte{1, '7'})
			return
		}
		q.OK(wire.OK{})
	}
	nodes := []*routertest.Node{routertest.Start(t, handler), routertest.Start(t, handler)}
	c := overFakes(t, backend.Config{}, nodes...)
	for round := range 3 {
		var conns [2]*backend.Conn
		var streams [2]backend.Stream
		for i := range conns {
			conns[i] = acquireAt(t, c, i)
			if err := conns[i].Send(t.Context(), &streams[i], []byte("SELECT 7"), wire.Text); err != nil {
				t.Fatal(err)
			}
		}
		for i := range conns {
			streams[i].Ready()
			if err := streams[i].Rows(); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			row, err := streams[i].Next()
			if err != nil || string(row) != "\x017" {
				t.Errorf("%q %v", row, err)
			}
			if _, err := streams[i].Next(); err != io.EOF {
				t.Error(err)
			}
			conns[i].Release()
		}
		nodes[round%2].CutAll()
	}
}

// acquireAt takes a connection to a node by its place.
func acquireAt(t *testing.T, c *backend.Cluster, node int) *backend.Conn {
	t.Helper()
	k, err := c.Acquire(t.Context(), 0, node, 0, c.Settings())
	if err != nil {
		t.Fatal(err)
	}
	return k
}
