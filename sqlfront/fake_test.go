package sqlfront_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/sqlfront"
	"ballast/sqlfront/auth"
	"ballast/sqlfront/wire"
)

// fake is a Frontend in memory: a handful of statements that show what a test wants to see.
type fake struct {
	accounts map[string]auth.Verifier
	nextID   atomic.Uint32

	mu       sync.Mutex
	clients  map[uint32]sqlfront.Client
	sessions int
	closed   int
	ended    chan error    // why a "hang" statement ended
	began    chan struct{} // a "hang" statement began
}

func newFake() *fake {
	return &fake{
		accounts: map[string]auth.Verifier{
			"root": {}, "app": auth.NewVerifier("secret"), "old": {Native: auth.NewVerifier("secret").Native},
			"new": {CachingSHA2: auth.NewVerifier("secret").CachingSHA2},
		},
		clients: map[uint32]sqlfront.Client{}, ended: make(chan error, 8), began: make(chan struct{}, 8),
	}
}

func (f *fake) Account(user string, _ net.Addr) (sqlfront.Account, bool) {
	v, ok := f.accounts[user]
	return sqlfront.Account{Native: v.Native, CachingSHA2: v.CachingSHA2}, ok
}

func (f *fake) Open(_ context.Context, c sqlfront.Client) (sqlfront.Session, error) {
	if c.DB == "nowhere" {
		return nil, &wire.ServerError{Number: 1049, State: "42000", Message: "Unknown database 'nowhere'"}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clients[c.ID] = c
	f.sessions++
	return &fakeSession{f: f, client: c, db: c.DB}, nil
}

func (f *fake) ServerVersion() string { return "9.7.4-ballast" }
func (f *fake) ConnectionID() uint32  { return f.nextID.Add(1) }
func (f *fake) Statistics() string    { return "Uptime: 1" }

func (f *fake) Kill(_ context.Context, _ sqlfront.Client, id uint32, _ bool) error {
	f.mu.Lock()
	c, ok := f.clients[id]
	f.mu.Unlock()
	if !ok {
		return &wire.ServerError{Number: 1094, State: "HY000", Message: fmt.Sprintf("Unknown thread id: %d", id)}
	}
	c.Disconnect()
	return nil
}

func (f *fake) openSessions() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sessions - f.closed
}

type fakeSession struct {
	f      *fake
	client sqlfront.Client
	db     string
	trans  bool
	multi  bool
	more   bool // another result follows
	closed bool
}

func (s *fakeSession) Status() wire.Status {
	if s.trans {
		return wire.StatusAutocommit | wire.StatusInTrans
	}
	return wire.StatusAutocommit
}

func (s *fakeSession) InitDB(_ context.Context, db string) error {
	if db == "nowhere" {
		return &wire.ServerError{Number: 1049, State: "42000", Message: "Unknown database 'nowhere'"}
	}
	s.db = db
	return nil
}

func (s *fakeSession) FieldList(_ context.Context, table, _ string) ([]wire.Column, error) {
	return []wire.Column{{Table: table, Name: "id", Type: wire.TypeLongLong}, {Table: table, Name: "v", Type: wire.TypeVarString}}, nil
}

func (s *fakeSession) Reset(context.Context) error { s.trans = false; return nil }

func (s *fakeSession) ChangeUser(_ context.Context, c sqlfront.Client) error {
	s.client, s.db, s.trans = c, c.DB, false
	return nil
}

func (s *fakeSession) Ping(context.Context) error { return nil }
func (s *fakeSession) SetMultiStatements(on bool) { s.multi = on }

func (s *fakeSession) Close() {
	if s.closed {
		panic("closed twice")
	}
	s.closed = true
	s.f.mu.Lock()
	s.f.closed++
	s.f.mu.Unlock()
}

