package sqlfront

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"

	"ballast/sqlfront/netloop"
	"ballast/sqlfront/wire"
)

// flight is what an event loop knows of the client's command.
type flight struct {
	running bool   // a command was launched
	packet  []byte // its packet
	unsent  []byte // of its answer, what the client had no room for
	ended   bool   // the command is over; only unsent is left to send
	outcome outcome
	failed  error // of a write
}

// keptPacket is the largest buffer for a command's packet that an idle connection keeps.
const keptPacket = 1 << 10

// loops tells whether a loop is to serve this connection from now on.
func (c *conn) loops() bool {
	return c.opened && c.raw != nil && c.out == c.sock && c.commands.launcher != nil && len(c.srv.cfg.Loops) > 0
}

// base is the socket below everything.
func (c *conn) base() net.Conn {
	if lc := c.looped.Load(); lc != nil {
		return lc
	}
	return c.sock
}

// toLoop gives the socket of a client that has logged in to its loop. When that fails the connection is over.
func (c *conn) toLoop() bool {
	lc, err := c.srv.cfg.Loops[c.loop].Adopt(c.sock, c)
	if err != nil {
		c.lost(err)
		return false
	}
	c.rest()
	c.out = lc // raw stays: the watch may be looking at it
	c.reply.loop = c
	c.looped.Store(lc)
	c.letGo(lc)
	return true
}

// letGo gives the connection to the loop after a goroutine has had it.
func (c *conn) letGo(lc *netloop.Conn) {
	pending := c.in.Buffered() > 0
	lc.ToLoop()
	if pending || kick(c.kicked.Load()) != kickNone {
		lc.Loop().Post(lc)
	}
}

// Ready implements netloop.Handler: the socket has something to read, or room for what was not sent, or the connection was kicked.
func (c *conn) Ready() {
	lc := c.looped.Load()
	f := &c.flight
	if len(f.unsent) > 0 && !c.drainOnLoop(lc) || !lc.OnLoop() {
		return
	}
	if f.running {
		if !f.ended {
			return // what the client sends ahead stays in the socket
		}
		c.landed()
		if f.running || !lc.OnLoop() {
			return
		}
	}
	if kick(c.kicked.Load()) != kickNone {
		c.leave(nil)
		return
	}
	c.readOnLoop(lc)
}

// readOnLoop reads what the client has sent, and launches a command or has a goroutine run it.
func (c *conn) readOnLoop(lc *netloop.Conn) {
	if c.in.Buffered() > 0 {
		c.gather(lc)
		return
	}
	if !lc.Readable() {
		return
	}
	buf := lc.Loop().Buffer()
	n, err := lc.TryRead(buf)
	switch {
	case err == netloop.ErrAgain: //nolint:errorlint // never wrapped
		return
	case err != nil:
		c.leave(err)
		return
	}
	if c.stage == stageCommand && n > wire.HeaderSize {
		if size, seq := wire.Header(buf); size == n-wire.HeaderSize && seq == 0 && size <= c.in.Max {
			c.flight.packet = append(c.flight.packet[:0], buf[:n]...)
			c.launch(lc)
			return
		}
	}
	c.in.Use(c.srv.buffers.take())
	copy(c.in.Space(n), buf[:n])
	c.in.Filled(n)
	c.gather(lc)
}

// gather collects a command that does not come alone in one piece; once it is whole a goroutine runs it, and whatever came with it.
func (c *conn) gather(lc *netloop.Conn) {
	for {
		if c.in.Whole() {
			c.toGoroutine(lc)
			return
		}
		space := c.in.Space(min(c.in.Need(), maxReadAhead))
		n, err := lc.TryRead(space)
		switch {
		case errors.Is(err, netloop.ErrAgain):
			return
		case err != nil:
			c.leave(err)
			return
		}
		c.in.Filled(n)
		if n < len(space) && !c.in.Whole() {
			return
		}
		if n >= netloop.Chunk/2 { // a big one: others come first
			lc.Again()
			return
		}
	}
}

// launch begins the command in flight.packet on the loop, or has a goroutine run it.
func (c *conn) launch(lc *netloop.Conn) {
	packet := c.flight.packet
	c.enter(phaseRunning)
	c.reply.begin(1, wire.Text)
	c.flight.running = true
	if c.launched(packet) {
		c.srv.metrics.bytesIn.Add(float64(len(packet)))
		return
	}
	c.repeat()
}

// launched asks the session; a panic there is the goroutine's to meet again and to answer.
func (c *conn) launched(packet []byte) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			ok = true
			c.panicked(p)
		}
	}()
	return c.commands.launch(c.ctx, packet)
}

// panicked implements loopSide.
func (c *conn) panicked(p any) {
	c.srv.cfg.Logger.Error("a command panicked", logConnection, c.id, logError, fmt.Sprint(p), logStack, string(debug.Stack()))
	if f := &c.flight; c.looped.Load().OnLoop() && f.running && !f.ended {
		c.reason = "internal"
		f.ended, f.outcome = true, c.commands.end(&Fatal{Err: failPanic.New()})
		c.landed()
	}
}

