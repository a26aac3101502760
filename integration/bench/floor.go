//go:build linux

package main

import (
	"fmt"
	"io"
	"net/netip"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pass is how many bytes a turn of floorEnd.pump reads at a time, and turns how many such turns one connection gets before the others
// have theirs.
const (
	pass  = 128 << 10
	turns = 8
)

// floorLoop is a relay as cheap as Go makes it: one thread that waits on one epoll instance, edge-triggered, and calls the kernel
// without telling Go's scheduler.
type floorLoop struct {
	ep    int
	ends  []*floorEnd // by descriptor
	again []*floorEnd // had their turns and may have more to read
	buf   [pass]byte
}

// floorEnd is one socket of a pair, or a listening one.
type floorEnd struct {
	fd       int
	target   *unix.SockaddrInet4 // of a listening socket: where its clients are connected to
	peer     *floorEnd
	pending  []byte // for this socket, which took no more; while there is any, the peer is not read
	readable bool   // the kernel may have bytes
	ended    bool   // no more bytes come from this socket once it is empty
	last     bool   // close the pair when pending is written
	queued   bool   // in floorLoop.again
}

// floor relays bytes between clients and servers, one address for each server. It prints the addresses and serves until the process is ended.
func floor(targets []string, stdout io.Writer) error {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	f := &floorLoop{ep: ep}
	for _, target := range targets {
		port, err := f.listen(target)
		if err != nil {
			return fmt.Errorf("listen: %w", err)
		}
		fmt.Fprintf(stdout, "127.0.0.1:%d\n", port)
	}
	return f.run()
}

// listen makes a listening socket whose clients are connected to a target.
func (f *floorLoop) listen(target string) (port int, err error) {
	to, err := netip.ParseAddrPort(target)
	if err != nil {
		return 0, err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	if err := unix.Listen(fd, 4096); err != nil {
		return 0, err
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	in, ok := at.(*unix.SockaddrInet4)
	if !ok {
		return 0, fmt.Errorf("listening at %v", at)
	}
	end := &floorEnd{fd: fd, target: &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}}
	return in.Port, f.add(end, unix.EPOLLIN)
}

// add puts a socket under watch.
func (f *floorLoop) add(end *floorEnd, interest uint32) error {
	for len(f.ends) <= end.fd {
		f.ends = append(f.ends, nil)
	}
	f.ends[end.fd] = end
	return unix.EpollCtl(f.ep, unix.EPOLL_CTL_ADD, end.fd, &unix.EpollEvent{Events: interest, Fd: int32(end.fd)})
}

func (f *floorLoop) run() error {
	var events [256]unix.EpollEvent
	for {
		wait := -1
		if len(f.again) > 0 {
			wait = 0
		}
		n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(f.ep), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), uintptr(wait), 0, 0)
		if errno != 0 && errno != unix.EINTR {
			return errno
		}
		if errno != 0 {
			n = 0
		}
		again := f.again
		f.again = nil
		for _, e := range events[:n] {
			if end := f.ends[e.Fd]; end == nil {
				continue // closed since
			} else if end.target == nil {
				f.event(end, e.Events)
			} else if err := f.accept(end); err != nil {
				return err
			}
		}
		for _, end := range again {
			if end.queued = false; f.ends[end.fd] == end {
				f.pump(end)
			}
		}
	}
}

// accept takes one client and connects it; the connection need not be there yet.
func (f *floorLoop) accept(listener *floorEnd) error {
	client, _, err := unix.Accept4(listener.fd, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	if err != nil {
		if err == unix.EAGAIN || err == unix.ECONNABORTED || err == unix.EINTR {
			return nil
		}
		return fmt.Errorf("accept: %w", err)
	}
	server, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if err := unix.Connect(server, listener.target); err != nil && err != unix.EINPROGRESS {
		return fmt.Errorf("connect: %w", err)
	}
	a, b := &floorEnd{fd: client}, &floorEnd{fd: server}
	a.peer, b.peer = b, a
	for _, end := range []*floorEnd{a, b} {
		if err := unix.SetsockoptInt(end.fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			return err
		}
		const interest = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET
		if err := f.add(end, interest); err != nil {
			return err
		}
	}
	return nil
}

func (f *floorLoop) event(end *floorEnd, events uint32) {
	if len(end.pending) > 0 && events&(unix.EPOLLOUT|unix.EPOLLERR|unix.EPOLLHUP) != 0 {
		f.send(end, end.pending)
		if f.ends[end.fd] != end {
			return
		}
		if len(end.pending) == 0 && end.peer.readable {
			f.pump(end.peer)
		}
	}
	if events&^unix.EPOLLOUT != 0 && f.ends[end.fd] == end {
		end.readable = true
		end.ended = end.ended || events&^(unix.EPOLLIN|unix.EPOLLOUT) != 0
		f.pump(end)
	}
}

// pump passes on what a socket has, until it is empty, the peer takes no more or others want their turn.
func (f *floorLoop) pump(end *floorEnd) {
	for range turns {
		if len(end.peer.pending) > 0 {
			return // goes on when the peer can be written
		}
		n, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(end.fd), uintptr(unsafe.Pointer(&f.buf[0])), pass, 0, 0, 0)
		switch {
		case errno == unix.EAGAIN:
			end.readable = false
			return
		case errno == unix.EINTR:
			continue
		case errno != 0 || n == 0:
			f.close(end)
			return
		}
		f.send(end.peer, f.buf[:n])
		if f.ends[end.fd] != end {
			return
		}
		if n < pass && !end.ended { // a short read emptied it, and more bytes make another edge
			end.readable = false
			return
		}
	}
	if !end.queued {
		end.queued = true
		f.again = append(f.again, end)
	}
}

// send writes bytes and keeps what the socket does not take.
func (f *floorLoop) send(end *floorEnd, b []byte) {
	for {
		n, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(end.fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), unix.MSG_NOSIGNAL, 0, 0)
		switch {
		case errno == unix.EINTR:
			continue
		case errno == unix.EAGAIN: // the edge comes when there is room, or when it is connected
			end.pending = append(end.pending[:0], b...)
		case errno != 0:
			end.pending = nil // nobody is left to read it
			f.close(end.peer)
		case int(n) < len(b):
			end.pending = append(end.pending[:0], b[n:]...)
		default:
			if end.pending = end.pending[:0]; end.last {
				f.close(end.peer)
			}
		}
		return
	}
}

// close ends a pair whose one end says no more; what the other end is owed is written first.
func (f *floorLoop) close(end *floorEnd) {
	if len(end.peer.pending) > 0 && !end.peer.last {
		end.peer.last = true
		return
	}
	for _, e := range []*floorEnd{end, end.peer} {
		f.ends[e.fd] = nil
		quiet(unix.Close(e.fd))
	}
}
