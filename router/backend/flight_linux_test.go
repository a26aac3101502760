package backend_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/router/backend"
	"ballast/router/routertest"
	"ballast/sqlfront/netloop"
	"ballast/sqlfront/wire"
)

// overLoop is overFakes with an event loop for the connections.
func overLoop(t *testing.T, cfg backend.Config, nodes ...*routertest.Node) (*backend.Cluster, *netloop.Loop) {
	t.Helper()
	l, err := netloop.New()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := l.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() }) // after the cluster's end
	cfg.Loops = []*netloop.Loop{l}
	return overFakes(t, cfg, nodes...), l
}

// onLoop runs f on the loop and waits for it.
func onLoop(l *netloop.Loop, f func()) {
	done := make(chan struct{})
	l.Post(job(func() { f(); close(done) }))
	<-done
}

type job func()

func (f job) RunOnLoop() { f() }

// flown is how a flight ended.
type flown struct {
	a     backend.Answer
	err   error
	again bool
}

// pilot takes an answer down. Its fields are the loop's until it has landed.
type pilot struct {
	got    bytes.Buffer
	chunks int
	full   func(p *pilot) bool
	fails  error
	landed chan flown
}

func newPilot() *pilot { return &pilot{landed: make(chan flown, 2)} }

func (p *pilot) Relay(b []byte) error {
	p.got.Write(b)
	p.chunks++
	return p.fails
}

func (p *pilot) Full() bool { return p.full != nil && p.full(p) }

func (p *pilot) Landed(a backend.Answer, err error, again bool) { p.landed <- flown{a, err, again} }

// end waits for the flight's end, of which there is one.
func (p *pilot) end(t *testing.T) flown {
	t.Helper()
	select {
	case f := <-p.landed:
		if len(p.landed) > 0 {
			t.Error("it landed twice")
		}
		return f
	case <-time.After(10 * time.Second):
		t.Fatal("it does not land")
		return flown{}
	}
}

// launch begins a query on the loop; false means that it was declined.
func launch(l *netloop.Loop, k *backend.Conn, sql, ahead string, p *pilot) (ok bool) {
	packet, _ := wire.AppendPacket(nil, 0, query(sql))
	onLoop(l, func() { ok = k.LaunchQuery(packet, ahead, p) })
	return ok
}

// fly launches a query that must be taken, and waits for its end.
func fly(t *testing.T, l *netloop.Loop, k *backend.Conn, sql, ahead string) (*pilot, flown) {
	t.Helper()
	p := newPilot()
	if !launch(l, k, sql, ahead, p) {
		t.Fatalf("%s was declined", sql)
	}
	return p, p.end(t)
}

// warm makes a connection one that was used before, under the cluster's settings.
func warm(t *testing.T, c *backend.Cluster) *backend.Conn {
	t.Helper()
	k := acquire(t, c, 0, c.Settings())
	exec(t, k, "SELECT 0")
	k.Release()
	return acquire(t, c, 0, c.Settings())
}

// packets joins payloads as the packets of one answer.
func packets(payloads ...[]byte) (out []byte) {
	seq := uint8(1)
	for _, p := range payloads {
		out, seq = wire.AppendPacket(out, seq, p)
	}
	return out
}

func okPacket(st wire.Status) []byte {
	return (&wire.OK{Affected: 3, InsertID: 9, Status: st}).Append(nil)
}
func eofPacket() []byte { return (&wire.EOF{Status: wire.StatusAutocommit}).Append(nil) }

func errPacket(number uint16) []byte {
	return (&wire.ServerError{Number: number, State: "HY000", Message: "as scripted"}).Append(nil)
}

func set(last ...[]byte) [][]byte {
	column := wire.Column{Name: "a", Type: wire.TypeVarString}
	return append([][]byte{{1}, column.Append(nil), eofPacket(), wire.AppendLenencString(nil, "one"), wire.AppendLenencString(nil, "two")}, last...)
}

// cutter is a node that sends scripted bytes in two pieces, the second when the loop has read the first.
type cutter struct {
	loop   *netloop.Loop
	mu     sync.Mutex
	answer []byte
	at     int
}

func (c *cutter) script(answer []byte, at int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer, c.at = answer, at
}

