package netloop

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// side is one direction of a socket, for the goroutine that waits for it.
type side struct {
	waiting  atomic.Bool
	mu       sync.Mutex
	wake     chan struct{} // made by the first wait
	deadline time.Time
}

// signal wakes the goroutine that waits; it tells whether there was one.
func (s *side) signal() bool {
	if !s.waiting.Load() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wake != nil {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
	return true
}

// await blocks until one of bits is known of the socket, it is closed, or it is too late. A peer that has closed its end may still read, so
// writers don't go by hungUp.
func (c *Conn) await(s *side, bits uint32) error {
	s.mu.Lock()
	if s.wake == nil {
		s.wake = make(chan struct{}, 1)
	}
	wake := s.wake
	s.mu.Unlock()
	s.waiting.Store(true)
	defer s.waiting.Store(false)
	var timer *time.Timer
	for {
		s.mu.Lock()
		deadline := s.deadline
		s.mu.Unlock()
		switch {
		case c.refs.Load() >= closing:
			return net.ErrClosed
		case !deadline.IsZero() && !time.Now().Before(deadline):
			return os.ErrDeadlineExceeded
		case c.known.Load()&bits != 0:
			return nil
		}
		if deadline.IsZero() {
			<-wake
			continue
		}
		if timer == nil {
			timer = time.NewTimer(time.Until(deadline))
			defer timer.Stop()
		} else {
			timer.Reset(time.Until(deadline))
		}
		select {
		case <-wake:
		case <-timer.C:
		}
	}
}

// WaitReadable parks the calling goroutine until a read may find something.
func (c *Conn) WaitReadable() error { return c.await(&c.in, readable|hungUp) }

// Read waits for bytes and reads them.
func (c *Conn) Read(b []byte) (int, error) {
	for {
		if err := c.await(&c.in, readable|hungUp); err != nil {
			return 0, c.named("read", err)
		}
		n, err := c.TryRead(b)
		if !errors.Is(err, ErrAgain) {
			return n, err
		}
	}
}

// Write writes all of b, waiting for room.
func (c *Conn) Write(b []byte) (int, error) {
	done := 0
	for {
		n, err := c.TryWrite(b[done:])
		done += n
		if !errors.Is(err, ErrAgain) {
			return done, err
		}
		if err := c.await(&c.out, writable); err != nil {
			return done, c.named("write", err)
		}
	}
}

func (c *Conn) named(op string, err error) error {
	return &net.OpError{Op: op, Net: c.remote.Network(), Source: c.local, Addr: c.remote, Err: err}
}

// Close closes the socket; whoever waits on it gets net.ErrClosed.
func (c *Conn) Close() error {
	for {
		refs := c.refs.Load()
		if refs >= closing {
			return net.ErrClosed
		}
		if c.refs.CompareAndSwap(refs, refs+closing) {
			break
		}
	}
	c.loop.forget(c)
	c.known.Or(hungUp)
	c.in.signal()
	c.out.signal()
	if c.onLoop.Load() && c.loop.post(c) {
		return nil // the handler finds out by its next read
	}
	if c.refs.Load() == closing {
		c.release()
	}
	return nil
}

// LocalAddr is the socket's own address.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr is its peer's.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline bounds the waits of Read and Write; the zero time takes the bound away. It has no say while the socket is on the loop.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline bounds the waits of Read.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.bound(&c.in, t) }

// SetWriteDeadline bounds the waits of Write.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.bound(&c.out, t) }

func (c *Conn) bound(s *side, t time.Time) error {
	if c.refs.Load() >= closing {
		return net.ErrClosed
	}
	s.mu.Lock()
	s.deadline = t
	s.mu.Unlock()
	s.signal()
	return nil
}
