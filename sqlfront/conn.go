package sqlfront

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"sync/atomic"
	"syscall"

	"ballast/rules/failure"
	"ballast/sqlfront/netloop"
	"ballast/sqlfront/wire"
)

// phase is what a connection is doing, for the watch.
type phase int32

const (
	phaseHandshake phase = iota
	phaseIdle            // waiting for a command
	phaseRunning         // a command
	phaseOver
)

// stage is which machine the next payload belongs to.
type stage uint8

const (
	stageHandshake stage = iota
	stageCommand
	stageChangeUser
)

// verdict says how reading goes on.
type verdict uint8

const (
	readMore verdict = iota
	goTLS
	goLoop // the client has logged in: an event loop reads on
	finish
)

// conn drives one client's machines from its socket: on a goroutine of its own, or on an event loop that lends it to a goroutine for what may
// block (conn_loop.go). One of them at a time owns it, except for the methods in conn_watch.go, which are for everybody.
type conn struct {
	srv  *Server
	sock net.Conn // as accepted
	out  net.Conn // sock, or TLS over it, or looped
	raw  syscall.RawConn
	fd   uintptr // of sock, while pump runs; else 0
	loop int     // the place of its loop, which its session's connections to nodes share
	ctx  context.Context
	// looped is the socket once it is a loop's; flight is what the loop does for it.
	looped atomic.Pointer[netloop.Conn]
	flight flight
	id     uint32
	host   string

	in        wire.Inbox
	reply     Reply
	stage     stage
	handshake handshake
	commands  commands
	opened    bool   // the session is open
	counted   string // the user that this connection counts for
	reason    string // why it ended, for metrics and the log
	lingers   bool   // read on for a while before closing, so that the client sees the last error

	cancel    context.CancelCauseFunc
	phase     atomic.Int32
	since     atomic.Int64 // when phase began, in nanoseconds of the server's clock
	writing   atomic.Int64 // when the write under way began; 0 when there is none
	doomed    bool         // disconnected, and seen so by the watch; the watch's own
	looked    atomic.Bool  // the watch has looked whether the client is there since phase began
	inTrans   atomic.Bool
	kicked    atomic.Int32 // a kick
	idleLimit atomic.Int64 // in nanoseconds
}

// write sends bytes to the client; it is the reply's sink. On a loop it does not wait: see writeOnLoop.
func (c *conn) write(p []byte) error {
	if lc := c.looped.Load(); lc != nil && lc.OnLoop() {
		return c.writeOnLoop(lc, p)
	}
	if c.fd != 0 {
		n, errno := socketIO(syscall.SYS_WRITE, c.fd, p)
		if n == len(p) {
			return nil
		}
		if errno == 0 { // anything else Write meets again
			p = p[n:]
		}
	}
	c.writing.Store(c.srv.clock.Load())
	_, err := c.out.Write(p)
	c.writing.Store(0)
	return err
}

// enter notes what the connection does now.
func (c *conn) enter(p phase) {
	if now := c.srv.clock.Load(); c.since.Load() != now {
		c.since.Store(now)
	}
	if c.looked.Load() {
		c.looked.Store(false)
	}
	c.phase.Store(int32(p))
}

// serve runs the connection to its end, or to the point where a loop takes it over.
func (c *conn) serve() {
	handed := false
	defer func() {
		if !handed {
			c.end()
		}
	}()
	ctx := c.ctx
	c.reply.begin(0, wire.Text)
	greeting, err := c.handshake.greet(nil)
	if err != nil {
		c.reason = "internal"
		c.srv.cfg.Logger.ErrorContext(ctx, "greeting failed", logError, err)
		return
	}
	if c.reply.payload(greeting) != nil || c.reply.Flush() != nil {
		c.reason = "client_gone"
		return
	}
	c.in.Seq = 1
	switch c.read(ctx) {
	case goTLS:
		if c.startTLS(ctx) {
			c.readTLS(ctx)
		}
	case goLoop:
		handed = c.toLoop()
	case readMore, finish:
	}
}

// readTLS reads until the connection is over, where the socket itself can't be read: inside TLS, and in tests.
func (c *conn) readTLS(ctx context.Context) verdict {
	for {
		n, err := c.out.Read(c.space())
		c.in.Filled(n)
		if n > 0 {
			if v := c.process(ctx); v != readMore {
				return v
			}
		}
		if err != nil {
			c.lost(err)
			return finish
		}
	}
}

// process runs the machines over what was received.
func (c *conn) process(ctx context.Context) verdict {
	if c.stage == stageHandshake && c.proxied() {
		return c.fail(ctx, failProxyHeader.New(c.host))
	}
	for {
		payload, ok, err := c.in.Next()
		if err != nil {
			return c.broken(ctx, err)
		}
		if !ok {
			c.rest()
			return readMore
		}
		var v verdict
		switch c.stage {
		case stageHandshake:
			v = c.greetStep(ctx, payload)
		default:
			v = c.command(ctx, payload)
		}
		if v != readMore {
			return v
		}
		if c.loops() && c.looped.Load() == nil {
			return goLoop
		}
	}
}