func (c *cutter) handle(q *routertest.Query) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch q.SQL {
	case "SELECT 0":
		q.OK(wire.OK{})
	case "START TRANSACTION": // answered along with what follows
	default:
		reads := c.loop.Stats().Reads
		q.Bytes(c.answer[:c.at])
		for deadline := time.Now().Add(5 * time.Second); c.at > 0 && c.loop.Stats().Reads == reads && time.Now().Before(deadline); {
			onLoop(c.loop, func() {})
		}
		q.Bytes(c.answer[c.at:])
	}
}

// Answers may be cut anywhere, those of what went ahead as well.
func TestFlightAnswersCutAnywhere(t *testing.T) {
	script := &cutter{}
	n := routertest.Start(t, script.handle)
	c, l := overLoop(t, backend.Config{}, n)
	script.loop = l
	k := warm(t, c)
	defer k.Release()
	start := packets(okPacket(wire.StatusAutocommit | wire.StatusInTrans))
	for name, answer := range map[string]struct {
		bytes []byte
		want  backend.Answer
	}{
		"rows":      {packets(set(eofPacket())...), backend.Answer{OK: wire.OK{Status: wire.StatusAutocommit}, Columns: 1, Rows: 2}},
		"ok":        {packets(okPacket(wire.StatusAutocommit)), backend.Answer{OK: wire.OK{Affected: 3, InsertID: 9, Status: wire.StatusAutocommit}}},
		"error":     {packets(errPacket(1064)), backend.Answer{IsErr: true, ErrNumber: 1064}},
		"row error": {packets(set(errPacket(1317))...), backend.Answer{Columns: 1, Rows: 2, IsErr: true, ErrNumber: 1317}},
	} {
		for _, ahead := range []string{"", "START TRANSACTION"} {
			sent, sql := answer.bytes, "UPDATE t"
			if ahead != "" {
				sent, sql = append(bytes.Clone(start), sent...), "SELECT a FROM t"
			}
			for at := range len(sent) {
				script.script(sent, at)
				p, f := fly(t, l, k, sql, ahead)
				if f.err != nil || f.again || !bytes.Equal(p.got.Bytes(), answer.bytes) {
					t.Fatalf("%s cut at %d: %v, relayed %q", name, at, f.err, p.got.Bytes())
				}
				if a := f.a; a.IsErr != answer.want.IsErr || a.ErrNumber != answer.want.ErrNumber || a.Rows != answer.want.Rows || a.Columns != answer.want.Columns ||
					a.Affected != answer.want.Affected || a.InsertID != answer.want.InsertID {
					t.Fatalf("%s cut at %d: %+v", name, at, a)
				}
				if k.Broken() || answer.want.IsErr && ahead != "" && !k.InTransaction() {
					t.Fatalf("%s cut at %d: broken %v, in transaction %v", name, at, k.Broken(), k.InTransaction())
				}
			}
		}
	}
}

// What goes ahead and is refused ends the connection: nothing of what follows is passed on.
func TestFlightRefusedAhead(t *testing.T) {
	script := &cutter{}
	n := routertest.Start(t, script.handle)
	c, l := overLoop(t, backend.Config{}, n)
	script.loop = l
	sent := append(packets(errPacket(1568)), packets(okPacket(2))...)
	for at := range len(sent) {
		k := warm(t, c)
		script.script(sent, at)
		p, f := fly(t, l, k, "SELECT a FROM t", "START TRANSACTION")
		var se *wire.ServerError
		if !errors.As(f.err, &se) || se.Number != 1568 || f.again || p.got.Len() > 0 || !k.Broken() {
			t.Fatalf("cut at %d: %v %v %q", at, f.err, f.again, p.got.Bytes())
		}
		k.Release()
	}
}

