package netloop

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ErrAgain says that a socket has nothing to read, or no room to write, now.
var ErrAgain = errors.New("the socket is not ready")

// Handler is called by a loop for one of its sockets.
type Handler interface {
	// Ready is called when the socket may have become readable or writable, or was closed by its peer; now and then it is called without need.
	// It reads until TryRead says ErrAgain or less than was asked for, or calls Again.
	Ready()
}

// Conn is a socket of a loop. While it is on the loop only the loop's goroutine may use it; while a goroutine holds it, Read and Write are
// for that goroutine. Close, Shutdown, deadlines, Gone and Quiet are for everybody.
type Conn struct {
	loop          *Loop
	fd            int
	slot          uint32
	handler       Handler
	local, remote net.Addr
	refs          atomic.Int64 // calls under way on fd; closing is added by Close
	known         atomic.Uint32
	onLoop        atomic.Bool
	queued        bool // Again was called; the loop's own
	in, out       side
}

// What is known of a socket, in Conn.known.
const (
	readable uint32 = 1 << iota
	writable
	hungUp // the peer has closed its end, or the connection broke
)

// closing is added to refs by Close; the last call on fd closes it.
const closing = 1 << 32

// Adopt takes over an open TCP or Unix socket and registers it with the loop, held by the calling goroutine until ToLoop. The given
// connection is of no more use, whatever the outcome; nobody may be reading from it. handler may be nil for a socket that will only ever be
// held by goroutines.
func (l *Loop) Adopt(from net.Conn, handler Handler) (*Conn, error) {
	sc, ok := from.(syscall.Conn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("%T is no socket", from), from.Close())
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	fd := -1
	if cerr := raw.Control(func(old uintptr) { fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) }); cerr != nil {
		err = cerr
	}
	c := &Conn{loop: l, fd: fd, handler: handler, local: from.LocalAddr(), remote: from.RemoteAddr()}
	if cerr := from.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = l.register(c)
	}
	if err != nil {
		if fd >= 0 {
			err = errors.Join(err, unix.Close(fd))
		}
		return nil, fmt.Errorf("hand a socket to a loop: %w", err)
	}
	return c, nil
}

// Loop is the loop that the socket belongs to.
func (c *Conn) Loop() *Loop { return c.loop }

// OnLoop tells whether the socket is on the loop now.
func (c *Conn) OnLoop() bool { return c.onLoop.Load() }

// ToLoop gives a socket that a goroutine held to its loop. The goroutine must not touch what the handler uses any more: the handler may run at once.
func (c *Conn) ToLoop() {
	c.onLoop.Store(true)
	if c.known.Load()&(readable|hungUp) != 0 {
		c.loop.Post(c)
	}
}

// RunOnLoop has the handler look at the socket; see Loop.Post.
func (c *Conn) RunOnLoop() {
	c.letGo()
	c.handle()
}

// ToGoroutine takes the socket off its loop; only its handler, or a task on the same loop, may call it. Some goroutine holds it afterwards.
func (c *Conn) ToGoroutine() {
	c.onLoop.Store(false)
	c.letGo()
}

// Again has the handler called in the loop's next turn. Only the handler, or a task on the same loop, may call it.
func (c *Conn) Again() {
	if !c.queued {
		c.queued = true
		c.loop.again = append(c.loop.again, c)
	}
}

// Woke says that a goroutine was made runnable by a handler or task: the loop lets it run before it waits.
func (l *Loop) Woke() { l.woke = true }

// event takes note of what the kernel says.
func (c *Conn) event(events uint32) {
	var now uint32
	if events&(unix.EPOLLIN|unix.EPOLLPRI) != 0 {
		now |= readable
	}
	if events&unix.EPOLLOUT != 0 {
		now |= writable
	}
	if events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
		now |= hungUp | readable | writable
	}
	if c.onLoop.Load() {
		if now &^= writable; now&^c.known.Load() != 0 { // handlers find out by writing
			c.known.Or(now)
		}
		c.handle()
		return
	}
	c.known.Or(now)
	if c.onLoop.Load() { // since it was looked at
		c.handle()
		return
	}
	if now&readable != 0 && c.in.signal() {
		c.loop.woke = true
	}
	if now&writable != 0 && c.out.signal() {
		c.loop.woke = true
	}
}

func (c *Conn) handle() {
	if c.onLoop.Load() && c.handler != nil {
		c.handler.Ready()
	}
}

// use and unuse stand around every system call on fd, so that it is never closed, and its number never reused, in between. The loop needs
// neither for a socket that is on it: such a socket's descriptor is closed by the loop itself (see letGo), which looks whether the
// socket was closed before it calls the kernel.
func (c *Conn) use() bool {
	if c.refs.Add(1) < closing {
		return true
	}
	c.unuse()
	return false
}