// command runs one command, and has its answer sent.
func (c *conn) command(ctx context.Context, payload []byte) (v verdict) {
	c.enter(phaseRunning)
	c.srv.metrics.bytesIn.Add(float64(len(payload) + wire.HeaderSize))
	c.reply.begin(c.in.Seq, wire.Text)
	return c.settle(c.guarded(ctx, payload))
}

// settle has the answer of a command sent, and waits for the next one.
func (c *conn) settle(o outcome) verdict {
	if err := c.reply.Flush(); err != nil {
		c.lost(err)
		return finish
	}
	c.srv.metrics.bytesOut.Add(float64(c.reply.written))
	c.reply.written = 0
	switch o {
	case outcomeQuit:
		c.reason = "quit"
		return finish
	case outcomeClose:
		if c.reason == "" {
			c.reason = "error"
		}
		return finish
	case outcomeNext, outcomeSilent:
	case outcomeMore:
		c.stage, c.in.Seq = stageChangeUser, c.reply.seq
		c.enter(phaseHandshake)
		return readMore
	}
	c.stage, c.in.Seq = stageCommand, 0
	inTrans := c.commands.session.Status().Has(wire.StatusInTrans)
	if c.inTrans.Load() != inTrans {
		c.inTrans.Store(inTrans)
	}
	if c.commands.idle != nil {
		c.setIdleLimit()
	}
	c.enter(phaseIdle)
	if c.srv.draining.Load() && !inTrans {
		c.kick(kickShutdown)
	}
	return readMore
}

// guarded runs a command; a panic ends this connection and no other.
func (c *conn) guarded(ctx context.Context, payload []byte) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			c.srv.cfg.Logger.ErrorContext(ctx, "a command panicked", logConnection, c.id, logError, fmt.Sprint(p), logStack, string(debug.Stack()))
			c.reason = "internal"
			o = c.commands.end(&Fatal{Err: failPanic.New()})
		}
	}()
	if c.stage == stageChangeUser {
		return c.commands.moreChange(ctx, payload)
	}
	return c.commands.run(ctx, payload)
}

// broken answers bytes that are no packets, and closes.
func (c *conn) broken(ctx context.Context, err error) verdict {
	fail := failOutOfOrder
	if errors.Is(err, wire.ErrTooLarge) {
		fail = failPacketTooLarge
	}
	if c.stage == stageHandshake {
		fail = failHandshake
	} else {
		c.reply.begin(c.in.Seq+1, wire.Text)
	}
	return c.fail(ctx, fail.Wrap(err))
}

// fail answers err and ends the connection.
func (c *conn) fail(ctx context.Context, err *failure.Error) verdict {
	c.reason = "protocol"
	c.lingers = true
	if c.stage == stageHandshake {
		c.srv.attempts.failed(c.host, c.srv.clock.Load())
		c.srv.metrics.logins.WithLabelValues("failed").Inc()
		c.srv.cfg.Logger.InfoContext(ctx, "handshake failed", logAddr, c.host, logError, err)
		c.reply.seq = c.in.Seq
	}
	if werr := c.reply.Err(err); werr != nil {
		return finish
	}
	if werr := c.reply.Flush(); werr != nil {
		c.reason = "client_gone"
	}
	return finish
}

// lost notes why reading or writing ended.
func (c *conn) lost(err error) {
	if c.reason != "" {
		return
	}
	c.reason = "client_gone"
	if errors.Is(err, errPartial) {
		c.reason = "cut_answer"
	}
	if k := kick(c.kicked.Load()); k != kickNone {
		c.reason = kickReasons[k]
	}
	var malformedTLS tls.RecordHeaderError
	if errors.As(err, &malformedTLS) {
		c.reason = "protocol"
	}
}

// rest gives buffers back that are not needed while the client is silent.
func (c *conn) rest() {
	c.reply.release()
	if c.in.Buffered() == 0 {
		c.srv.buffers.give(c.in.Release())
	}
}

// space is where to read into.
func (c *conn) space() []byte {
	if !c.in.Holds() {
		c.in.Use(c.srv.buffers.take())
	}
	return c.in.Space(min(c.in.Need(), maxReadAhead))
}

// maxReadAhead bounds how far the inbox grows before the bytes are there.
const maxReadAhead = 64 << 10

// end closes everything.
func (c *conn) end() {
	c.phase.Store(int32(phaseOver))
	c.farewell()
	if c.opened {
		c.commands.close()
	}
	c.cancel(nil)
	if c.lingers {
		c.linger()
	}
	c.rest()
	if err := c.out.Close(); err != nil && !errors.Is(err, net.ErrClosed) && c.reason == "" {
		c.reason = "client_gone"
	}
	c.srv.left(c)
	c.srv.wait.Done()
}