// A write is not sent before the server has taken what goes ahead of it: it would run even if that was refused.
func TestFlightWriteWaits(t *testing.T) {
	for refused, want := range map[string]string{
		"":                  "SET sql_mode=''; USE d; START TRANSACTION; UPDATE t SET a = 1",
		"START TRANSACTION": "SET sql_mode=''; USE d; START TRANSACTION",
	} {
		n := routertest.Start(t, func(q *routertest.Query) {
			if q.SQL == refused {
				q.Err(1317, "70100", "Query execution was interrupted")
				return
			}
			q.OK(wire.OK{})
		})
		c, l := overLoop(t, backend.Config{}, n)
		k := warm(t, c)
		n.Forget()
		k.Apply(c.Settings().With("sql_mode", "''").WithDB("d"))
		_, f := fly(t, l, k, "UPDATE t SET a = 1", "START TRANSACTION")
		if failed := f.err != nil || f.a.IsErr; failed != (refused != "") || failed != k.Broken() {
			t.Errorf("%q refused: %v, broken %v", refused, f.err, k.Broken())
		}
		k.Release()
		if got := statements(n); got != want {
			t.Errorf("%q refused: %s", refused, got)
		}
	}
}

// Settings go along with reads and never with writes.
func TestFlightSettings(t *testing.T) {
	n := routertest.Start(t, nil)
	c, l := overLoop(t, backend.Config{}, n)
	k := warm(t, c)
	defer k.Release()
	n.Forget()
	other := c.Settings().With("sql_mode", "''").WithDB("d")
	k.Apply(other)
	if _, f := fly(t, l, k, "SELECT a FROM t", ""); f.err != nil {
		t.Error(f.err)
	}
	if _, f := fly(t, l, k, "UPDATE t SET a = 1", ""); f.err != nil {
		t.Error(f.err)
	}
	k.Apply(c.Settings().WithDB("d"))
	if _, f := fly(t, l, k, "SELECT a FROM t", "START TRANSACTION"); f.err != nil {
		t.Error(f.err)
	}
	if got := statements(n); got != "SET sql_mode=''; USE d; SELECT a FROM t; UPDATE t SET a = 1; SET sql_mode=DEFAULT; START TRANSACTION; SELECT a FROM t" {
		t.Error(got)
	}
}

// A client that does not read holds the node up, not the router's memory.
func TestFlightWithAFullClient(t *testing.T) {
	const rowCount, rowSize = 2000, 8000
	row := wire.AppendLenencBytes(nil, bytes.Repeat([]byte("r"), rowSize))
	payloads := set()
	for range rowCount {
		payloads = append(payloads, row)
	}
	answer := packets(append(payloads, eofPacket())...)
	sent := make(chan struct{})
	n := routertest.Start(t, func(q *routertest.Query) {
		if q.SQL == "SELECT 0" {
			q.OK(wire.OK{})
			return
		}
		q.Bytes(answer)
		close(sent)
	})
	c, l := overLoop(t, backend.Config{}, n)
	k := warm(t, c)
	defer k.Release()
	p := newPilot()
	paused := make(chan struct{}, 1)
	p.full = func(*pilot) bool {
		select {
		case paused <- struct{}{}:
		default:
		}
		return true
	}
	if !launch(l, k, "SELECT all", "", p) {
		t.Fatal("declined")
	}
	<-paused
	had := 0
	onLoop(l, func() { had = p.got.Len() })
	for range 100 {
		onLoop(l, func() {
			if p.got.Len() != had || had > netloop.Chunk {
				t.Fatalf("%d bytes for a client that reads none, %d at first", p.got.Len(), had)
			}
		})
	}
	select {
	case <-sent:
		t.Error("the node could send everything")
	default:
	}
	for len(p.landed) == 0 {
		onLoop(l, func() { k.Resume(); k.Resume() })
	}
	if f := p.end(t); f.err != nil || f.a.Rows != rowCount+2 || !bytes.Equal(p.got.Bytes(), answer) {
		t.Errorf("%v, %d rows, %d bytes of %d", f.err, f.a.Rows, p.got.Len(), len(answer))
	}
	if p.chunks < 100 {
		t.Errorf("%d chunks", p.chunks)
	}
}