func (c *Conn) unuse() {
	if c.refs.Add(-1) == closing {
		c.closed()
	}
}

// closed has the descriptor of a closed socket that nobody uses any more closed: by the loop, if the socket is on it. A socket that gets there
// later is known to be closed by then.
func (c *Conn) closed() {
	if !c.onLoop.Load() || !c.loop.post(c) {
		c.release()
	}
}

// letGo closes the descriptor of a closed socket, on the loop.
func (c *Conn) letGo() {
	if c.refs.Load() == closing {
		c.release()
	}
}

// release closes the descriptor; the count of calls has made sure that nobody uses it, and that this happens once.
func (c *Conn) release() {
	if c.refs.CompareAndSwap(closing, 2*closing) {
		unix.Close(c.fd) //nolint:errcheck // a socket that is given up
	}
}

// Readable tells whether a read may find something.
func (c *Conn) Readable() bool { return c.known.Load()&(readable|hungUp) != 0 }

// TryRead reads what is there: ErrAgain when that is nothing, io.EOF at the end of the stream.
func (c *Conn) TryRead(b []byte) (int, error) {
	n, errno, ok := c.call(syscall.SYS_RECVFROM, b, readable)
	switch {
	case !ok:
		return 0, net.ErrClosed
	case n > 0:
		if n == len(b) {
			c.known.Or(readable)
		}
		return n, nil
	case errno == syscall.EAGAIN:
		return 0, ErrAgain
	case errno == syscall.EINTR:
		return c.TryRead(b)
	case errno != 0:
		return 0, errno
	case len(b) == 0:
		return 0, nil
	}
	c.known.Or(hungUp)
	return 0, io.EOF
}

// TryWrite writes what there is room for; when that is not all of it, the error is ErrAgain.
func (c *Conn) TryWrite(b []byte) (int, error) {
	n, errno, ok := c.call(syscall.SYS_SENDTO, b, writable)
	switch {
	case !ok:
		return 0, net.ErrClosed
	case n == len(b):
		return n, nil
	case errno == syscall.EINTR:
		return c.TryWrite(b)
	case errno != 0 && errno != syscall.EAGAIN:
		return n, errno
	}
	return n, ErrAgain
}

// call does a system call on fd. What is known, by bit, of what it will find holds no more: what comes from now on makes a new edge. ok is
// false for a closed socket.
func (c *Conn) call(number uintptr, b []byte, bit uint32) (n int, errno syscall.Errno, ok bool) {
	if c.known.Load()&bit != 0 {
		c.known.And(^bit)
	}
	if !c.onLoop.Load() {
		if !c.use() {
			return 0, 0, false
		}
		n, errno = rawIO(number, c.fd, b)
		c.unuse()
		return n, errno, true
	}
	if c.refs.Load() >= closing {
		return 0, 0, false
	}
	if bit == readable {
		c.loop.counts.Reads++
	} else {
		c.loop.counts.Writes++
	}
	n, errno = rawIO(number, c.fd, b)
	return n, errno, true
}

// rawIO receives from or sends to a socket, without waiting; recv and send take a shorter way through the kernel than read and write. The
// scheduler is not told: it would prepare for a long wait.
func rawIO(call uintptr, fd int, b []byte) (int, syscall.Errno) {
	const flags = syscall.MSG_DONTWAIT | syscall.MSG_NOSIGNAL
	n, _, errno := syscall.RawSyscall6(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), flags, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// Gone tells whether the peer has closed its end.
func (c *Conn) Gone() bool { return c.known.Load()&hungUp != 0 }

// Quiet tells whether the stream is open and has nothing to read.
func (c *Conn) Quiet() bool {
	if c.Gone() || !c.use() {
		return false
	}
	defer c.unuse()
	var b [1]byte
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RECVFROM, uintptr(c.fd), uintptr(unsafe.Pointer(&b)), 1, syscall.MSG_PEEK|syscall.MSG_DONTWAIT, 0, 0)
	return errno == syscall.EAGAIN
}

// Shutdown makes every read and write on the socket end at once.
func (c *Conn) Shutdown() {
	if c.use() {
		unix.Shutdown(c.fd, unix.SHUT_RDWR) //nolint:errcheck // not connected any more: nothing to cut
		c.unuse()
	}
}

// CloseWrite says to the peer that nothing more will come.
func (c *Conn) CloseWrite() error {
	if !c.use() {
		return net.ErrClosed
	}
	defer c.unuse()
	return unix.Shutdown(c.fd, unix.SHUT_WR)
}
