package netloop

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

// flood is more than a socket takes while nobody reads.
var flood = make([]byte, 16<<20)

// A goroutine that holds a socket writes and reads megabytes through a socket too small for them.
func TestHeldSocketCarriesAnyAmount(t *testing.T) {
	l := running(t)
	near, far := sockets(t)
	if err := near.SetWriteBuffer(16 << 10); err != nil {
		t.Fatal(err)
	}
	c, err := l.Adopt(near, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, c)
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	sent := make([]byte, 3<<20)
	src := rand.NewChaCha8([32]byte{1})
	if _, err := src.Read(sent); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { // the far end gives everything back
		if _, err := io.Copy(far, far); err != nil {
			t.Error(err)
		}
		if err := far.CloseWrite(); err != nil {
			t.Error(err)
		}
	})
	wg.Go(func() {
		if n, err := c.Write(sent); n != len(sent) || err != nil {
			t.Errorf("wrote %d: %v", n, err)
		}
		if err := c.CloseWrite(); err != nil {
			t.Error(err)
		}
	})
	got, err := io.ReadAll(c)
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d bytes came back, equal: %v, %v", len(got), bytes.Equal(got, sent), err)
	}
	wg.Wait()
}

func TestDeadlines(t *testing.T) {
	l := running(t)
	c, far := adopted(t, l, nil)
	read := func() <-chan error {
		out := make(chan error, 1)
		go func() {
			_, err := c.Read(make([]byte, 10))
			out <- err
		}()
		waits(t, &c.in)
		return out
	}
	set := func(f func(time.Time) error, at time.Time) {
		t.Helper()
		if err := f(at); err != nil {
			t.Fatal(err)
		}
	}
	never := read()
	set(c.SetReadDeadline, time.Now().Add(20*time.Millisecond)) // moved while it waits without one
	if err := soon(t, never); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	var ne net.Error
	if err := c.WaitReadable(); !errors.As(err, &ne) || !ne.Timeout() {
		t.Error(err)
	}
	set(c.SetReadDeadline, time.Now().Add(time.Hour))
	far2 := read()
	set(c.SetReadDeadline, time.Unix(1, 0)) // brought forward
	if err := soon(t, far2); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	set(c.SetReadDeadline, time.Now().Add(50*time.Millisecond))
	later := read()
	set(c.SetReadDeadline, time.Time{}) // taken away
	write(t, far, "x")
	if err := soon(t, later); err != nil {
		t.Error(err)
	}
	// A full socket: the write's deadline, while reads go on.
	set(c.SetWriteDeadline, time.Now().Add(20*time.Millisecond))
	if n, err := c.Write(flood); n == 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("wrote %d: %v", n, err)
	}
	write(t, far, "y")
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Error(err)
	}
	closed(t, c)
	if err := c.SetDeadline(time.Time{}); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

func TestCloseEndsWaits(t *testing.T) {
	l := running(t)
	for range 20 {
		c, _ := adopted(t, l, nil)
		ends := make(chan error, 2)
		go func() {
			_, err := c.Read(make([]byte, 1))
			ends <- err
		}()
		go func() {
			_, err := c.Write(flood)
			ends <- err
		}()
		waits(t, &c.in)
		waits(t, &c.out)
		closed(t, c)
		for range 2 {
			if err := soon(t, ends); !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
		}
		if c.Close() == nil || c.CloseWrite() == nil || c.Quiet() {
			t.Error("a closed socket goes on")
		}
		if _, err := c.TryRead(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
		if _, err := c.TryWrite(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	}
}

func TestShutdownEndsWaits(t *testing.T) {
	l := running(t)
	c, _ := adopted(t, l, nil)
	ends := make(chan error, 2)
	go func() {
		_, err := c.Read(make([]byte, 1))
		ends <- err
	}()
	go func() {
		_, err := c.Write(flood)
		ends <- err
	}()
	waits(t, &c.in)
	waits(t, &c.out)
	c.Shutdown()
	for range 2 {
		if err := soon(t, ends); err == nil || errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	}
	c.Shutdown()
}

// A peer that has closed its end may still read.
func TestHalfClosedPeer(t *testing.T) {
	l := running(t)
	c, far := adopted(t, l, nil)
	if !c.Quiet() || c.Gone() {
		t.Error("an open socket with nothing in it is not quiet")
	}
	write(t, far, "last words")
	if err := far.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); err != nil || string(got) != "last words" {
		t.Errorf("%q %v", got, err)
	}
	if !c.Gone() || c.Quiet() || !c.Readable() {
		t.Error("the end of the stream was not noticed")
	}
	answer := bytes.Repeat([]byte("a"), 8<<20)
	done := make(chan []byte, 1)
	go func() {
		got, err := io.ReadAll(far)
		if err != nil {
			t.Error(err)
		}
		done <- got
	}()
	if err := c.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(answer); err != nil {
		t.Error(err)
	}
	closed(t, c)
	if got := soon(t, done); !bytes.Equal(got, answer) {
		t.Errorf("%d bytes", len(got))
	}
}

// Sockets are closed under running calls while new ones take over their numbers: no byte may ever go astray.
func TestNumbersAreNotReusedUnderACall(t *testing.T) {
	l := running(t)
	var wg sync.WaitGroup
	for stamp := range byte(4) {
		wg.Go(func() {
			for range 50 {
				near, far := sockets(t)
				c, err := l.Adopt(near, nil)
				if err != nil {
					t.Error(err)
					return
				}
				mine := bytes.Repeat([]byte{stamp}, 100)
				write(t, far, string(mine))
				var users sync.WaitGroup
				begun := make(chan struct{}, 3)
				users.Go(func() {
					var b [64]byte
					for n, err := 0, error(nil); err == nil || errors.Is(err, ErrAgain); n, err = c.TryRead(b[:]) {
						if len(bytes.Trim(b[:n], string(mine[:1]))) > 0 {
							t.Errorf("socket of %d read %v", stamp, b[:n])
						}
						signal(begun)
						runtime.Gosched()
					}
				})
				users.Go(func() {
					for err := error(nil); err == nil || errors.Is(err, ErrAgain); _, err = c.TryWrite(mine) {
						signal(begun)
						runtime.Gosched()
					}
				})
				users.Go(func() {
					for range 100 {
						c.Quiet()
					}
				})
				soon(t, begun)
				go c.Shutdown()
				closed(t, c)
				got, err := io.ReadAll(far)
				if len(bytes.Trim(got, string(mine[:1]))) > 0 {
					t.Errorf("the peer of %d read foreign bytes (%v)", stamp, err)
				}
				users.Wait()
				closed(t, far)
			}
		})
	}
	wg.Wait()
}

func signal(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
