//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socket is a connection of a task: a net.Conn as far as clients and TLS use one, whose reads and writes let other tasks run.
type socket struct {
	net.Conn // none: what is not defined below is not used
	t        *task
	fd       int
	readable bool
	writable bool
	ended    bool // the peer sends no more, or the connection is broken
	closed   bool
}

// dial connects to host:port.
func (t *task) dial(addr string) (*socket, error) {
	to, err := netip.ParseAddrPort(addr)
	if err != nil {
		return nil, err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	s := &socket{t: t, fd: fd}
	if err := s.connect(to); err != nil {
		quiet(s.Close())
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	return s, nil
}

func (s *socket) connect(to netip.AddrPort) error {
	l := s.t.l
	for len(l.byFD) <= s.fd {
		l.byFD = append(l.byFD, nil)
	}
	l.byFD[s.fd] = s
	if err := unix.SetsockoptInt(s.fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return err
	}
	if err := unix.Connect(s.fd, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}); err != nil && !errors.Is(err, unix.EINPROGRESS) {
		return err
	}
	const interest = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET
	if err := unix.EpollCtl(l.ep, unix.EPOLL_CTL_ADD, s.fd, &unix.EpollEvent{Events: interest, Fd: int32(s.fd)}); err != nil {
		return err
	}
	for !s.writable {
		if err := s.t.wait(); err != nil {
			return err
		}
	}
	failed, err := unix.GetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && failed != 0 {
		err = syscall.Errno(failed)
	}
	return err
}

// event takes note of what the kernel says.
func (s *socket) event(events uint32) {
	if events&^unix.EPOLLOUT != 0 {
		s.readable = true
	}
	if events&^unix.EPOLLIN != 0 {
		s.writable = true
	}
	s.ended = s.ended || events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0
}

func (s *socket) Read(b []byte) (int, error) {
	for {
		for !s.readable {
			if err := s.t.wait(); err != nil {
				return 0, err
			}
		}
		n, _, errno := syscall.RawSyscall(unix.SYS_READ, uintptr(s.fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		switch {
		case errno == unix.EAGAIN:
			s.readable = false
		case errno == unix.EINTR:
		case errno != 0:
			return 0, errno
		case n == 0:
			return 0, io.EOF
		default:
			s.readable = s.ended || int(n) == len(b)
			return int(n), nil
		}
	}
}

func (s *socket) Write(b []byte) (int, error) {
	for done := 0; done < len(b); {
		for !s.writable {
			if err := s.t.wait(); err != nil {
				return done, err
			}
		}
		n, _, errno := syscall.RawSyscall(unix.SYS_WRITE, uintptr(s.fd), uintptr(unsafe.Pointer(&b[done])), uintptr(len(b)-done))
		switch {
		case errno == unix.EAGAIN:
			s.writable = false
		case errno == unix.EINTR:
		case errno != 0:
			return done, errno
		default:
			done += int(n)
		}
	}
	return len(b), nil
}

func (s *socket) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.fd < len(s.t.l.byFD) {
		s.t.l.byFD[s.fd] = nil
	}
	return unix.Close(s.fd)
}

// The deadlines that TLS sets for its farewell are not needed: nothing here waits for it.

func (s *socket) SetDeadline(time.Time) error      { return nil }
func (s *socket) SetReadDeadline(time.Time) error  { return nil }
func (s *socket) SetWriteDeadline(time.Time) error { return nil }
