package sqlfront_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// command gives a command as packets.
func command(cmd wire.Command, body string) []byte {
	packets, _ := wire.AppendPacket(nil, 0, append([]byte{byte(cmd)}, body...))
	return packets
}

func TestLoopAnswersInAllWays(t *testing.T) {
	r, f := onLoops(t, 2, nil)
	for _, caps := range []wire.Capability{usual, usual &^ wire.ClientDeprecateEOF} {
		p := peer(t, r, "app", "secret", caps)
		for range 3 {
			same(t, text(t, p, "now one"), "one")
			same(t, text(t, p, "user"), "app/")
			if err := p.Query("hold"); err != nil {
				t.Fatal(err)
			}
			f.next(t).finish("later")
			same(t, values(t, p, wire.Text), "later")
			if err := p.Query("hold"); err != nil {
				t.Fatal(err)
			}
			f.next(t).fail(&wire.ServerError{Number: 1213, State: "40001", Message: "deadlock"})
			_, err := p.RecvResult()
			refused(t, err, 1213, "40001")
			if err := p.Query("hold"); err != nil {
				t.Fatal(err)
			}
			l := f.next(t)
			l.do(func(reply *sqlfront.Reply) { l.s.leave(); reply.Repeat() })
			same(t, values(t, p, wire.Text), "on a goroutine")
			for _, ended := range []error{nil, &wire.ServerError{Number: 1205, State: "HY000", Message: "lock wait"}} {
				if err := p.Query("hold"); err != nil {
					t.Fatal(err)
				}
				l := f.next(t)
				l.do(func(reply *sqlfront.Reply) {
					reply.Block(func() error {
						defer l.s.leave()
						if ended != nil {
							return ended
						}
						return l.s.rows(reply, []string{"from a goroutine"})
					})
				})
				if ended == nil {
					same(t, values(t, p, wire.Text), "from a goroutine")
					continue
				}
				_, err := p.RecvResult()
				refused(t, err, 1205, "HY000")
			}
		}
	}
}

// A command that ends without an answer, or with an error behind one, is told as from Query.
func TestLoopCommandsThatEndBadly(t *testing.T) {
	r, f := onLoops(t, 1, nil)
	p := peer(t, r, "app", "secret", usual)
	if err := p.Query("hold"); err != nil {
		t.Fatal(err)
	}
	f.next(t).fail(nil)
	_, err := p.RecvResult()
	refused(t, err, 1105, "HY000")
	same(t, text(t, p, "now on"), "on")
	if err := p.Query("hold"); err != nil {
		t.Fatal(err)
	}
	l := f.next(t)
	l.do(func(reply *sqlfront.Reply) {
		err := l.s.rows(reply, []string{"a"})
		l.s.leave()
		reply.Finish(errors.Join(err, errScripted))
	})
	same(t, values(t, p, wire.Text), "a") // what would follow is not known: the connection ends
	if err := p.RecvEnd(); err != nil {
		t.Error(err)
	}
	for _, how := range []string{"in LaunchQuery", "later", "in Block"} {
		p, other := peer(t, r, "app", "secret", usual), peer(t, r, "app", "secret", usual)
		switch how {
		case "in LaunchQuery":
			if err := p.Query("boom"); err != nil {
				t.Fatal(err)
			}
		default:
			if err := p.Query("hold"); err != nil {
				t.Fatal(err)
			}
			l := f.next(t)
			l.do(func(reply *sqlfront.Reply) {
				l.s.leave()
				if how == "later" {
					reply.Recovered("as scripted")
					return
				}
				reply.Block(func() error { panic("as scripted") })
			})
		}
		_, err := p.RecvResult()
		refused(t, err, 1105, "HY000")
		if err := p.RecvEnd(); err != nil {
			t.Error(how, err)
		}
		same(t, text(t, other, "now lives"), "lives")
	}
}

