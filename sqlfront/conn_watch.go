package sqlfront

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"ballast/sqlfront/netloop"
)

// kick is why a connection is made to end from outside.
type kick int32

const (
	kickNone kick = iota
	kickIdle
	kickHandshake
	kickShutdown
	kickDisconnect
	kickGone
	kickWrite
)

var kickReasons = [...]string{"", "idle", "handshake_timeout", "shutdown", "killed", "client_gone", "write_timeout"}

// errGone is the cause that a statement's ctx is cancelled with when its client has vanished.
var errGone = errors.New("the client is gone")

// past makes a read that waits return.
var past = time.Unix(1, 0)

// kick wakes a connection that waits for its client, so that it ends. Any goroutine may call it; the first reason counts.
func (c *conn) kick(k kick) {
	if !c.kicked.CompareAndSwap(int32(kickNone), int32(k)) {
		return
	}
	if lc := c.looped.Load(); lc != nil {
		c.kickLooped(lc)
		return
	}
	if err := c.sock.SetReadDeadline(past); err != nil {
		if lc := c.looped.Load(); lc != nil { // a loop has taken it over meanwhile
			c.kickLooped(lc)
			return
		}
		c.cancel(err) // closed already
	}
}

// kickLooped is kick for a socket of a loop: held by a goroutine that reads, the read ends; on the loop, the loop looks at it.
func (c *conn) kickLooped(lc *netloop.Conn) {
	if err := lc.SetReadDeadline(past); err != nil {
		c.cancel(err) // closed already
	}
	lc.Loop().Post(lc)
}

// hangUp cuts the connection even while it writes or runs a statement.
func (c *conn) hangUp(k kick, cause error) {
	c.kick(k)
	c.cancel(cause)
	c.cut()
}

// cut makes every read and write on the socket end at once.
func (c *conn) cut() {
	if lc := c.looped.Load(); lc != nil {
		lc.Shutdown()
		return
	}
	if c.raw == nil {
		return
	}
	if err := c.raw.Control(func(fd uintptr) {
		if err := unix.Shutdown(int(fd), unix.SHUT_RDWR); err != nil {
			c.looked.Store(true) // not connected any more: nothing to cut
		}
	}); err != nil {
		if lc := c.looped.Load(); lc != nil { // a loop has taken it over meanwhile
			lc.Shutdown()
			return
		}
		c.cancel(err) // closed already
	}
}

// disconnect is Client.Disconnect. A statement that runs may still answer that it was interrupted; the watch cuts what lasts longer.
func (c *conn) disconnect() {
	c.cancel(failKilled.New())
	c.kick(kickDisconnect)
}

// watched is one look of the watch at this connection.
func (c *conn) watched(now int64) {
	age := time.Duration(now - c.since.Load())
	if w := c.writing.Load(); w != 0 && time.Duration(now-w) > c.srv.cfg.WriteTimeout {
		c.hangUp(kickWrite, errGone)
		return
	}
	if kick(c.kicked.Load()) == kickDisconnect {
		if c.doomed {
			c.cut()
		}
		c.doomed = true
		return
	}
	switch phase(c.phase.Load()) {
	case phaseHandshake:
		if age > c.srv.cfg.HandshakeTimeout {
			c.kick(kickHandshake)
		}
	case phaseIdle:
		if age > time.Duration(c.idleLimit.Load()) {
			c.kick(kickIdle)
		} else if age > 0 && !c.looked.Swap(true) && c.gone() {
			c.kick(kickGone)
		}
	case phaseRunning:
		if age > 0 && c.gone() {
			c.hangUp(kickGone, errGone)
		}
	case phaseOver:
	}
}

// gone tells whether the client has closed its end. It does not read: what a client sent ahead stays where it is.
func (c *conn) gone() bool {
	if lc := c.looped.Load(); lc != nil {
		return lc.Gone()
	}
	if c.raw == nil {
		return false
	}
	gone := false
	err := c.raw.Control(func(fd uintptr) {
		fds := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		n, err := unix.Poll(fds[:], 0)
		gone = err == nil && n > 0 && fds[0].Revents&(unix.POLLRDHUP|unix.POLLHUP|unix.POLLERR) != 0
	})
	return err == nil && gone
}

// farewell tells a client that is made to leave why, where there is a packet for it. It is unasked for, so it has sequence number 0.
func (c *conn) farewell() {
	var err error
	switch kick(c.kicked.Load()) {
	case kickIdle:
		err = failIdle.New()
	case kickShutdown:
		err = failShutdown.New()
	case kickHandshake:
		err = failHandshakeTimeout.New()
	default:
		return
	}
	if c.reason != kickReasons[c.kicked.Load()] {
		return
	}
	c.reply.begin(0, 0)
	if !c.opened {
		c.reply.seq = c.in.Seq
	}
	if derr := c.base().SetWriteDeadline(time.Now().Add(time.Second)); derr != nil {
		return
	}
	c.reply.buf = c.reply.buf[:0]
	c.answerLast(err)
}
