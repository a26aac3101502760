package backend

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"ballast/sqlfront/netloop"
)

// The sizes of read buffers, in bytes. The small one must hold what a wire.Tracker leaves unsettled and leave room behind it; the large
// one is for answers that fill the small one.
const (
	smallBuffer = 32 << 10
	largeBuffer = 256 << 10
)

// buffers lends read buffers: a connection holds one only while bytes of an answer are in it, so idle connections cost no memory.
type buffers struct{ small, large sync.Pool }

func newBuffers() *buffers {
	lender := func(size int) sync.Pool {
		return sync.Pool{New: func() any { b := make([]byte, size); return &b }}
	}
	return &buffers{small: lender(smallBuffer), large: lender(largeBuffer)}
}

func (p *buffers) get() *[]byte { return p.small.Get().(*[]byte) }

// grow changes a small buffer for a large one, keeping its first n bytes.
func (p *buffers) grow(b *[]byte, n int) *[]byte {
	if len(*b) >= largeBuffer {
		return b
	}
	big := p.large.Get().(*[]byte)
	copy(*big, (*b)[:n])
	p.put(b)
	return big
}

func (p *buffers) put(b *[]byte) {
	switch len(*b) {
	case smallBuffer:
		p.small.Put(b)
	case largeBuffer:
		p.large.Put(b)
	}
}

// link is the byte stream to a node. Over a plain socket a request and the first bytes of its answer cost two system calls: the write
// happens inside the runtime's wait for reading, so the read that would only find nothing yet is left out, and no buffer is held meanwhile.
type link struct {
	conn net.Conn
	raw  syscall.RawConn // nil over TLS and on a loop
	nl   *netloop.Conn   // conn, when it is a loop's; else nil
	pool *buffers

	// The exchange going on, for the callback, which is made once.
	callback func(fd uintptr) bool
	out      []byte // still to write
	wrote    int
	writing  bool
	buf      *[]byte
	n        int
	err      error
}

// open takes over a connection; a plain socket becomes one of loop, with handler, unless there is no loop. When it fails, conn is closed.
func (l *link) open(conn net.Conn, pool *buffers, loop *netloop.Loop, handler netloop.Handler) error {
	*l = link{conn: conn, pool: pool}
	if _, isTLS := conn.(*tls.Conn); loop != nil && !isTLS {
		nl, err := loop.Adopt(conn, handler)
		if err != nil {
			return err
		}
		l.conn, l.nl = nl, nl
		return nil
	}
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return err
	}
	l.raw, l.callback = raw, l.ready
	return nil
}

// exchange writes out and reads the first bytes of the answer into a lent buffer, which the caller gives back to the pool. The count of
// bytes written is in l.wrote, also when it fails. The caller must have read all of earlier answers.
func (l *link) exchange(out []byte) (buf *[]byte, n int, err error) {
	if l.nl != nil {
		return l.exchangeLooped(out)
	}
	l.out, l.wrote, l.writing = out, 0, len(out) > 0
	if l.raw == nil {
		return l.exchangeSlow()
	}
	l.buf, l.n, l.err = nil, 0, nil
	if err := l.raw.Read(l.callback); err != nil {
		return nil, 0, err
	}
	if l.err == nil && len(l.out) > 0 { // the socket's buffer was full: go on the ordinary way
		return l.exchangeSlow()
	}
	buf, n, err = l.buf, l.n, l.err
	l.buf, l.out = nil, nil
	return buf, n, err
}

// ready is called with the socket's descriptor, first at once and then whenever there is something to read; true ends the wait.
func (l *link) ready(fd uintptr) bool {
	if l.writing {
		l.writing = false
		n, err := rawIO(syscall.SYS_WRITE, fd, l.out)
		if n > 0 {
			l.wrote += n
			l.out = l.out[n:]
		}
		if err != nil && err != syscall.EAGAIN && err != syscall.EINTR {
			l.err = err
			return true
		}
		return len(l.out) > 0
	}
	if l.buf == nil {
		l.buf = l.pool.get()
	}
	n, err := rawIO(syscall.SYS_READ, fd, *l.buf)
	switch {
	case err == syscall.EAGAIN:
		l.pool.put(l.buf)
		l.buf = nil
		return false
	case err == syscall.EINTR:
		return l.ready(fd)
	case err == nil && n == 0:
		err = io.EOF
	}
	if err != nil {
		l.pool.put(l.buf)
		l.buf, n = nil, 0
	}
	l.n, l.err = n, err
	return true
}

// rawIO reads or writes a socket that never blocks. The scheduler is not told: it would prepare for a long wait, and start other threads when
// the kernel is busy.
func rawIO(call, fd uintptr, b []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

func (l *link) exchangeSlow() (*[]byte, int, error) {
	n, err := l.conn.Write(l.out)
	l.wrote += n
	l.out = nil
	if err != nil {
		return nil, 0, err
	}
	buf := l.pool.get()
	n, err = l.conn.Read(*buf)
	if n == 0 {
		if err == nil {
			err = io.ErrNoProgress
		}
		l.pool.put(buf)
		return nil, 0, err
	}
	return buf, n, nil
}

// exchangeLooped is exchange for a socket of a loop.
func (l *link) exchangeLooped(out []byte) (*[]byte, int, error) {
	l.wrote = 0
	if len(out) > 0 {
		n, err := l.nl.Write(out)
		l.wrote = n
		if err != nil {
			return nil, 0, err
		}
	}
	for {
		if err := l.nl.WaitReadable(); err != nil {
			return nil, 0, err
		}
		buf := l.pool.get()
		n, err := l.nl.TryRead(*buf)
		if err == nil {
			return buf, n, nil
		}
		l.pool.put(buf)
		if !errors.Is(err, netloop.ErrAgain) {
			return nil, 0, err
		}
	}
}

// read waits for more bytes of an answer.
func (l *link) read(b []byte) (int, error) {
	n, err := l.conn.Read(b)
	if n > 0 {
		return n, nil
	}
	return 0, err
}

// quiet tells whether the stream is open and has nothing to read: what an idle connection must be.
func (l *link) quiet() bool {
	if l.nl != nil {
		return l.nl.Quiet()
	}
	if l.raw == nil {
		return l.quietTLS()
	}
	quiet := false
	err := l.raw.Control(func(fd uintptr) {
		var b [1]byte
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		quiet = err == syscall.EAGAIN
	})
	return err == nil && quiet
}

// quietTLS looks at the socket below. TLS 1.3 may leave session tickets unread there, so bytes are no proof of death.
func (l *link) quietTLS() bool {
	inner, ok := l.conn.(interface{ NetConn() net.Conn })
	if !ok {
		return true
	}
	sc, ok := inner.NetConn().(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	open := false
	err = raw.Control(func(fd uintptr) {
		var b [1]byte
		n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		open = err == syscall.EAGAIN || err == nil && n > 0
	})
	return err == nil && open
}

// deadline bounds what follows; the zero time takes the bound away.
func (l *link) deadline(t time.Time) error { return l.conn.SetDeadline(t) }

func isTimeout(err error) bool {
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}