// A connection that died in the pool: reads may be repeated, writes are not even sent.
func TestFlightOverADeadConnection(t *testing.T) {
	n := routertest.Start(t, nil)
	c, l := overLoop(t, backend.Config{}, n)
	for range 20 {
		k := warm(t, c)
		n.Forget()
		n.CutAll()
		p := newPilot()
		if launch(l, k, "SELECT 1", "", p) {
			if f := p.end(t); !f.again || f.err == nil || p.got.Len() > 0 {
				t.Errorf("a read over a dead connection: %v, again %v", f.err, f.again)
			}
		}
		k.Discard()
		k = warm(t, c)
		n.CutAll()
		eventually(t, 5*time.Second, func() error { // the loop has heard of it
			if l.Stats(); launch(l, k, "UPDATE t SET a = 1", "", newPilot()) {
				return errors.New("a write was sent over a dead connection")
			}
			return nil
		})
		k.Release()
		k = warm(t, c) // the pool gives another one
		if _, f := fly(t, l, k, "UPDATE t SET a = 1", ""); f.err != nil {
			t.Error(f.err)
		}
		k.Release()
	}
}

// goodbyes are what servers say before they hang up.
func TestFlightMeetsAGoodbye(t *testing.T) {
	var number atomic.Uint32
	n := routertest.Start(t, func(q *routertest.Query) {
		if q.SQL == "SELECT 0" {
			q.OK(wire.OK{})
			return
		}
		q.Err(uint16(number.Load()), "08S01", "bye")
	})
	c, l := overLoop(t, backend.Config{}, n)
	for _, said := range []uint16{1053, 1927, 3169, 4031} {
		number.Store(uint32(said))
		k := warm(t, c)
		if _, f := fly(t, l, k, "SELECT 1", ""); !f.again || !k.Broken() {
			t.Errorf("%d before a read: %v, again %v", said, f.err, f.again)
		}
		k.Discard()
		k = warm(t, c)
		if p, f := fly(t, l, k, "UPDATE t", ""); f.again || f.err != nil || !f.a.IsErr || f.a.ErrNumber != said || !k.Broken() || p.got.Len() == 0 {
			t.Errorf("%d before a write: %v, again %v", said, f.err, f.again)
		}
		k.Release()
		k = acquire(t, c, 0, c.Settings())
		exec(t, k, "SELECT 0") // not out of the pool
		if _, f := fly(t, l, k, "SELECT 1", ""); f.again || !f.a.IsErr || !k.Broken() {
			t.Errorf("%d in a session: %v, again %v", said, f.err, f.again)
		}
		k.Release()
	}
}

// The server hangs up at some point of an answer.
func TestFlightCutShort(t *testing.T) {
	columns := []wire.Column{{Name: "a", Type: wire.TypeVarString}}
	row := wire.AppendLenencString(nil, "x")
	n := routertest.Start(t, func(q *routertest.Query) {
		switch q.SQL[7:] {
		case "nothing":
			q.Cut()
		case "boundary":
			q.Half(columns, 0, row, row)
		case "torn":
			q.Half(columns, 6, row, row)
		case "garbage":
			q.Bytes([]byte{1, 0, 0, 9, 0})
		case "trailing":
			q.Bytes(append(packets(okPacket(2)), 1, 2, 3))
		case "infile":
			q.Bytes(packets([]byte{0xfb, 'f'}))
		case "huge":
			q.Bytes([]byte{255, 255, 255, 1, 0, 1})
		default:
			q.OK(wire.OK{})
		}
	})
	c, l := overLoop(t, backend.Config{}, n)
	run := func(sql string) (*pilot, flown) {
		k := warm(t, c)
		defer k.Release()
		exec(t, k, "SELECT 1") // nothing of this connection can be repeated
		n.Forget()
		p, f := fly(t, l, k, sql, "")
		if !k.Broken() || f.again {
			t.Errorf("%s: broken %v, again %v", sql, k.Broken(), f.again)
		}
		if got := statements(n); got != sql {
			t.Errorf("the node was sent %s", got)
		}
		return p, f
	}
	for _, verb := range []string{"SELECT ", "UPDATE "} {
		if p, f := run(verb + "nothing"); number(f.err) != 1158 || p.got.Len() != 0 || errors.Is(f.err, backend.ErrTorn) {
			t.Error(f.err)
		}
		if p, f := run(verb + "boundary"); f.err != nil || !f.a.IsErr || f.a.ErrNumber != 1158 || f.a.Rows != 2 || !bytes.Contains(p.got.Bytes(), []byte("n0")) {
			t.Errorf("%+v", f)
		}
		if _, f := run(verb + "torn"); !errors.Is(f.err, backend.ErrTorn) {
			t.Error(f.err)
		}
		for _, bad := range []string{"garbage", "trailing", "infile", "huge"} {
			if _, f := run(verb + bad); number(f.err) != 1835 {
				t.Errorf("%s: %v", bad, f.err)
			}
		}
	}
}

