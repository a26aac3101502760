package sqlfront

import (
	"context"
	"io"
	"syscall"
	"unsafe"
)

// read reads until the connection is over or goes on in TLS.
//
// A socket is read inside one RawConn.Read: the poller wakes the goroutine when bytes are there, and so each read finds some. With Conn.Read
// every command would cost a second read that finds none. The poller is edge-triggered: after a read that did not fill the buffer there is nothing
// more, and whatever comes later wakes the goroutine again. Only an end of stream that came together with the last bytes makes no edge of
// its own; the watch looks for it (conn_watch.go).
func (c *conn) read(ctx context.Context) (v verdict) {
	if c.raw == nil {
		return c.readTLS(ctx)
	}
	v = finish
	err := c.raw.Read(func(fd uintptr) bool {
		var again bool
		c.fd = fd
		v, again = c.pump(ctx, fd)
		c.fd = 0
		return !again
	})
	if err != nil {
		c.lost(err)
		v = finish
	}
	return v
}

// pump reads what is there and processes it; wait is true when the poller should be asked for more.
func (c *conn) pump(ctx context.Context, fd uintptr) (v verdict, wait bool) {
	for {
		space := c.space()
		n, errno := socketIO(syscall.SYS_READ, fd, space)
		switch {
		case errno == syscall.EINTR:
			continue
		case errno == syscall.EAGAIN:
			c.rest()
			return readMore, true
		case errno != 0:
			c.lost(errno)
			return finish, false
		case n == 0:
			c.lost(io.EOF)
			return finish, false
		}
		c.in.Filled(n)
		if v := c.process(ctx); v != readMore {
			return v, false
		}
		if n < len(space) {
			if c.in.Buffered() > 0 { // the rest of a command, or an end that came with this part
				c.looked.Store(false)
			}
			return readMore, true
		}
	}
}

// socketIO reads or writes a socket that never blocks. The scheduler is not told: it would prepare for a long wait, and start other threads
// when the kernel is busy.
func socketIO(call, fd uintptr, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}
