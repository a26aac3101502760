package sqlfront

import (
	"context"
	"net"
	"syscall"
	"time"

	"ballast/rules/failure"
	"ballast/sqlfront/wire"
)

// localhost is what clients on this machine are called in messages.
const localhost = "localhost"

// welcome lets a new connection in, or turns it away.
func (s *Server) welcome(ctx context.Context, sock net.Conn) {
	s.metrics.accepted.Inc()
	host := hostOf(sock.RemoteAddr())
	if wait := s.attempts.blocked(host, s.clock.Load()); wait > 0 {
		s.turnAway(sock, "blocked", failHostBlocked.New(host, int(wait.Seconds())+1))
		return
	}
	c := &conn{srv: s, sock: sock, out: sock, host: host, id: s.front.ConnectionID()}
	if sc, ok := sock.(syscall.Conn); ok {
		if raw, err := sc.SyscallConn(); err == nil {
			c.raw = raw
		}
	}
	c.reply.sink, c.reply.pool, c.reply.status = c, &s.buffers, func() wire.Status { return wire.StatusAutocommit }
	unix := isUnix(sock.RemoteAddr())
	c.handshake = handshake{
		version: s.front.ServerVersion(), id: c.id, tls: s.cfg.TLS != nil && !unix, requireTLS: s.cfg.RequireTLS, secure: unix,
		key: s.rsaKey, account: c.account,
	}
	c.in.Max = maxHandshake
	own, cancel := context.WithCancelCause(ctx)
	c.ctx, c.cancel = own, cancel
	if n := len(s.cfg.Loops); n > 0 {
		c.loop = int(s.nextLoop.Add(1) % uint64(n))
	}
	c.enter(phaseHandshake)
	if !s.admit(c) {
		cancel(nil)
		s.turnAway(sock, "limit", failTooMany.New())
		return
	}
	if s.draining.Load() {
		c.kick(kickShutdown)
	}
	s.wait.Add(1) // until c.end
	go c.serve()
}

// maxHandshake bounds a packet of the handshake, in bytes: connection attributes and a little more.
const maxHandshake = wire.MaxAttributes + 8<<10

// admit counts a connection in, unless there are too many.
func (s *Server) admit(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) >= s.cfg.MaxConnections {
		return false
	}
	s.conns[c] = struct{}{}
	s.metrics.open.Set(float64(len(s.conns)))
	return true
}

// left counts a connection out.
func (s *Server) left(c *conn) {
	s.mu.Lock()
	delete(s.conns, c)
	s.metrics.open.Set(float64(len(s.conns)))
	s.mu.Unlock()
	if c.counted != "" {
		s.uncount(c.counted)
	}
	if c.reason == "" {
		c.reason = "quit"
	}
	s.metrics.ended.WithLabelValues(c.reason).Inc()
}

// countUser moves a connection from one user's count to another's; "" is nobody.
func (s *Server) countUser(from, to string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if limit := s.cfg.MaxUserConnections; limit > 0 && from != to && s.users[to] >= limit {
		return failTooManyOfUser.New(to, limit)
	}
	if to != "" {
		s.users[to]++
	}
	if from != "" {
		s.drop(from)
	}
	return nil
}

func (s *Server) uncount(user string) {
	s.mu.Lock()
	s.drop(user)
	s.mu.Unlock()
}

func (s *Server) drop(user string) {
	if s.users[user]--; s.users[user] <= 0 {
		delete(s.users, user)
	}
}

// turnAway answers an error in place of a greeting. It goes without an SQLSTATE, since nothing is negotiated yet.
func (s *Server) turnAway(sock net.Conn, reason string, err *failure.Error) {
	s.metrics.refused.WithLabelValues(reason).Inc()
	s.cfg.Logger.Info("connection refused", logAddr, hostOf(sock.RemoteAddr()), logReason, reason)
	e := wire.ServerError{Number: err.Kind.Number, Message: err.Error()}
	packet, _ := wire.AppendPacket(nil, 0, e.Append(nil))
	if derr := sock.SetWriteDeadline(time.Now().Add(time.Second)); derr == nil {
		if _, werr := sock.Write(packet); werr != nil {
			s.cfg.Logger.Debug("refused client left", logError, werr)
		}
	}
	if cerr := sock.Close(); cerr != nil {
		s.cfg.Logger.Debug("refused client left", logError, cerr)
	}
}

func isUnix(a net.Addr) bool {
	_, ok := a.(*net.UnixAddr)
	return ok
}

// hostOf is the address of a client without its port.
func hostOf(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || tcp.IP.IsLoopback() {
		return localhost
	}
	return tcp.IP.String()
}
