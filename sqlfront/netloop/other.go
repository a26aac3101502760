//go:build !linux

package netloop

import (
	"context"
	"errors"
	"net"
	"time"
)

// Supported tells whether this system has loops.
const Supported = false

// Chunk is the size in bytes of a loop's shared buffer.
const Chunk = 64 << 10

// ErrAgain says that a socket has nothing to read, or no room to write, now.
var ErrAgain = errors.New("the socket is not ready")

var errUnsupported = errors.New("event loops need Linux")

// Task is work posted to a loop.
type Task interface{ RunOnLoop() }

// Handler is called by a loop for one of its sockets.
type Handler interface{ Ready() }

// Stats counts a loop's own work.
type Stats struct {
	Waits, Reads, Writes, Events, Turns uint64
	Conns                               int
}

// Loop can't be made on this system.
type Loop struct{}

// New fails on this system.
func New() (*Loop, error) { return nil, errUnsupported }

// Buffer is never called.
func (*Loop) Buffer() []byte { return nil }

// Stats is never called.
func (*Loop) Stats() Stats { return Stats{} }

// Now is never called.
func (*Loop) Now() time.Time { return time.Time{} }

// Post is never called.
func (*Loop) Post(Task) {}

// Woke is never called.
func (*Loop) Woke() {}

// Run fails.
func (*Loop) Run(context.Context) error { return errUnsupported }

// Adopt fails and closes the connection.
func (*Loop) Adopt(from net.Conn, _ Handler) (*Conn, error) {
	return nil, errors.Join(errUnsupported, from.Close())
}

// Conn can't be made on this system.
type Conn struct{ net.Conn }

// Loop is never called.
func (*Conn) Loop() *Loop { return nil }

// OnLoop is never called.
func (*Conn) OnLoop() bool { return false }

// ToLoop is never called.
func (*Conn) ToLoop() {}

// ToGoroutine is never called.
func (*Conn) ToGoroutine() {}

// RunOnLoop is never called.
func (*Conn) RunOnLoop() {}

// Again is never called.
func (*Conn) Again() {}

// Readable is never called.
func (*Conn) Readable() bool { return false }

// TryRead is never called.
func (*Conn) TryRead([]byte) (int, error) { return 0, errUnsupported }

// TryWrite is never called.
func (*Conn) TryWrite([]byte) (int, error) { return 0, errUnsupported }

// WaitReadable is never called.
func (*Conn) WaitReadable() error { return errUnsupported }

// Gone is never called.
func (*Conn) Gone() bool { return false }

// Quiet is never called.
func (*Conn) Quiet() bool { return false }

// Shutdown is never called.
func (*Conn) Shutdown() {}

// CloseWrite is never called.
func (*Conn) CloseWrite() error { return errUnsupported }