// Query runs statements separated by ';'.
func (s *fakeSession) Query(ctx context.Context, sql []byte, r *sqlfront.Reply) error {
	parts := strings.Split(string(sql), ";")
	if len(parts) > 1 && strings.TrimSpace(parts[len(parts)-1]) == "" {
		parts = parts[:len(parts)-1]
	}
	if len(parts) > 1 && !s.multi && !s.client.Capabilities.Has(wire.ClientMultiStatements) {
		return &wire.ServerError{Number: 1064, State: "42000", Message: "You have an error in your SQL syntax"}
	}
	for i, part := range parts {
		s.more = i < len(parts)-1
		r.More(s.more)
		if err := s.one(ctx, strings.TrimSpace(part), r); err != nil {
			return err
		}
	}
	return nil
}

var errPlain = errors.New("something else broke")

func (s *fakeSession) one(ctx context.Context, sql string, r *sqlfront.Reply) error {
	verb, rest, _ := strings.Cut(sql, " ")
	n, _ := strconv.Atoi(rest) //nolint:errcheck // 0 where there is no number
	switch strings.ToLower(verb) {
	case "begin":
		s.trans = true
		return r.OK(wire.OK{Status: s.Status()})
	case "commit":
		s.trans = false
		return r.OK(wire.OK{Status: s.Status()})
	case "user":
		return s.rows(r, []string{s.client.User + "/" + s.db})
	case "len": // of the statement itself
		return s.rows(r, []string{strconv.Itoa(len(sql))})
	case "big":
		return s.rows(r, []string{strings.Repeat("x", n)})
	case "rows":
		out := make([]string, n)
		for i := range out {
			out[i] = strconv.Itoa(i)
		}
		return s.rows(r, out)
	case "affected":
		return r.OK(wire.OK{Affected: uint64(n), InsertID: 7, Status: s.Status(), Info: "Rows matched: 1"})
	case "relay":
		return s.relay(r, n)
	case "hang":
		s.f.began <- struct{}{}
		<-ctx.Done()
		s.f.ended <- context.Cause(ctx)
		return ctx.Err()
	case "error":
		return &wire.ServerError{Number: uint16(n), State: "42S02", Message: "as asked for"}
	case "plain":
		return fmt.Errorf("wrapped: %w", errPlain)
	case "panic":
		panic("as asked for")
	case "fatal":
		return &sqlfront.Fatal{Err: &wire.ServerError{Number: 1317, State: "70100", Message: "bye"}}
	case "late":
		if err := s.relay(r, 2); err != nil {
			return err
		}
		return errPlain
	case "nothing":
		return nil
	case "half":
		if err := r.Columns([]wire.Column{{Name: "v", Type: wire.TypeVarString}}); err != nil {
			return err
		}
		return &wire.ServerError{Number: 1158, State: "08S01", Message: "lost in the middle"}
	case "set":
		return r.OK(wire.OK{Status: s.Status()})
	case "show", "select":
		if rest == "$$" { // the mysql client asks whether this is a string, and wants no rows
			break
		}
		return s.rows(r, []string{"1"})
	}
	return &wire.ServerError{Number: 1064, State: "42000", Message: "You have an error in your SQL syntax"}
}

func (s *fakeSession) rows(r *sqlfront.Reply, values []string) error {
	if err := r.Columns([]wire.Column{{Name: "v", Charset: wire.CollationUTF8MB4, Type: wire.TypeVarString, Length: 400}}); err != nil {
		return err
	}
	var row []byte
	for _, v := range values {
		if r.Format() == wire.Binary {
			row = wire.AppendBinaryValue(wire.BeginBinaryRow(row[:0], 1), wire.TypeVarString, []byte(v))
		} else {
			row = wire.AppendTextValue(row[:0], []byte(v))
		}
		if err := r.Row(row); err != nil {
			return err
		}
	}
	return r.EOF(s.Status(), 0)
}

