package sqlfront_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"ballast/sqlfront"
	"ballast/sqlfront/auth"
	"ballast/sqlfront/wire"
	"ballast/sqlfront/wiretest"
)

// situation is where a client on a loop is when its connection ends. bring leads it there; release, which may be nil, lets what runs come to
// its end: it is called once the connection's end has been noticed.
type situation struct {
	name  string
	bring func(t *testing.T, f *launching, p *wiretest.Peer) (cancelled context.Context, release func())
}

// situations are all of them.
var situations = []situation{
	{"idle", func(*testing.T, *launching, *wiretest.Peer) (context.Context, func()) { return nil, nil }},
	{"half a header sent", func(t *testing.T, _ *launching, p *wiretest.Peer) (context.Context, func()) {
		if err := p.SendRaw([]byte{9, 0}); err != nil {
			t.Fatal(err)
		}
		return nil, nil
	}},
	{"half a command sent", func(t *testing.T, _ *launching, p *wiretest.Peer) (context.Context, func()) {
		if err := p.SendRaw(append([]byte{255, 255, 1, 0, byte(wire.ComQuery)}, make([]byte, 50_000)...)); err != nil {
			t.Fatal(err)
		}
		return nil, nil
	}},
	{"launched", func(t *testing.T, f *launching, p *wiretest.Peer) (context.Context, func()) {
		if err := p.Query("hold"); err != nil {
			t.Fatal(err)
		}
		l := f.next(t)
		return l.ctx, func() { l.fail(l.ctx.Err()) }
	}},
	{"launched, with more sent ahead", func(t *testing.T, f *launching, p *wiretest.Peer) (context.Context, func()) {
		if err := p.Query("hold"); err != nil {
			t.Fatal(err)
		}
		l := f.next(t)
		if err := p.SendRaw(command(wire.ComQuery, "now x")); err != nil {
			t.Fatal(err)
		}
		return l.ctx, func() { l.fail(l.ctx.Err()) }
	}},
	{"carried on by a goroutine", func(t *testing.T, f *launching, p *wiretest.Peer) (context.Context, func()) {
		if err := p.Query("hold"); err != nil {
			t.Fatal(err)
		}
		l := f.next(t)
		l.do(func(r *sqlfront.Reply) {
			r.Block(func() error {
				defer l.s.leave()
				<-l.ctx.Done()
				return l.ctx.Err()
			})
		})
		return l.ctx, nil
	}},
	{"declined", func(t *testing.T, f *launching, p *wiretest.Peer) (context.Context, func()) {
		if err := p.Query("hang"); err != nil {
			t.Fatal(err)
		}
		await(t, f.began)
		return nil, nil
	}},
}

// fullClient is the situation of a client that does not read.
var fullClient = situation{"full", func(t *testing.T, f *launching, p *wiretest.Peer) (context.Context, func()) {
	if err := p.Query("hold"); err != nil {
		t.Fatal(err)
	}
	l := f.next(t)
	s := newStream(l, 100_000, 1000)
	l.do(s.begin)
	await(t, s.full)
	return l.ctx, nil // ends by itself when the connection is cut
}}

// ends checks that a client's session is closed.
func ends(t *testing.T, r *running, ctx context.Context, release func()) {
	t.Helper()
	if ctx != nil {
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Fatal("the command was not cancelled")
		}
	}
	if release != nil {
		release()
	}
	eventually(t, func() bool { return r.openSessions() == 0 })
}

func TestLoopClientGoesAway(t *testing.T) {
	r, f := onLoops(t, 2, nil)
	for _, s := range append([]situation{fullClient}, situations...) {
		for _, how := range []string{"close", "reset"} {
			t.Run(s.name+", "+how, func(t *testing.T) {
				p := peer(t, r, "app", "secret", usual)
				ctx, release := s.bring(t, f, p)
				if how == "reset" {
					if err := p.Conn.(*net.TCPConn).SetLinger(0); err != nil { //nolint:forcetypeassert // it is one
						t.Fatal(err)
					}
				}
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
				ends(t, r, ctx, release)
			})
		}
	}
}

