package netloop

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"
)

// patience bounds what must happen soon.
const patience = 20 * time.Second

// running gives a loop that runs until the test ends.
func running(t testing.TB) *Loop {
	t.Helper()
	l, err := New()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("loop: %v", err)
		}
	})
	return l
}

// sockets gives two ends of a TCP connection; far is closed when the test ends, near is for whoever adopts it.
func sockets(t testing.TB) (near, far *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
	}()
	a, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	near, far = a.(*net.TCPConn), b.(*net.TCPConn) //nolint:forcetypeassert // both are
	t.Cleanup(func() {
		if err := far.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	if err := far.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return near, far
}

// adopted gives a socket of l with its peer.
func adopted(t testing.TB, l *Loop, h Handler) (*Conn, *net.TCPConn) {
	t.Helper()
	near, far := sockets(t)
	c, err := l.Adopt(near, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, c) })
	return c, far
}

// closed closes c, which may be closed already.
func closed(t testing.TB, c net.Conn) {
	t.Helper()
	if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// handlerFunc is a handler that is set after its socket was adopted, before that is given to the loop.
type handlerFunc struct{ ready func() }

func (h *handlerFunc) Ready() { h.ready() }

// taskFunc is a task.
type taskFunc func()

func (f taskFunc) RunOnLoop() { f() }

// onLoop runs f on the loop and waits for it.
func onLoop(t testing.TB, l *Loop, f func()) {
	t.Helper()
	done := make(chan struct{})
	l.Post(taskFunc(func() { f(); close(done) }))
	soon(t, done)
}

// soon waits for ch.
func soon[T any](t testing.TB, ch <-chan T) (v T) {
	t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case v = <-ch:
	case <-late.C:
		t.Fatal("it did not happen")
	}
	return v
}

// waits returns once a goroutine is parked on a side of a socket, or about to be.
func waits(t testing.TB, s *side) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !s.waiting.Load(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("nobody waits")
		}
	}
}

// write sends b from the far end.
func write(t testing.TB, c net.Conn, b string) {
	t.Helper()
	if _, err := c.Write([]byte(b)); err != nil {
		t.Fatal(err)
	}
}
