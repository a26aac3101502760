package sqlfront

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"time"

	"ballast/sqlfront/wire"
)

// proxyHeads are how headers of the PROXY protocol begin, versions 1 and 2.
var proxyHeads = [...]string{"PROXY ", "\r\n\r\n\x00\r\nQUIT\n"}

// proxied tells whether the client begins with a header of the PROXY protocol.
func (c *conn) proxied() bool {
	if c.handshake.started {
		return false
	}
	got := c.in.Peek()
	for _, head := range proxyHeads {
		if bytes.HasPrefix(got, []byte(head)) {
			return true
		}
	}
	return false
}

// greetStep takes a payload of the handshake.
func (c *conn) greetStep(ctx context.Context, payload []byte) verdict {
	send, next, fail := c.handshake.step(payload)
	c.reply.seq = c.in.Seq
	if send != nil {
		if err := c.reply.payload(send); err != nil {
			c.lost(err)
			return finish
		}
	}
	switch next {
	case handshakeRead:
	case handshakeTLS:
		return goTLS
	case handshakeDone:
		return c.open(ctx)
	case handshakeDenied:
		return c.denied(ctx)
	case handshakeFailed:
		return c.fail(ctx, fail)
	}
	if err := c.reply.Flush(); err != nil {
		c.lost(err)
		return finish
	}
	c.in.Seq = c.reply.seq
	return readMore
}

// startTLS makes the connection a TLS one. What the client already sent behind its request is the beginning of TLS.
func (c *conn) startTLS(ctx context.Context) bool {
	early := bytes.Clone(c.in.Peek())
	c.in.Drop()
	c.rest()
	secured := tls.Server(&prefixed{Conn: c.sock, early: early}, c.srv.cfg.TLS)
	if err := secured.HandshakeContext(ctx); err != nil {
		c.reason = "tls"
		c.srv.attempts.failed(c.host, c.srv.clock.Load())
		c.srv.metrics.logins.WithLabelValues("failed").Inc()
		c.srv.cfg.Logger.InfoContext(ctx, "tls handshake failed", logAddr, c.host, logError, err)
		return false
	}
	c.out = secured
	return true
}

// prefixed is a connection some of whose bytes were already read.
type prefixed struct {
	net.Conn
	early []byte
}

// Read gives the early bytes first.
func (e *prefixed) Read(p []byte) (int, error) {
	if len(e.early) > 0 {
		n := copy(p, e.early)
		if e.early = e.early[n:]; len(e.early) == 0 {
			e.early = nil
		}
		return n, nil
	}
	return e.Conn.Read(p)
}

// denied answers a wrong password, after a while if there were many.
func (c *conn) denied(ctx context.Context) verdict {
	c.reason = "denied"
	c.srv.metrics.logins.WithLabelValues("denied").Inc()
	if wait := c.srv.attempts.failed(c.host, c.srv.clock.Load()); wait > 0 {
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
		}
	}
	user := c.handshake.response.User
	c.srv.cfg.Logger.InfoContext(ctx, "access denied", logAddr, c.host, logUser, user)
	c.answerLast(denied(user, c.host, c.handshake.login.UsedPassword()))
	return finish
}

// answerLast writes an error behind which the connection closes.
func (c *conn) answerLast(err error) {
	if werr := c.reply.Err(err); werr != nil {
		return
	}
	if werr := c.reply.Flush(); werr != nil && c.reason == "" {
		c.reason = "client_gone"
	}
}

// open begins the session of a client that proved its password.
func (c *conn) open(ctx context.Context) verdict {
	r := &c.handshake.response
	c.srv.attempts.succeeded(c.host)
	if err := c.srv.countUser("", r.User); err != nil {
		c.reason = "limit"
		c.answerLast(err)
		return finish
	}
	c.counted = r.User
	client := Client{
		ID: c.id, User: r.User, DB: r.DB, Addr: c.sock.RemoteAddr(), Capabilities: r.Capabilities, Collation: uint16(r.Collation),
		Attributes: r.Attributes, TLS: c.handshake.inTLS, Disconnect: c.disconnect, Loop: c.loop,
	}
	session, err := c.srv.front.Open(ctx, client)
	if err != nil {
		c.reason = "refused"
		c.srv.metrics.logins.WithLabelValues("refused").Inc()
		c.answerLast(err)
		return finish
	}
	c.opened = true
	c.reply.deprecate = r.Capabilities.Has(wire.ClientDeprecateEOF)
	c.reply.status = session.Status
	c.commands = commands{
		front: c.srv.front, cfg: &c.srv.cfg, metrics: c.srv.metrics, held: &c.srv.statements, session: session, client: client, reply: &c.reply,
		host: c.host, key: c.srv.rsaKey, account: c.account, scramble: c.handshake.scramble, changeUser: c.changeUser,
	}
	c.commands.launcher, _ = session.(Launcher)
	c.handshake = handshake{}
	c.stage, c.in.Seq = stageCommand, 0
	c.in.Max = c.srv.cfg.MaxPacket
	c.srv.metrics.logins.WithLabelValues("ok").Inc()
	if limited, ok := session.(interface{ IdleTimeout() time.Duration }); ok {
		c.commands.idle = limited.IdleTimeout
	}
	c.setIdleLimit()
	// The phase is told before the answer, so that the watch does not take a client that got its OK for one in its handshake.
	c.enter(phaseIdle)
	if err := c.reply.OK(wire.OK{Status: session.Status()}); err != nil {
		c.lost(err)
		return finish
	}
	if err := c.reply.Flush(); err != nil {
		c.lost(err)
		return finish
	}
	c.reply.written = 0
	if c.srv.draining.Load() {
		c.kick(kickShutdown)
	}
	return readMore
}

// account finds a user's verifier; an unknown user gets one that nothing matches.
func (c *conn) account(user string) (v verifier, known bool) {
	a, ok := c.srv.front.Account(user, c.sock.RemoteAddr())
	if !ok {
		return c.srv.dummy, false
	}
	return verifier{Native: a.Native, CachingSHA2: a.CachingSHA2}, true
}

func (c *conn) changeUser(from, to string) error {
	if err := c.srv.countUser(from, to); err != nil {
		return err
	}
	c.counted = to
	return nil
}

// setIdleLimit takes over the session's wish for its idle time-out.
func (c *conn) setIdleLimit() {
	limit := c.srv.cfg.IdleTimeout
	if c.commands.idle != nil {
		if d := c.commands.idle(); d > 0 {
			limit = d
		}
	}
	if c.idleLimit.Load() != int64(limit) {
		c.idleLimit.Store(int64(limit))
	}
}

// linger reads and drops what the client still sends, so that closing does not throw away the error it has not read yet.
func (c *conn) linger() {
	sock := c.base()
	half, ok := sock.(interface{ CloseWrite() error })
	if !ok {
		return
	}
	if err := half.CloseWrite(); err != nil {
		return
	}
	if err := sock.SetReadDeadline(time.Now().Add(lingerTime)); err != nil {
		return
	}
	buf := c.srv.buffers.take()
	defer c.srv.buffers.give(buf)
	for left := lingerBytes; left > 0; {
		n, err := sock.Read(buf[:cap(buf)])
		left -= n
		if err != nil {
			return
		}
	}
}

// The bounds of linger.
const (
	lingerTime  = 2 * time.Second
	lingerBytes = 1 << 30
)