// writeOnLoop writes what the client has room for and keeps the rest.
func (c *conn) writeOnLoop(lc *netloop.Conn, p []byte) error {
	f := &c.flight
	if len(f.unsent) > 0 {
		f.unsent = append(f.unsent, p...)
		return nil
	}
	n, err := lc.TryWrite(p)
	if errors.Is(err, netloop.ErrAgain) {
		f.unsent = append(f.unsent, p[n:]...)
		c.writing.Store(c.srv.clock.Load())
		return nil
	}
	return err
}

// drainOnLoop writes what was kept; false means that some is still left.
func (c *conn) drainOnLoop(lc *netloop.Conn) bool {
	f := &c.flight
	n, err := lc.TryWrite(f.unsent)
	if errors.Is(err, netloop.ErrAgain) {
		if n > 0 {
			c.writing.Store(c.srv.clock.Load())
		}
		f.unsent = f.unsent[:copy(f.unsent, f.unsent[n:])]
		return false
	}
	c.writing.Store(0)
	f.unsent = nil
	if err != nil {
		f.failed = err
	}
	if f.running && !f.ended {
		if err != nil {
			c.reply.err = fmt.Errorf("write to the client: %w", err)
		}
		c.commands.launcher.Resume()
	}
	return lc.OnLoop() && len(f.unsent) == 0
}

// full implements loopSide.
func (c *conn) full() bool { return len(c.flight.unsent) > 0 }

// finish implements loopSide.
func (c *conn) finish(err error) {
	c.flight.ended, c.flight.outcome = true, c.commands.answered(c.ctx, err)
	c.landed()
}

// landed ends the command that is over, once its answer is sent.
func (c *conn) landed() {
	f := &c.flight
	lc := c.looped.Load()
	if len(f.unsent) == 0 {
		if err := c.reply.Flush(); err != nil {
			c.lost(err)
			f.outcome = outcomeClose
		}
	}
	if len(f.unsent) > 0 {
		return // Ready comes back here
	}
	if f.failed != nil {
		c.lost(f.failed)
		f.outcome = outcomeClose
	}
	o := f.outcome
	f.running, f.ended = false, false
	if cap(f.packet) > keptPacket {
		f.packet = nil
	}
	if c.settle(o) != readMore {
		c.leave(nil)
		return
	}
	c.rest()
	if kick(c.kicked.Load()) != kickNone || lc.Readable() {
		lc.Again()
	}
}

// repeat implements loopSide: a goroutine runs the command that was not launched.
func (c *conn) repeat() {
	f := &c.flight
	f.running = false
	c.in.Use(c.srv.buffers.take())
	copy(c.in.Space(len(f.packet)), f.packet)
	c.in.Filled(len(f.packet))
	if cap(f.packet) > keptPacket {
		f.packet = nil
	}
	c.toGoroutine(c.looped.Load())
}

// toGoroutine has a goroutine run the commands that have come.
func (c *conn) toGoroutine(lc *netloop.Conn) {
	lc.ToGoroutine()
	lc.Loop().Woke()
	c.srv.workers.run(job{c: c})
}

func (c *conn) runCommands(lc *netloop.Conn) {
	if c.process(c.ctx) != readMore {
		c.end()
		return
	}
	c.letGo(lc)
}

// block implements loopSide.
func (c *conn) block(run func() error) {
	lc := c.looped.Load()
	lc.ToGoroutine()
	lc.Loop().Woke()
	c.srv.workers.run(job{c: c, rest: run})
}

// runRest carries a launched command to its end on a goroutine.
func (c *conn) runRest(lc *netloop.Conn, run func() error) {
	f := &c.flight
	if len(f.unsent) > 0 {
		if err := c.write(f.unsent); err != nil {
			c.reply.err = fmt.Errorf("write to the client: %w", err)
		}
		f.unsent = nil
	}
	o := c.guardedRest(run)
	f.running = false
	if cap(f.packet) > keptPacket {
		f.packet = nil
	}
	if c.settle(o) != readMore || c.process(c.ctx) != readMore {
		c.end()
		return
	}
	c.letGo(lc)
}

func (c *conn) guardedRest(run func() error) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			c.srv.cfg.Logger.Error("a command panicked", logConnection, c.id, logError, fmt.Sprint(p), logStack, string(debug.Stack()))
			c.reason = "internal"
			o = c.commands.end(&Fatal{Err: failPanic.New()})
		}
	}()
	return c.commands.answered(c.ctx, run())
}

// leave ends the connection: closing may wait for a rollback, so a goroutine does it.
func (c *conn) leave(err error) {
	if err == nil {
		err = context.Canceled
	}
	c.lost(err)
	lc := c.looped.Load()
	lc.ToGoroutine()
	lc.Loop().Woke()
	go c.end()
}