func TestLoopClientIsKilled(t *testing.T) {
	r, f := onLoops(t, 2, nil)
	for _, s := range append([]situation{fullClient}, situations...) {
		t.Run(s.name, func(t *testing.T) {
			p := peer(t, r, "app", "secret", usual)
			ctx, release := s.bring(t, f, p)
			if err := f.Kill(t.Context(), sqlfront.Client{}, p.Client.Greeting().ConnectionID, true); err != nil {
				t.Fatal(err)
			}
			if ctx != nil {
				eventually(t, func() bool { return ctx.Err() != nil })
				var se interface{ MySQL() (uint16, string) }
				if cause := context.Cause(ctx); !errors.As(cause, &se) {
					t.Errorf("cause %v", cause)
				}
			}
			ends(t, r, ctx, release)
			if err := p.RecvEnd(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A command that ends because its client was killed says so before the connection closes.
func TestLoopKilledCommandSaysSo(t *testing.T) {
	r, f := onLoops(t, 1, nil)
	p := peer(t, r, "app", "secret", usual)
	if err := p.Query("hold"); err != nil {
		t.Fatal(err)
	}
	l := f.next(t)
	if err := f.Kill(t.Context(), sqlfront.Client{}, p.Client.Greeting().ConnectionID, true); err != nil {
		t.Fatal(err)
	}
	await(t, l.ctx.Done())
	l.fail(l.ctx.Err())
	_, err := p.RecvResult()
	refused(t, err, 1317, "70100")
	if err := p.RecvEnd(); err != nil {
		t.Error(err)
	}
}

func TestLoopIdleTimeout(t *testing.T) {
	r, f := onLoops(t, 1, func(c *sqlfront.Config) { c.IdleTimeout = 100 * time.Millisecond })
	busy, idle := peer(t, r, "app", "secret", usual), peer(t, r, "app", "secret", usual)
	if err := busy.Query("hold"); err != nil {
		t.Fatal(err)
	}
	l := f.next(t)
	idle.In.Seq = 0
	se, err := idle.RecvErr()
	if err != nil {
		t.Fatal(err)
	}
	refused(t, se, 4031, "HY000")
	if err := idle.RecvEnd(); err != nil {
		t.Error(err)
	}
	l.finish("a command that runs is not idle") // it ran for longer than the idle one was let be
	same(t, values(t, busy, wire.Text), "a command that runs is not idle")
	busy.In.Seq = 0
	if se, err = busy.RecvErr(); err != nil {
		t.Fatal(err)
	}
	refused(t, se, 4031, "HY000")
}

func TestLoopWriteTimeout(t *testing.T) {
	r, f := onLoops(t, 1, func(c *sqlfront.Config) { c.WriteTimeout = 300 * time.Millisecond })
	p := peer(t, r, "app", "secret", usual)
	ctx, _ := fullClient.bring(t, f, p)
	ends(t, r, ctx, nil)
	// One that reads slowly, but does read, is none of its victims.
	p = peer(t, r, "app", "secret", usual)
	if err := p.Query("hold"); err != nil {
		t.Fatal(err)
	}
	l := f.next(t)
	s := newStream(l, 8000, 1000)
	l.do(s.begin)
	if res, err := p.RecvResult(); err != nil || len(res.Rows) != 8000 {
		t.Errorf("%d rows: %v", len(res.Rows), err)
	}
}

func TestLoopDrain(t *testing.T) {
	for _, s := range append([]situation{fullClient}, situations...) {
		t.Run(s.name, func(t *testing.T) {
			r, f := onLoops(t, 2, func(c *sqlfront.Config) { c.DrainTimeout = 200 * time.Millisecond })
			p := peer(t, r, "app", "secret", usual)
			ctx, release := s.bring(t, f, p)
			r.stop()
			ends(t, r, ctx, release)
			if s.name == "idle" {
				p.In.Seq = 0
				se, err := p.RecvErr()
				if err != nil {
					t.Fatal(err)
				}
				refused(t, se, 1053, "08S01")
			}
			if err := p.RecvEnd(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Commands and transactions under way may end while the server drains; the client is told then.
func TestLoopDrainLetsCommandsEnd(t *testing.T) {
	r, f := onLoops(t, 1, func(c *sqlfront.Config) { c.DrainTimeout = 10 * time.Second })
	p, inTrans := peer(t, r, "app", "secret", usual), peer(t, r, "app", "secret", usual)
	if err := inTrans.Query("begin"); err != nil {
		t.Fatal(err)
	}
	if _, err := inTrans.RecvOK(); err != nil {
		t.Fatal(err)
	}
	if err := p.Query("hold"); err != nil {
		t.Fatal(err)
	}
	l := f.next(t)
	idle := peer(t, r, "app", "secret", usual)
	r.stop()
	if err := idle.RecvEnd(); err != nil { // draining has begun
		t.Fatal(err)
	}
	l.finish("still answered")
	same(t, values(t, p, wire.Text), "still answered")
	p.In.Seq = 0
	se, err := p.RecvErr()
	if err != nil {
		t.Fatal(err)
	}
	refused(t, se, 1053, "08S01")
	same(t, text(t, inTrans, "now in a transaction"), "in a transaction")
	if err := inTrans.Query("commit"); err != nil {
		t.Fatal(err)
	}
	if _, err := inTrans.RecvOK(); err != nil {
		t.Fatal(err)
	}
	if err := inTrans.RecvEnd(); err != nil {
		t.Error(err)
	}
}

// Many clients come and go, are killed and vanish at any moment: sessions and sockets all end.
func TestLoopChurn(t *testing.T) {
	r, f := onLoops(t, 2, nil)
	stop := make(chan struct{})
	var helpers, clients sync.WaitGroup
	for range 2 {
		helpers.Go(func() { // carries launched commands on in any way
			for n := 0; ; n++ {
				var l *launch
				select {
				case l = <-f.held:
				case <-stop:
					return
				}
				switch n % 4 {
				case 0:
					l.finish("a", "b")
				case 1:
					l.do(func(r *sqlfront.Reply) { l.s.leave(); r.Repeat() })
				case 2:
					l.do(func(r *sqlfront.Reply) {
						r.Block(func() error {
							defer l.s.leave()
							return l.s.rows(r, []string{"c"})
						})
					})
				case 3:
					l.do(newStream(l, 200, 1000).begin)
				}
			}
		})
	}
	for i := range 8 {
		rnd := rand.New(rand.NewPCG(1, uint64(i)))
		clients.Go(func() {
			for range 25 {
				p, err := wiretest.Dial(r.addr)
				if err != nil {
					t.Error(err)
					return
				}
				if err := p.Login(auth.ClientConfig{User: "root", Capabilities: usual}, nil); err != nil {
					t.Error(err)
					return
				}
				visit(t, f, p, rnd)
				if err := p.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
					t.Error(err)
				}
			}
		})
	}
	clients.Wait()
	eventually(t, func() bool { return r.openSessions() == 0 })
	close(stop)
	helpers.Wait()
}

// visit runs a few commands and leaves in one way or another.
func visit(t *testing.T, f *launching, p *wiretest.Peer, rnd *rand.Rand) {
	for n := range rnd.IntN(10) {
		sql := []string{"now 1", "hold", "show", "relay 50", "hold", "big 100000"}[rnd.IntN(6)]
		if err := p.Query(sql); err != nil {
			t.Error(err)
			return
		}
		if _, err := p.RecvResult(); err != nil {
			t.Errorf("command %d, %s: %v", n, sql, err)
			return
		}
	}
	var err error
	switch rnd.IntN(5) {
	case 0:
		err = p.Command(wire.ComQuit)
	case 1: // goes with a command under way
		err = p.Query("hold")
	case 2: // is killed with one under way
		err = errors.Join(p.Query("hold"), f.Kill(t.Context(), sqlfront.Client{}, p.Client.Greeting().ConnectionID, true))
	case 3: // resets
		err = errors.Join(p.Query("now 1"), p.Conn.(*net.TCPConn).SetLinger(0)) //nolint:forcetypeassert // it is one
	case 4: // half a command
		err = p.SendRaw(command(wire.ComQuery, fmt.Sprint("now ", rnd.Int()))[:6])
	}
	if err != nil {
		t.Error(err)
	}
}