// Whoever passes the answer on fails: the connection is given up, and says so once.
func TestFlightOfALostClient(t *testing.T) {
	n := routertest.Start(t, func(q *routertest.Query) { q.Bytes(packets(set(eofPacket())...)) })
	c, l := overLoop(t, backend.Config{}, n)
	k := acquire(t, c, 0, c.Settings())
	if _, f := fly(t, l, k, "SELECT 1", ""); f.err != nil {
		t.Fatal(f.err)
	}
	p := newPilot()
	p.fails = io.ErrClosedPipe
	if !launch(l, k, "SELECT 2", "", p) {
		t.Fatal("declined")
	}
	if f := p.end(t); !errors.Is(f.err, io.ErrClosedPipe) || f.again || !k.Broken() {
		t.Errorf("%v", f)
	}
	if launch(l, k, "SELECT 3", "", newPilot()) {
		t.Error("a broken connection took a command")
	}
	k.Release()
}

func TestFlightOfPreparedStatements(t *testing.T) {
	n := routertest.Start(t, nil)
	c, l := overLoop(t, backend.Config{MaxStatements: 2}, n)
	k := warm(t, c)
	defer k.Release()
	sql := []byte("INSERT INTO t VALUES (?, ?)")
	args := []wire.Param{{Type: wire.TypeLong, Value: []byte{1, 0, 0, 0}}, {Type: wire.TypeVarString, Null: true}}
	if k.Prepared(sql, args) != nil {
		t.Error("prepared already")
	}
	ps, err := k.PrepareFor(t.Context(), sql, args)
	if err != nil {
		t.Fatal(err)
	}
	n.Forget()
	for range 3 {
		st := k.Prepared(sql, args)
		if st != ps {
			t.Fatal("it is not found again")
		}
		p, ok := newPilot(), false
		onLoop(l, func() { ok = k.LaunchExecute(st, args, "", p) })
		if !ok {
			t.Fatal("declined")
		}
		if f := p.end(t); f.err != nil {
			t.Error(f.err)
		}
		onLoop(l, func() { ok = k.LaunchExecute(st, args[:1], "", newPilot()) })
		if ok {
			t.Error("too few arguments were taken")
		}
	}
	big := []wire.Param{args[0], {Type: wire.TypeVarString, Value: make([]byte, 100<<10)}}
	ok := false
	onLoop(l, func() { ok = k.LaunchExecute(ps, big, "", newPilot()) })
	if ok || launch(l, k, "SELECT '"+string(make([]byte, 100<<10))+"'", "", newPilot()) {
		t.Error("a large command was launched")
	}
	if got := statements(n); got != "EXECUTE INSERT INTO t VALUES (?, ?); EXECUTE INSERT INTO t VALUES (?, ?); EXECUTE INSERT INTO t VALUES (?, ?)" {
		t.Error(got)
	}
	// What the cache drops is closed along with the next command.
	for _, other := range []string{"A ?", "B ?"} {
		if _, err := k.Prepare(t.Context(), []byte(other)); err != nil {
			t.Fatal(err)
		}
	}
	n.Forget()
	if _, f := fly(t, l, k, "SELECT 1", ""); f.err != nil {
		t.Error(f.err)
	}
	if got := statements(n); got != "CLOSE INSERT INTO t VALUES (?, ?); SELECT 1" {
		t.Error(got)
	}
}

// A KILL QUERY that meets the end of a flight hits this flight or none; the flight ends once, and the connection goes on.
func TestFlightMeetsAKill(t *testing.T) {
	running := make(chan chan struct{}, 1)
	n := routertest.Start(t, func(q *routertest.Query) {
		if q.SQL == "SELECT long" {
			release := make(chan struct{})
			running <- release
			<-release
		}
		q.OK(wire.OK{})
	})
	c, l := overLoop(t, backend.Config{}, n)
	k := warm(t, c)
	defer k.Release()
	for i := range 200 {
		p := newPilot()
		if !launch(l, k, "SELECT long", "", p) {
			t.Fatal("declined")
		}
		release := <-running
		killed := make(chan error, 1)
		switch i % 3 {
		case 0: // first the kill
			go func() { killed <- k.KillQuery(context.Background()); close(release) }()
		case 1: // both at once
			go func() { killed <- k.KillQuery(context.Background()) }()
			close(release)
		case 2: // first the end
			close(release)
			go func() { killed <- k.KillQuery(context.Background()) }()
		}
		if f := p.end(t); f.err != nil {
			t.Fatal(f.err)
		}
		if err := <-killed; err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			exec(t, k, "SELECT by a goroutine")
		}
	}
}