// Commands that come together, in any pieces, are answered one by one and in order.
func TestLoopPipelinesAndPieces(t *testing.T) {
	r, f := onLoops(t, 1, nil)
	var b []byte
	var want []string
	for i := range 20 {
		for _, verb := range []string{"now", "show", "hold"} {
			b = append(b, command(wire.ComQuery, fmt.Sprintf("%s %d", verb, i))...)
		}
		want = append(want, "", "1", "")
	}
	for _, step := range []int{len(b), 1, 5, 37, 1000} {
		p := peer(t, r, "app", "secret", usual)
		stop := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			for {
				select {
				case l := <-f.held:
					l.finish("on the loop")
				case <-stop:
					return
				}
			}
		})
		wg.Go(func() {
			for at := 0; at < len(b); at += step {
				if err := p.SendRaw(b[at:min(at+step, len(b))]); err != nil {
					t.Error(err)
					return
				}
			}
		})
		for i, w := range want {
			p.In.Seq = 1
			got := values(t, p, wire.Text)
			switch {
			case len(got) != 1, w != "" && got[0] != w:
				t.Fatalf("step %d, answer %d: %q", step, i, got)
			case i%3 == 0 && got[0] != fmt.Sprint(i/3) && got[0] != "on a goroutine", i%3 == 2 && !strings.HasPrefix(got[0], "on "):
				t.Fatalf("step %d, answer %d: %q", step, i, got)
			}
		}
		close(stop)
		wg.Wait()
	}
}

