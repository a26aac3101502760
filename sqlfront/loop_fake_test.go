package sqlfront_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/sqlfront"
	"ballast/sqlfront/netloop"
	"ballast/sqlfront/wire"
)

// launching is a Frontend whose sessions begin some commands on their loop: "now …" is answered there at once, "hold …" when the test says
// how, "boom" panics; all others are declined.
type launching struct {
	*fake
	loops []*netloop.Loop
	held  chan *launch
}

func (f *launching) Open(ctx context.Context, c sqlfront.Client) (sqlfront.Session, error) {
	s, err := f.fake.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	return &launcher{fakeSession: s.(*fakeSession), front: f}, nil //nolint:forcetypeassert // the fake's
}

// launcher is a session; it counts itself in and out, since its calls must never overlap.
type launcher struct {
	*fakeSession
	front  *launching
	inside atomic.Int32
	resume func() // the loop's own
}

func (s *launcher) enter() {
	if s.inside.Add(1) != 1 {
		panic("calls of a session overlap")
	}
}

func (s *launcher) leave() { s.inside.Add(-1) }

func (s *launcher) Query(ctx context.Context, sql []byte, r *sqlfront.Reply) error {
	s.enter()
	defer s.leave()
	switch verb, _, _ := strings.Cut(string(sql), " "); verb {
	case "now", "hold":
		return s.rows(r, []string{"on a goroutine"})
	}
	return s.fakeSession.Query(ctx, sql, r)
}

func (s *launcher) Close() {
	s.enter()
	s.fakeSession.Close()
}

func (s *launcher) Resume() {
	if s.resume != nil {
		s.resume()
	}
}

func (s *launcher) LaunchQuery(ctx context.Context, packet []byte, r *sqlfront.Reply) bool {
	return s.launch(ctx, string(packet[wire.HeaderSize+1:]), r)
}

func (s *launcher) launch(ctx context.Context, sql string, r *sqlfront.Reply) bool {
	verb, rest, _ := strings.Cut(sql, " ")
	switch verb {
	case "now":
		s.enter()
		err := s.rows(r, []string{rest})
		s.leave()
		r.Finish(err)
	case "hold":
		s.enter()
		s.front.held <- &launch{s: s, loop: s.front.loops[s.client.Loop], ctx: ctx, r: r, sql: sql}
	case "boom":
		panic("as asked for")
	default:
		return false
	}
	return true
}

func (s *launcher) Prepare(ctx context.Context, sql []byte) (sqlfront.Prepared, error) {
	p, err := s.fakeSession.Prepare(ctx, sql)
	if err != nil {
		return nil, err
	}
	return &launchedPrepared{p.(*fakePrepared), s}, nil //nolint:forcetypeassert // the fake's
}

// launchedPrepared launches what its text says; "echo" it answers at once.
type launchedPrepared struct {
	*fakePrepared
	s *launcher
}

func (p *launchedPrepared) Launch(ctx context.Context, args []wire.Param, r *sqlfront.Reply) bool {
	if !strings.HasPrefix(p.sql, "echo") {
		return p.s.launch(ctx, p.sql, r)
	}
	p.s.enter()
	err := p.Execute(ctx, args, r)
	p.s.leave()
	r.Finish(err)
	return true
}

// launch is a command that was launched and waits for the test.
type launch struct {
	s    *launcher
	loop *netloop.Loop
	ctx  context.Context //nolint:containedctx // the command's
	r    *sqlfront.Reply
	sql  string
}

// task runs on a loop.
type task func()

func (f task) RunOnLoop() { f() }

// do runs f on the launch's loop and waits for it.
func (l *launch) do(f func(r *sqlfront.Reply)) {
	done := make(chan struct{})
	l.loop.Post(task(func() { f(l.r); close(done) }))
	<-done
}

// finish answers with a row and ends the command.
func (l *launch) finish(values ...string) {
	l.do(func(r *sqlfront.Reply) {
		err := l.s.rows(r, values)
		l.s.leave()
		r.Finish(err)
	})
}

func (l *launch) fail(err error) {
	l.do(func(r *sqlfront.Reply) {
		l.s.leave()
		r.Finish(err)
	})
}

// onLoops runs a server with loops until the test ends; nothing may be left then.
func onLoops(t testing.TB, n int, change func(*sqlfront.Config)) (*running, *launching) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &launching{fake: newFake(), held: make(chan *launch, 64)}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range n {
		l, err := netloop.New()
		if err != nil {
			t.Fatal(err)
		}
		f.loops = append(f.loops, l)
		wg.Go(func() {
			if err := l.Run(ctx); err != nil {
				t.Errorf("loop: %v", err)
			}
		})
	}
	cfg := sqlfront.Default()
	cfg.Listeners, cfg.Loops = []net.Listener{ln}, f.loops
	cfg.Logger = slog.New(slog.DiscardHandler)
	cfg.DrainTimeout = 2 * time.Second
	if change != nil {
		change(&cfg)
	}
	server, err := sqlfront.New(cfg, f)
	if err != nil {
		t.Fatal(err)
	}
	serving, stop := context.WithCancel(context.Background())
	r := &running{fake: f.fake, server: server, addr: ln.Addr().String(), stop: stop, done: make(chan error, 1)}
	go func() { r.done <- server.Run(serving) }()
	t.Cleanup(func() {
		stop()
		if err := <-r.done; err != nil {
			t.Errorf("server: %v", err)
		}
		if n := f.openSessions(); n != 0 {
			t.Errorf("%d sessions were not closed", n)
		}
		for _, l := range f.loops {
			if n := l.Stats().Conns; n != 0 {
				t.Errorf("%d sockets are left on a loop", n)
			}
		}
		cancel()
		wg.Wait()
	})
	return r, f
}

// next gives the command that was launched and is held.
func (f *launching) next(t testing.TB) *launch {
	t.Helper()
	late := time.NewTimer(10 * time.Second)
	defer late.Stop()
	select {
	case l := <-f.held:
		return l
	case <-late.C:
		t.Fatal("nothing was launched")
		return nil
	}
}

// cancelled waits until the command's ctx has ended.
func (l *launch) cancelled(t testing.TB) error {
	t.Helper()
	late := time.NewTimer(10 * time.Second)
	defer late.Stop()
	select {
	case <-l.ctx.Done():
	case <-late.C:
		t.Fatal("the command was not cancelled")
	}
	return context.Cause(l.ctx)
}

var errScripted = errors.New("as scripted")
