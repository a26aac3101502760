package backend

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"ballast/sqlfront/wire"
)

// utf8mb4GeneralCI is the collation id of the handshake; both servers know it.
const utf8mb4GeneralCI = 45

// always are the capabilities of every connection to a node, beside its class.
const always = wire.ClientLongPassword | wire.ClientLongFlag | wire.ClientProtocol41 | wire.ClientTransactions | wire.ClientSecureConnection |
	wire.ClientMultiResults | wire.ClientPSMultiResults | wire.ClientPluginAuth | wire.ClientPluginAuthLenenc | wire.ClientConnectAttrs

// capabilities gives the capabilities of a class.
func (class Class) capabilities() wire.Capability {
	c := always
	if class&FoundRows != 0 {
		c |= wire.ClientFoundRows
	}
	if class&DeprecateEOF != 0 {
		c |= wire.ClientDeprecateEOF
	}
	return c
}

// connect opens a connection for a shard, or for none (nil), and logs in; a patient one lets a busy node take its time. It answers with failures only.
func (n *node) connect(ctx context.Context, sh *shard, class Class, patient bool) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, n.cfg.ConnectTimeout)
	defer cancel()
	k := &Conn{node: n, shard: sh, class: class, kill: newKillSwitch()}
	k.in.Max = n.cfg.MaxRow
	k.tracker.DeprecateEOF = class&DeprecateEOF != 0
	k.stmts.max = n.cfg.MaxStatements
	if err := k.establish(ctx, patient); err != nil {
		return nil, err
	}
	return k, nil
}

// reconnect replaces a connection that died unused by a new one.
func (k *Conn) reconnect(ctx context.Context) error {
	k.node.metrics.stale.Inc()
	k.node.sweep()
	k.linkMu.Lock()
	k.say(k.link.conn.Close())
	k.linkMu.Unlock()
	k.in = wire.Inbox{Max: k.in.Max}
	k.stmts.forget()
	k.broken, k.reused, k.selected = false, false, false
	ctx, cancel := context.WithTimeout(ctx, k.node.cfg.ConnectTimeout)
	defer cancel()
	if err := k.establish(ctx, true); err != nil {
		k.broken = true
		k.node.metrics.dialErrors.Inc()
		k.node.dialFailed(err)
		return err
	}
	k.node.metrics.dials.Inc()
	return nil
}

// establish opens the link and logs in.
func (k *Conn) establish(ctx context.Context, patient bool) error {
	n := k.node
	conn, err := dialAddr(ctx, n.target.info.Addr)
	if err != nil {
		return errUnreachable.Wrap(err, n.name)
	}
	deadline, _ := ctx.Deadline()
	h := handshake{conn: conn, target: n.target, caps: k.class.capabilities(), extend: n.patience(patient)}
	err = errors.Join(conn.SetDeadline(deadline), h.run(ctx))
	if err == nil {
		k.linkMu.Lock()
		err = k.link.open(h.conn, n.cluster.buffers, n.cluster.loopOf(k), k)
		h.conn = k.link.conn
		k.linkMu.Unlock()
	}
	if err == nil {
		k.server, k.status = h.server, h.status
		k.id.Store(h.id)
		want := k.want
		k.inForce, k.want = nil, nil // equal: no settings for the check; the first user then sets everything
		k.extend = h.extend
		if err = h.conn.SetDeadline(time.Now().Add(n.cfg.ConnectTimeout)); err == nil {
			err = k.checkIdentity()
		}
		k.want, k.extend = want, nil
	}
	if err == nil {
		err = h.conn.SetDeadline(time.Time{})
	}
	if err == nil {
		return nil
	}
	if closeErr := h.conn.Close(); closeErr != nil {
		n.cluster.log.Debug("close connection to node", logNode, n.name, logError, closeErr)
	}
	return n.loginFailure(err)
}

// patience lets a login go on while the node is busy and not dead: as long as it answers others, and no longer than a request may wait.
func (n *node) patience(patient bool) func() (time.Time, bool) {
	begin, heard := time.Now(), n.heard.Load()
	return func() (time.Time, bool) {
		now := n.heard.Load()
		if !patient || now == heard || time.Since(begin) > n.cfg.WaitTimeout {
			return time.Time{}, false
		}
		heard = now
		return time.Now().Add(n.cfg.ConnectTimeout), true
	}
}

// loginFailure words why a login failed.
func (n *node) loginFailure(err error) error {
	var se *wire.ServerError
	switch {
	case errors.Is(err, errIdentity.New("")):
		return err
	case errors.As(err, &se):
		switch se.Number {
		case 1040, 1203, 1226:
			return errFull.Wrap(err, n.name)
		case 1053:
			return errUnreachable.Wrap(err, n.name)
		}
		return errLogin.Wrap(err, n.name)
	case isTimeout(err):
		return errStalled.Wrap(err, n.name)
	case errors.Is(err, errAuth):
		return errLogin.Wrap(err, n.name)
	}
	return errUnreachable.Wrap(err, n.name)
}

// dialAddr connects to host:port, or to a unix socket when addr is a path.
func dialAddr(ctx context.Context, addr string) (net.Conn, error) {
	var d net.Dialer
	if strings.HasPrefix(addr, "/") {
		return d.DialContext(ctx, "unix", addr)
	}
	return d.DialContext(ctx, "tcp", addr)
}

// startTLS asks the server for TLS and shakes hands.
func (h *handshake) startTLS(ctx context.Context, seq uint8) error {
	if !h.greeting.Capabilities.Has(wire.ClientSSL) {
		return fmt.Errorf("TLS is demanded, the server does not offer it: %w", errAuth)
	}
	req := wire.SSLRequest{Capabilities: h.caps | wire.ClientSSL, MaxPacket: maxPacket, Collation: utf8mb4GeneralCI}
	h.caps |= wire.ClientSSL
	if err := h.send(req.Append(nil), seq); err != nil {
		return err
	}
	cfg := h.target.tls
	if cfg.ServerName == "" && !cfg.InsecureSkipVerify {
		cfg = cfg.Clone()
		if host, _, err := net.SplitHostPort(h.target.info.Addr); err == nil {
			cfg.ServerName = host
		}
	}
	conn := tls.Client(h.conn, cfg)
	if err := conn.HandshakeContext(ctx); err != nil {
		return fmt.Errorf("TLS handshake: %w", err)
	}
	h.conn, h.secure = conn, true
	return nil
}
