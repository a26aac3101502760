package netloop

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
)

// relayer takes numbers of four bytes from a socket: on the loop and on goroutines in turns, so that bytes arrive at every point of a move.
type relayer struct {
	t    *testing.T
	c    *Conn
	left []byte // not yet a whole number
	next uint32
	end  chan error
}

// Ready reads once, and lends the socket to a goroutine when that made a number whole.
func (r *relayer) Ready() {
	var b [10]byte
	n, err := r.c.TryRead(b[:])
	switch {
	case errors.Is(err, ErrAgain):
		return
	case err != nil:
		r.c.ToGoroutine()
		r.end <- err
		return
	}
	if !r.take(b[:n]) {
		if r.c.Readable() {
			r.c.Again()
		}
		return
	}
	r.c.ToGoroutine()
	r.c.Loop().Woke()
	go r.held()
}

// held reads on a goroutine, waiting every second time, and gives the socket back.
func (r *relayer) held() {
	if r.next%2 == 0 {
		var b [3]byte
		n, err := r.c.Read(b[:])
		if err != nil {
			r.end <- err
			return
		}
		r.take(b[:n])
	}
	r.c.ToLoop()
}

func (r *relayer) take(b []byte) (whole bool) {
	r.left = append(r.left, b...)
	for len(r.left) >= 4 {
		if got := binary.BigEndian.Uint32(r.left); got != r.next {
			r.t.Errorf("number %d in place of %d", got, r.next)
		}
		r.next++
		r.left = r.left[4:]
		whole = true
	}
	return whole
}

func TestSocketMovesWhileBytesArrive(t *testing.T) {
	l := running(t)
	const socketsN, numbers = 8, 3000
	var wg sync.WaitGroup
	for range socketsN {
		r := &relayer{t: t, end: make(chan error, 1)}
		c, far := adopted(t, l, r)
		r.c = c
		wg.Go(func() {
			var b []byte
			for i := range uint32(numbers) {
				b = binary.BigEndian.AppendUint32(b, i)
				if size := 1 + int(i%7); i%5 == 0 { // cut anywhere
					if _, err := far.Write(b[:min(size, len(b))]); err != nil {
						t.Error(err)
						return
					}
					b = b[min(size, len(b)):]
				}
			}
			_, err := far.Write(b)
			if err := errors.Join(err, far.CloseWrite()); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			c.ToLoop()
			if err := soon(t, r.end); !errors.Is(err, io.EOF) {
				t.Error(err)
			}
			if r.next != numbers {
				t.Errorf("%d numbers of %d came", r.next, numbers)
			}
		})
	}
	wg.Wait()
}

// A peer that hangs up in the middle of moves is always noticed, whoever holds the socket.
func TestHangUpWhileSocketMoves(t *testing.T) {
	l := running(t)
	for i := range 100 {
		r := &relayer{t: t, end: make(chan error, 1)}
		c, far := adopted(t, l, r)
		r.c = c
		c.ToLoop()
		for n := range uint32(i % 10) {
			write(t, far, string(binary.BigEndian.AppendUint32(nil, n)))
		}
		if i%2 == 0 {
			if err := far.SetLinger(0); err != nil { // a reset
				t.Fatal(err)
			}
		}
		closed(t, far)
		if err := soon(t, r.end); err == nil {
			t.Error("the end was not noticed")
		}
	}
}

// What came before a socket was given to the loop is seen, and so is the end that came with the last bytes.
func TestWhatCameBeforeIsSeen(t *testing.T) {
	l := running(t)
	h := &handlerFunc{}
	c, far := adopted(t, l, h)
	got, ends := make(chan string, 10), make(chan error, 1)
	h.ready = func() {
		var b [100]byte
		for {
			n, err := c.TryRead(b[:])
			if errors.Is(err, ErrAgain) {
				return
			}
			if err != nil {
				c.ToGoroutine()
				ends <- err
				return
			}
			got <- string(b[:n])
			if n < len(b) && !c.Readable() {
				return
			}
		}
	}
	write(t, far, "early")
	if err := c.WaitReadable(); err != nil { // the edge came while a goroutine held the socket
		t.Fatal(err)
	}
	c.ToLoop()
	if s := soon(t, got); s != "early" {
		t.Error(s)
	}
	write(t, far, "late")
	if err := far.Close(); err != nil {
		t.Fatal(err)
	}
	if s := soon(t, got); s != "late" {
		t.Error(s)
	}
	if err := soon(t, ends); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// A handler hears when a socket that was full has room again, and of a Close by somebody else.
func TestHandlerHearsOfRoomAndOfClose(t *testing.T) {
	l := running(t)
	h := &handlerFunc{}
	near, far := sockets(t)
	if err := near.SetWriteBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	c, err := l.Adopt(near, h)
	if err != nil {
		t.Fatal(err)
	}
	left := bytes.Repeat([]byte("w"), 4<<20)
	full, sent, gone := make(chan struct{}, 1), make(chan struct{}), make(chan error, 1)
	h.ready = func() {
		for len(left) > 0 {
			n, err := c.TryWrite(left)
			left = left[n:]
			if errors.Is(err, ErrAgain) {
				signal(full)
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			if len(left) == 0 {
				close(sent)
				return
			}
		}
		if _, err := c.TryRead(make([]byte, 1)); !errors.Is(err, ErrAgain) {
			c.ToGoroutine()
			gone <- err
		}
	}
	c.ToLoop()
	l.Post(c)
	soon(t, full)
	if n, err := io.CopyN(io.Discard, far, 4<<20); err != nil || n != 4<<20 {
		t.Errorf("%d %v", n, err)
	}
	soon(t, sent)
	closed(t, c)
	if err := soon(t, gone); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}
