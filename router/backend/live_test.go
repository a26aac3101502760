package backend_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/dbserver"
	"ballast/router/backend"
	"ballast/router/engine"
	"ballast/rules/catalog"
	"ballast/sqlfront/wire"
)

// startServer runs a server of the flavour that BALLAST_SERVER names.
func startServer(tb testing.TB) *dbserver.Server {
	tb.Helper()
	name := os.Getenv("BALLAST_SERVER")
	if name == "" {
		name = "mariadb"
	}
	flavour, err := dbserver.ParseFlavour(name)
	if err != nil {
		tb.Fatal(err)
	}
	in, err := dbserver.Find(tb.Context(), dbserver.FindOptions{Flavour: flavour})
	if err != nil {
		tb.Fatal(err)
	}
	base, err := dbserver.FastTempDir()
	if err != nil {
		tb.Fatal(err)
	}
	dir, err := os.MkdirTemp(base, "backend-test-")
	if err != nil {
		tb.Fatal(err)
	}
	port, err := dbserver.FreePort()
	if err != nil {
		tb.Fatal(err)
	}
	s := dbserver.New(dbserver.ServerConfig{Install: in, Dir: dir, Port: port, ServerID: 1})
	tb.Cleanup(func() {
		s.Kill()
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	if err := s.Init(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	if err := s.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return s
}

// startCluster makes and runs a cluster whose one node is the server.
func startCluster(tb testing.TB, s *dbserver.Server, cfg backend.Config, cred backend.Credential) *backend.Cluster {
	tb.Helper()
	cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	c, err := backend.New(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	c.Update([]catalog.Node{{Name: "n0", Addr: s.Addr()}}, cred)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := c.Run(ctx); err != nil {
			tb.Error(err)
		}
	})
	tb.Cleanup(func() { cancel(); wg.Wait() })
	return c
}

var root = backend.Credential{User: "root"}

// sink gathers relayed bytes.
type sink struct{ bytes.Buffer }

func (s *sink) Relay(p []byte) error { s.Write(p); return nil }

func query(sql string) []byte { return append([]byte{byte(wire.ComQuery)}, sql...) }

func acquire(tb testing.TB, c *backend.Cluster, class backend.Class, s *backend.Settings) *backend.Conn {
	tb.Helper()
	k, err := c.Acquire(tb.Context(), 0, 0, class, s)
	if err != nil {
		tb.Fatal(err)
	}
	return k
}

func exec(tb testing.TB, k *backend.Conn, sql string) wire.OK {
	tb.Helper()
	ok, err := k.Exec(tb.Context(), []byte(sql))
	if err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
	return ok
}

// rows reads a text query's rows, values joined by commas.
func rows(tb testing.TB, k *backend.Conn, sql string) []string {
	tb.Helper()
	st, err := k.Query(tb.Context(), []byte(sql), wire.Text)
	if err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
	defer closeStream(tb, st)
	fields := make([]wire.Field, len(st.Columns()))
	var out []string
	for {
		row, err := st.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			tb.Fatalf("%s: %v", sql, err)
		}
		if err := wire.ScanTextRow(row, fields); err != nil {
			tb.Fatal(err)
		}
		var vals []string
		for _, f := range fields {
			if f.Null() {
				vals = append(vals, "NULL")
			} else {
				vals = append(vals, string(f.Of(row)))
			}
		}
		out = append(out, strings.Join(vals, ","))
	}
}

func closeStream(tb testing.TB, st engine.Stream) {
	tb.Helper()
	if err := st.Close(); err != nil {
		tb.Error(err)
	}
}

func TestLive(t *testing.T) {
	s := startServer(t)
	c := startCluster(t, s, backend.Config{}, root)
	setup := acquire(t, c, 0, c.Settings())
	exec(t, setup, "CREATE DATABASE d")
	exec(t, setup, "CREATE TABLE d.t (id INT PRIMARY KEY, v VARCHAR(100))")
	exec(t, setup, "INSERT INTO d.t VALUES (1, 'one'), (2, 'two'), (3, NULL)")
	setup.Release()
	inD := c.Settings().WithDB("d")

	for class := range backend.Class(4) {
		t.Run(fmt.Sprintf("class %d", class), func(t *testing.T) { liveClass(t, c, class, inD) })
	}
	t.Run("settings", func(t *testing.T) { liveSettings(t, c, inD) })
	t.Run("release", func(t *testing.T) { liveRelease(t, c, inD) })
	t.Run("kill", func(t *testing.T) { liveKill(t, c, inD) })
	t.Run("big", func(t *testing.T) { liveBig(t, c, inD) })
}

func liveClass(t *testing.T, c *backend.Cluster, class backend.Class, inD *backend.Settings) {
	k := acquire(t, c, class, inD)
	defer k.Release()
	if got := strings.Join(rows(t, k, "SELECT id, v FROM t ORDER BY id"), " "); got != "1,one 2,two 3,NULL" {
		t.Fatal(got)
	}
	ok := exec(t, k, "UPDATE t SET v = 'one' WHERE id = 1")
	want := uint64(0)
	if class&backend.FoundRows != 0 {
		want = 1
	}
	if ok.Affected != want {
		t.Errorf("%d rows affected, want %d", ok.Affected, want)
	}
	var out sink
	a, err := k.Relay(t.Context(), query("SELECT * FROM t"), &out, false)
	if err != nil || a.Rows != 3 || a.Columns != 2 || a.IsErr || !a.Status.Has(wire.StatusAutocommit) {
		t.Fatalf("%+v, %v", a, err)
	}
	out.Reset()
	if a, err = k.Relay(t.Context(), query("SELECT * FROM t"), &out, true); err != nil {
		t.Fatal(err)
	}
	if !a.Status.Has(wire.StatusMoreResults) && !relayedMore(out.Bytes(), class) {
		t.Error("no sign of more results")
	}
	out.Reset()
	a, err = k.Relay(t.Context(), query("SELECT nothing FROM t"), &out, false)
	if err != nil || !a.IsErr || a.ErrNumber != 1054 {
		t.Fatalf("%+v, %v", a, err)
	}
	liveStatements(t, k)
}

// relayedMore reads the status word of the last packet of an answer.
func relayedMore(b []byte, class backend.Class) bool {
	var last []byte
	for len(b) >= wire.HeaderSize {
		n, _ := wire.Header(b)
		last, b = b[wire.HeaderSize:wire.HeaderSize+n], b[wire.HeaderSize+n:]
	}
	if class&backend.DeprecateEOF != 0 {
		var ok wire.OK
		return ok.Decode(last) == nil && ok.Status.Has(wire.StatusMoreResults)
	}
	var eof wire.EOF
	return eof.Decode(last) == nil && eof.Status.Has(wire.StatusMoreResults)
}

func liveStatements(t *testing.T, k *backend.Conn) {
	t.Helper()
	for range 3 {
		st, err := k.Prepare(t.Context(), []byte("SELECT v FROM t WHERE id = ? OR v = ?"))
		if err != nil {
			t.Fatal(err)
		}
		if st.Params() != 2 || len(st.Columns()) != 1 {
			t.Fatalf("%d parameters, %d columns", st.Params(), len(st.Columns()))
		}
		args := []wire.Param{
			{Type: wire.TypeLong, Value: []byte{1, 0, 0, 0}},
			{Type: wire.TypeVarString, Value: []byte("two")},
		}
		var out sink
		a, err := k.RelayExecute(t.Context(), st, args, &out, false)
		if err != nil || a.Rows != 2 || !bytes.Contains(out.Bytes(), []byte("\x03one")) || !bytes.Contains(out.Bytes(), []byte("\x03two")) {
			t.Fatalf("%+v, %v", a, err)
		}
		args[0].Null, args[1].Long, args[1].Type = true, true, wire.TypeBlob
		if a, err = k.RelayExecute(t.Context(), st, args, &out, false); err != nil || a.Rows != 1 {
			t.Fatalf("%+v, %v", a, err)
		}
	}
	if _, err := k.Prepare(t.Context(), []byte("SELECT ? FROM nowhere")); err == nil {
		t.Error("a statement over no table was prepared")
	}
	st, err := k.Query(t.Context(), []byte("SELECT CAST(0.1 AS FLOAT)"), wire.Binary)
	if err != nil {
		st, err = k.Query(t.Context(), []byte("SELECT 1e0"), wire.Binary)
	}
	if err != nil {
		t.Fatal(err)
	}
	row, err := st.Next()
	if err != nil || row[0] != 0 {
		t.Fatalf("%v, %v", row, err)
	}
	closeStream(t, st)
}

func liveSettings(t *testing.T, c *backend.Cluster, inD *backend.Settings) {
	const ask = "SELECT DATABASE(), @@sql_mode, @@character_set_results, @@collation_connection, @@autocommit"
	k := acquire(t, c, 0, inD)
	plain := rows(t, k, ask)[0]
	k.Release()

	odd := inD.WithDB("mysql").With("sql_mode", "'ANSI_QUOTES'").With("character_set_results", "latin1").
		With("collation_connection", "utf8mb4_bin").With("autocommit", "0").With("transaction_isolation", "'READ-COMMITTED'")
	k = acquire(t, c, 0, odd)
	if got := rows(t, k, ask)[0]; got != "mysql,ANSI_QUOTES,latin1,utf8mb4_bin,0" {
		t.Error(got)
	}
	k.Apply(inD)
	if got := rows(t, k, ask)[0]; got != plain {
		t.Errorf("%s, want %s", got, plain)
	}
	k.Release()
	k = acquire(t, c, 0, odd)
	exec(t, k, "UPDATE d.t SET v = 'x' WHERE id = 3") // a write: the settings have their own round trip
	if !k.InTransaction() {
		t.Error("autocommit=0 opened no transaction")
	}
	k.Release() // rolls back
	k = acquire(t, c, 0, inD)
	if got := rows(t, k, "SELECT v FROM t WHERE id = 3")[0]; got != "NULL" {
		t.Errorf("released transaction left %s", got)
	}
	k.Release()

	k = acquire(t, c, 0, inD.WithDB("missing"))
	_, err := k.Exec(t.Context(), []byte("SELECT 1"))
	var se *wire.ServerError
	if !errors.As(err, &se) || se.Number != 1049 {
		t.Errorf("a missing database: %v", err)
	}
	k.Release()
	k = acquire(t, c, 0, inD.With("sql_mode", "'NONSENSE'"))
	if _, err := k.Exec(t.Context(), []byte("DELETE FROM d.t")); !errors.As(err, &se) || se.Number != 1231 {
		t.Errorf("a wrong sql_mode: %v", err)
	}
	k.Release()
	k = acquire(t, c, 0, inD)
	if n := len(rows(t, k, "SELECT * FROM t")); n != 3 {
		t.Errorf("a statement ran without its settings: %d rows are left", n)
	}
	k.Release()
}

func liveRelease(t *testing.T, c *backend.Cluster, inD *backend.Settings) {
	k := acquire(t, c, backend.FoundRows, inD)
	id := k.ThreadID()
	exec(t, k, "SET @leak = 1")
	exec(t, k, "CREATE TEMPORARY TABLE tmp (a INT)")
	if _, err := k.Prepare(t.Context(), []byte("SELECT 1 FROM t")); err != nil {
		t.Fatal(err)
	}
	k.Taint()
	k.Release()
	k = acquire(t, c, backend.FoundRows, inD)
	defer k.Release()
	if k.ThreadID() != id {
		t.Error("the connection was not used again")
	}
	if got := rows(t, k, "SELECT @leak, DATABASE()")[0]; got != "NULL,d" {
		t.Error(got)
	}
	if _, err := k.Exec(t.Context(), []byte("SELECT * FROM tmp")); err == nil {
		t.Error("a temporary table leaked")
	}
	st, err := k.Prepare(t.Context(), []byte("SELECT 1 FROM t"))
	if err != nil {
		t.Fatal(err)
	}
	var out sink
	if a, err := k.RelayExecute(t.Context(), st, nil, &out, false); err != nil || a.Rows != 3 {
		t.Fatalf("%+v, %v", a, err)
	}
}

func liveKill(t *testing.T, c *backend.Cluster, inD *backend.Settings) {
	k := acquire(t, c, 0, inD)
	defer k.Release()
	id := k.ThreadID()
	var wg sync.WaitGroup
	var ended atomic.Int32
	wg.Go(func() {
		for rowsOf := 0; rowsOf == 0 && ended.Load() == 0; { // until the statement is seen running
			other, err := c.Acquire(context.Background(), 0, 0, 0, inD)
			if err != nil {
				t.Error(err)
				return
			}
			rowsOf = len(rows(t, other, fmt.Sprintf("SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = %d AND INFO LIKE '%%BENCHMARK%%'", id)))
			other.Release()
		}
		if err := k.KillQuery(context.Background()); err != nil {
			t.Error(err)
		}
	})
	var out sink
	begin := time.Now()
	a, err := k.Relay(t.Context(), query("SELECT BENCHMARK(1000000000000, SHA2('x', 256)) FROM t"), &out, false)
	ended.Store(1)
	wg.Wait()
	if err != nil || !a.IsErr || a.ErrNumber != 1317 {
		t.Errorf("%+v, %v after %s", a, err, time.Since(begin))
	}
	if got := rows(t, k, "SELECT 1")[0]; got != "1" {
		t.Error(got)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := k.Exec(ctx, []byte("SELECT BENCHMARK(1000000000000, SHA2('x', 256)) FROM t")); err == nil {
		t.Error("a cancelled statement ended well")
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
}

func liveBig(t *testing.T, c *backend.Cluster, inD *backend.Settings) {
	k := acquire(t, c, backend.DeprecateEOF, inD)
	defer k.Release()
	exec(t, k, "CREATE TABLE big (id INT PRIMARY KEY, v LONGBLOB)")
	packet := rows(t, k, "SELECT @@max_allowed_packet")[0]
	t.Log("max_allowed_packet", packet)
	value := strings.Repeat("0123456789abcdef", 20<<16) // 20 MiB
	sql := "INSERT INTO big VALUES (1, '" + value + "')"
	if _, err := k.Exec(t.Context(), []byte(sql)); err != nil {
		var se *wire.ServerError
		if !errors.As(err, &se) || se.Number != 1153 {
			t.Fatal(err)
		}
		return
	}
	var out sink
	a, err := k.Relay(t.Context(), query("SELECT v FROM big"), &out, false)
	if err != nil || a.Rows != 1 || out.Len() < len(value) {
		t.Fatalf("%+v, %v, %d bytes", a, err, out.Len())
	}
	if got := rows(t, k, "SELECT v FROM big")[0]; got != value {
		t.Errorf("%d bytes came back", len(got))
	}
}