// What a client sends ahead of an answer waits for it.
func TestLoopCommandsSentAhead(t *testing.T) {
	r, f := onLoops(t, 1, nil)
	p := peer(t, r, "app", "secret", usual)
	for range 20 {
		if err := p.SendRaw(command(wire.ComQuery, "hold 1")); err != nil {
			t.Fatal(err)
		}
		l := f.next(t)
		if err := p.SendRaw(append(command(wire.ComQuery, "hold 2"), command(wire.ComPing, "")...)); err != nil {
			t.Fatal(err)
		}
		l.do(func(*sqlfront.Reply) {}) // the loop has had a turn
		select {
		case <-f.held:
			t.Fatal("a command began before the one ahead of it ended")
		default:
		}
		l.finish("1")
		p.In.Seq = 1
		same(t, values(t, p, wire.Text), "1")
		p.In.Seq = 1
		same(t, values(t, p, wire.Text), "on a goroutine")
		p.In.Seq = 1
		if _, err := p.RecvOK(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLoopLargeCommands(t *testing.T) {
	r, _ := onLoops(t, 1, nil)
	p := peer(t, r, "app", "secret", usual)
	for _, size := range []int{
		netChunk - 6, netChunk - 5, netChunk - 4, netChunk, netChunk + 1, 200 << 10, wire.MaxPayload - 2, wire.MaxPayload - 1, 17 << 20,
	} {
		sql := "len " + strings.Repeat("x", size-4)
		same(t, text(t, p, sql), fmt.Sprint(size))
		same(t, text(t, p, "now small"), "small")
	}
}

const netChunk = 64 << 10

func TestLoopMalformedCommands(t *testing.T) {
	r, f := onLoops(t, 1, func(c *sqlfront.Config) { c.MaxPacket = 1 << 20 })
	p := peer(t, r, "app", "secret", usual)
	if err := p.SendRaw([]byte{0, 0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	p.In.Seq = 1
	se, err := p.RecvErr()
	if err != nil {
		t.Fatal(err)
	}
	refused(t, se, 1047, "08S01")
	same(t, text(t, p, "now on"), "on")
	for what, b := range map[string][]byte{
		"wrong number":            {5, 0, 0, 3, byte(wire.ComQuery), 'n', 'o', 'w', ' '},
		"wrong number, in pieces": {50, 0, 0, 1, byte(wire.ComQuery)},
		"too large":               {0, 0, 32, 0, byte(wire.ComQuery)},
		"wrong number, behind":    append(command(wire.ComQuery, "now 1"), 1, 0, 0, 9, 14),
	} {
		p := peer(t, r, "app", "secret", usual)
		if err := p.SendRaw(b); err != nil {
			t.Fatal(err)
		}
		payload, err := p.Conn.Read(make([]byte, 64<<10))
		if err != nil || payload == 0 {
			t.Errorf("%s: no answer: %v", what, err)
		}
		if err := p.RecvEnd(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	// While a command runs.
	p = peer(t, r, "app", "secret", usual)
	if err := p.Query("hold"); err != nil {
		t.Fatal(err)
	}
	l := f.next(t)
	if err := p.SendRaw([]byte{1, 0, 0, 7, 14}); err != nil {
		t.Fatal(err)
	}
	l.finish("fine")
	same(t, values(t, p, wire.Text), "fine")
	if err := p.RecvEnd(); err != nil {
		t.Error(err)
	}
}

func TestLoopSessionCommands(t *testing.T) {
	r, _ := onLoops(t, 2, nil)
	p := peer(t, r, "app", "secret", usual)
	for range 3 {
		same(t, text(t, p, "now a"), "a")
		m := wire.ChangeUser{User: "new", DB: "shop", Collation: wire.CollationUTF8MB4, Plugin: "caching_sha2_password"}
		p.In.Seq = 0
		if err := p.Send(m.Append(nil, p.Client.Capabilities())); err != nil {
			t.Fatal(err)
		}
		if err := finishChange(p, "secret"); err != nil {
			t.Fatal(err)
		}
		same(t, text(t, p, "user"), "new/shop")
		same(t, text(t, p, "now b"), "b")
		for _, cmd := range []wire.Command{wire.ComPing, wire.ComResetConnection} {
			if err := p.Command(cmd); err != nil {
				t.Fatal(err)
			}
			if _, err := p.RecvOK(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := p.SendRaw(append(command(wire.ComQuery, "now last"), command(wire.ComQuit, "")...)); err != nil {
		t.Fatal(err)
	}
	p.In.Seq = 1
	if got := values(t, p, wire.Text); len(got) != 1 {
		t.Error(got)
	}
	if err := p.RecvEnd(); err != nil {
		t.Error(err)
	}
	quit := peer(t, r, "app", "secret", usual)
	if err := quit.Command(wire.ComQuit); err != nil {
		t.Fatal(err)
	}
	if err := quit.RecvEnd(); err != nil {
		t.Error(err)
	}
}

func TestLoopPreparedStatements(t *testing.T) {
	r, f := onLoops(t, 1, nil)
	p := peer(t, r, "app", "secret", usual)
	prepare := func(sql string) uint32 {
		t.Helper()
		if err := p.Command(wire.ComStmtPrepare, []byte(sql)...); err != nil {
			t.Fatal(err)
		}
		payload, err := p.Recv()
		if err != nil {
			t.Fatal(err)
		}
		var head wire.StmtPrepareOK
		if err := head.Decode(payload); err != nil {
			t.Fatal(err)
		}
		for range head.Params + head.Columns {
			if _, err := p.Recv(); err != nil {
				t.Fatal(err)
			}
		}
		return head.ID
	}
	execute := func(id uint32, cursor wire.Cursor, fresh bool, params ...wire.Param) []string {
		t.Helper()
		m := wire.StmtExecute{ID: id, Cursor: cursor, Iterations: 1, NewTypes: fresh, Params: params}
		p.In.Seq = 0
		if err := p.Send(m.Append(nil)); err != nil {
			t.Fatal(err)
		}
		return values(t, p, wire.Binary)
	}
	echo := prepare("echo ?, ?")
	one := wire.Param{Type: wire.TypeLongLong, Value: []byte{1, 0, 0, 0, 0, 0, 0, 0}}
	word := wire.Param{Type: wire.TypeVarString, Value: []byte("word")}
	null := wire.Param{Type: wire.TypeVarString, Null: true}
	for range 3 {
		same(t, execute(echo, 0, true, one, word), "8:false:0100000000000000", `"word"`)
		same(t, execute(echo, 0, false, one, word), "8:false:0100000000000000", `"word"`) // the types of before
		same(t, execute(echo, 0, true, null, null), "NULL", "NULL")
		for _, piece := range []string{"long ", "data"} {
			p.In.Seq = 0
			if err := p.Send((&wire.StmtLongData{ID: echo, Param: 1, Data: []byte(piece)}).Append(nil)); err != nil {
				t.Fatal(err)
			}
		}
		same(t, execute(echo, 0, true, one, wire.Param{Type: wire.TypeVarString, Long: true}), "8:false:0100000000000000", `"long data"`)
		same(t, execute(echo, 0, true, one, word), "8:false:0100000000000000", `"word"`)
		same(t, text(t, p, "now mixed"), "mixed")
	}
	held := prepare("hold")
	p.In.Seq = 0
	if err := p.Send((&wire.StmtExecute{ID: held, Iterations: 1}).Append(nil)); err != nil {
		t.Fatal(err)
	}
	l := f.next(t)
	l.do(func(reply *sqlfront.Reply) {
		if reply.Format() != wire.Binary {
			t.Error("a prepared statement is answered as text")
		}
	})
	l.finish("binary")
	same(t, values(t, p, wire.Binary), "binary")
	p.In.Seq = 0
	if err := p.Send((&wire.StmtExecute{ID: 99, Iterations: 1}).Append(nil)); err != nil {
		t.Fatal(err)
	}
	_, err := p.RecvResult()
	refused(t, err, 1243, "HY000")
}

// stream answers with rows until the client is full, and goes on when it has room: as a session that relays does.
type stream struct {
	l        *launch
	row      []byte
	left     int
	written  int
	fullAt   []int // what was written when the client was full
	full     chan struct{}
	resuming bool
}

func (s *stream) begin(r *sqlfront.Reply) {
	if err := r.Columns([]wire.Column{{Name: "v", Charset: wire.CollationUTF8MB4, Type: wire.TypeVarString, Length: 400}}); err != nil {
		s.end(r, err)
		return
	}
	s.l.s.resume = func() {
		if s.resuming {
			s.resuming = false
			s.more(r)
		}
	}
	s.more(r)
}

func (s *stream) more(r *sqlfront.Reply) {
	for ; s.left > 0; s.left-- {
		if r.Full() {
			s.fullAt, s.resuming = append(s.fullAt, s.written), true
			select {
			case s.full <- struct{}{}:
			default:
			}
			return
		}
		if err := r.Row(s.row); err != nil {
			s.end(r, err)
			return
		}
		s.written += len(s.row)
	}
	s.end(r, r.EOF(wire.StatusAutocommit, 0))
}

func (s *stream) end(r *sqlfront.Reply, err error) {
	s.l.s.resume = nil
	s.l.s.leave()
	r.Finish(err)
}

func newStream(l *launch, rows, size int) *stream {
	return &stream{l: l, row: wire.AppendTextValue(nil, bytes.Repeat([]byte("s"), size)), left: rows, full: make(chan struct{}, 1)}
}

// await waits for ch.
func await[T any](t testing.TB, ch <-chan T) (v T) {
	t.Helper()
	late := time.NewTimer(10 * time.Second)
	defer late.Stop()
	select {
	case v = <-ch:
	case <-late.C:
		t.Fatal("it did not happen")
	}
	return v
}

// A client that does not read holds up nobody else on its loop, costs bounded memory, and gets every byte when it reads again.
func TestLoopFullClient(t *testing.T) {
	r, f := onLoops(t, 1, nil)
	slow, other := peer(t, r, "app", "secret", usual), peer(t, r, "app", "secret", usual)
	if err := slow.Conn.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil { //nolint:forcetypeassert // it is one
		t.Fatal(err)
	}
	const rows, size = 20_000, 1000
	for range 2 {
		if err := slow.Query("hold"); err != nil {
			t.Fatal(err)
		}
		l := f.next(t)
		s := newStream(l, rows, size)
		l.do(s.begin)
		await(t, s.full)
		for range 50 {
			same(t, text(t, other, "now fast"), "fast")
			same(t, text(t, other, "user"), "app/")
		}
		if err := slow.SendRaw(command(wire.ComQuery, "now ahead")); err != nil {
			t.Fatal(err)
		}
		res, err := slow.RecvResult()
		if err != nil || len(res.Rows) != rows {
			t.Fatalf("%d rows: %v", len(res.Rows), err)
		}
		for _, row := range res.Rows {
			if !bytes.Equal(row, s.row) {
				t.Fatal("a row came differently")
			}
		}
		l.do(func(*sqlfront.Reply) {
			if len(s.fullAt) == 0 || s.fullAt[0] > rows*size/2 {
				t.Errorf("the client was full at %v", s.fullAt)
			}
		})
		slow.In.Seq = 1
		same(t, values(t, slow, wire.Text), "ahead")
	}
	// What is left unsent goes out before what a goroutine adds.
	if err := slow.Query("hold"); err != nil {
		t.Fatal(err)
	}
	l := f.next(t)
	l.do(func(reply *sqlfront.Reply) {
		s := newStream(l, rows, size)
		if err := reply.Columns([]wire.Column{{Name: "v", Type: wire.TypeVarString}}); err != nil {
			t.Error(err)
		}
		n := 0
		for ; !reply.Full() && n < rows; n++ {
			if err := reply.Row(s.row); err != nil {
				t.Error(err)
			}
		}
		reply.Block(func() error {
			defer l.s.leave()
			for ; n < rows; n++ {
				if err := reply.Row(s.row); err != nil {
					return err
				}
			}
			return reply.EOF(wire.StatusAutocommit, 0)
		})
	})
	res, err := slow.RecvResult()
	if err != nil || len(res.Rows) != rows {
		t.Fatalf("%d rows: %v", len(res.Rows), err)
	}
	same(t, text(t, slow, "now after"), "after")
}