// A statement that does not end when it is interrupted loses its connection, and so does one whose node is taken away.
func TestFlightIsSevered(t *testing.T) {
	begun, end := make(chan struct{}, 4), make(chan struct{})
	n := routertest.Start(t, func(q *routertest.Query) {
		if q.SQL == "SELECT forever" || q.SQL == "UPDATE forever" {
			begun <- struct{}{}
			<-end
		}
		q.OK(wire.OK{})
	})
	defer close(end)
	c, l := overLoop(t, backend.Config{}, n)
	for _, sql := range []string{"SELECT forever", "UPDATE forever"} {
		k := warm(t, c)
		p := newPilot()
		if !launch(l, k, sql, "", p) {
			t.Fatal("declined")
		}
		<-begun
		k.Interrupt(t.Context())
		if f := p.end(t); f.err == nil || f.again || !k.Broken() {
			t.Errorf("%s: %v, again %v", sql, f.err, f.again)
		}
		k.Release()
	}
	if s := c.Stats()[0]; s.InUse != 0 || s.Open != s.Idle {
		t.Errorf("%+v", s)
	}
}

// One connection is used by the loop and by goroutines in turns.
func TestFlightsAndGoroutinesTakeTurns(t *testing.T) {
	n := routertest.Start(t, func(q *routertest.Query) {
		if q.SQL == "SELECT set" {
			q.Bytes(packets(set(eofPacket())...))
			return
		}
		q.OK(wire.OK{})
	})
	c, l := overLoop(t, backend.Config{}, n)
	want := packets(set(eofPacket())...)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			k := acquire(t, c, 0, c.Settings())
			defer func() { k.Release() }()
			exec(t, k, "SELECT 0")
			for i := range 200 {
				p := newPilot()
				if !launch(l, k, "SELECT set", "", p) {
					t.Error("declined")
					return
				}
				if f := p.end(t); f.err != nil || !bytes.Equal(p.got.Bytes(), want) {
					t.Errorf("%v %q", f.err, p.got.Bytes())
					return
				}
				if i%3 == 0 {
					var out sink
					if _, err := k.Relay(context.Background(), query("SELECT set"), &out, false); err != nil || !bytes.Equal(out.Bytes(), want) {
						t.Errorf("%v %q", err, out.Bytes())
						return
					}
				}
				if i%20 == 0 {
					k.Release()
					k = acquire(t, c, 0, c.Settings())
				}
			}
		})
	}
	wg.Wait()
}

// The loop and the nodes end while flights are under way: each is told so.
func TestFlightsAtTheEnd(t *testing.T) {
	begun, end := make(chan struct{}, 8), make(chan struct{})
	n := routertest.Start(t, func(q *routertest.Query) {
		if q.SQL == "SELECT 0" {
			q.OK(wire.OK{})
			return
		}
		begun <- struct{}{}
		<-end
		q.OK(wire.OK{})
	})
	defer close(end)
	var pilots []*pilot
	t.Run("cluster", func(t *testing.T) {
		c, l := overLoop(t, backend.Config{}, n)
		for i := range 4 {
			k := acquire(t, c, 0, c.Settings())
			exec(t, k, "SELECT 0")
			p := newPilot()
			if i%2 == 1 {
				p.full = func(*pilot) bool { return true }
			}
			if !launch(l, k, "SELECT forever", "", p) {
				t.Fatal("declined")
			}
			<-begun
			pilots = append(pilots, p)
		}
	})
	for _, p := range pilots {
		select {
		case f := <-p.landed:
			if f.err == nil || f.again {
				t.Errorf("%v, again %v", f.err, f.again)
			}
		default: // the loop ended first: nobody is there to be told
		}
	}
}