// relay gives a backend's answer of n rows, whose packets begin at 1, in odd fragments.
func (s *fakeSession) relay(r *sqlfront.Reply, n int) error {
	packet := func(b []byte, seq uint8, payload []byte) ([]byte, uint8) { return wire.AppendPacket(b, seq, payload) }
	b, seq := packet(nil, 1, []byte{1})
	b, seq = packet(b, seq, (&wire.Column{Name: "v", Type: wire.TypeVarString, Charset: wire.CollationUTF8MB4}).Append(nil))
	if !r.DeprecateEOF() {
		b, seq = packet(b, seq, (&wire.EOF{Status: s.Status()}).Append(nil))
	}
	for i := range n {
		b, seq = packet(b, seq, wire.AppendTextValue(nil, []byte(strconv.Itoa(i))))
	}
	status := s.Status()
	if s.more {
		status |= wire.StatusMoreResults
	}
	if r.DeprecateEOF() {
		b, _ = packet(b, seq, (&wire.OK{Status: status}).AppendEOF(nil))
	} else {
		b, _ = packet(b, seq, (&wire.EOF{Status: status}).Append(nil))
	}
	tr := wire.Tracker{DeprecateEOF: r.DeprecateEOF(), FirstOnly: true}
	tr.Reset()
	for have, settled, step := 0, 0, 1; settled < len(b); step = step%700 + 13 {
		have = min(have+step, len(b))
		k, _, err := tr.Feed(b[settled:have])
		if err != nil {
			return err
		}
		if err := r.Relay(b[settled : settled+k]); err != nil {
			return err
		}
		settled += k
	}
	return nil
}

func (s *fakeSession) Prepare(_ context.Context, sql []byte) (sqlfront.Prepared, error) {
	if bytes.HasPrefix(sql, []byte("bad")) {
		return nil, &wire.ServerError{Number: 1064, State: "42000", Message: "You have an error in your SQL syntax"}
	}
	return &fakePrepared{s: s, sql: string(sql), params: bytes.Count(sql, []byte("?"))}, nil
}

// fakePrepared runs its text without parameters; "echo ?, ?…" answers what the parameters were.
type fakePrepared struct {
	s      *fakeSession
	sql    string
	params int
}

func (p *fakePrepared) Params() int { return p.params }

func (p *fakePrepared) Columns() []wire.Column {
	switch verb, _, _ := strings.Cut(p.sql, " "); verb {
	case "echo", "rows", "select", "half", "big":
		return []wire.Column{{Name: "v", Charset: wire.CollationUTF8MB4, Type: wire.TypeVarString, Length: 400}}
	}
	return nil
}

func (p *fakePrepared) Close() {}

func (p *fakePrepared) Execute(ctx context.Context, args []wire.Param, r *sqlfront.Reply) error {
	if !strings.HasPrefix(p.sql, "echo") {
		return p.s.one(ctx, p.sql, r)
	}
	var out []string
	for _, a := range args {
		switch {
		case a.Null:
			out = append(out, "NULL")
		case a.Type == wire.TypeVarString, a.Type == wire.TypeString, a.Type == wire.TypeBlob, a.Long:
			v := string(a.Value)
			if len(v) > 100 {
				v = fmt.Sprintf("%d bytes", len(v))
			}
			out = append(out, fmt.Sprintf("%q", v))
		default:
			out = append(out, fmt.Sprintf("%d:%v:%x", a.Type, a.Unsigned, a.Value))
		}
	}
	return p.s.rows(r, out)
}

// running is a server under test.
type running struct {
	*fake
	server *sqlfront.Server
	addr   string
	stop   context.CancelFunc
	done   chan error
}

// start runs a server until the test ends: with event loops where the environment's BALLAST_IO says loop.
func start(t testing.TB, change func(*sqlfront.Config)) *running {
	t.Helper()
	if os.Getenv("BALLAST_IO") == "loop" {
		r, _ := onLoops(t, 2, change)
		return r
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := sqlfront.Default()
	cfg.Listeners = []net.Listener{l}
	cfg.Logger = slog.New(slog.DiscardHandler)
	cfg.DrainTimeout = 2 * time.Second
	if change != nil {
		change(&cfg)
	}
	f := newFake()
	server, err := sqlfront.New(cfg, f)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{fake: f, server: server, addr: l.Addr().String(), stop: cancel, done: make(chan error, 1)}
	go func() { r.done <- server.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-r.done; err != nil {
			t.Errorf("server: %v", err)
		}
		if n := f.openSessions(); n != 0 {
			t.Errorf("%d sessions were not closed", n)
		}
	})
	return r
}
