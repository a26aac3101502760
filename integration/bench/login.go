//go:build linux

package main

import (
	"crypto/tls"
	"errors"
	"fmt"

	"ballast/sqlfront/wire"
)

// login opens a connection as root, who has no password anywhere here; with a TLS configuration, in TLS.
func login(t *task, addr, db string, secure *tls.Config) (*client, error) {
	conn, err := t.dial(addr)
	if err != nil {
		return nil, err
	}
	c := &client{conn: conn, t: t, buf: make([]byte, 2<<10)}
	if err := c.handshake(db, secure); err != nil {
		quiet(conn.Close())
		return nil, fmt.Errorf("log in at %s: %w", addr, err)
	}
	return c, nil
}

// login opens a connection to the middle.
func (m *middle) login(t *task, secure bool) (*client, error) {
	var cfg *tls.Config
	if secure {
		cfg = m.secure
	}
	c, err := login(t, m.addr, m.db, cfg)
	if err == nil {
		c.m = m
	}
	return c, err
}

func (c *client) handshake(db string, secure *tls.Config) error {
	in := wire.Inbox{}
	receive := func() ([]byte, error) {
		for {
			payload, ok, err := in.Next()
			if ok || err != nil {
				return payload, err
			}
			n, err := c.conn.Read(in.Space(512))
			if n == 0 && err != nil {
				return nil, err
			}
			in.Filled(n)
		}
	}
	payload, err := receive()
	if err != nil {
		return err
	}
	if payload[0] == wire.ErrHeader { // too many connections
		return serverError(payload)
	}
	var hello wire.Greeting
	if err := hello.Decode(payload); err != nil {
		return err
	}
	resp := wire.HandshakeResponse{
		Capabilities: wire.ClientLongPassword | wire.ClientLongFlag | wire.ClientProtocol41 | wire.ClientTransactions | wire.ClientSecureConnection |
			wire.ClientMultiResults | wire.ClientPluginAuth | wire.ClientConnectWithDB | wire.ClientDeprecateEOF,
		MaxPacket: 1 << 24, Collation: 45, User: "root", DB: db, Plugin: hello.Plugin,
	}
	seq := uint8(1)
	if secure != nil {
		if resp.Capabilities |= wire.ClientSSL; !hello.Capabilities.Has(wire.ClientSSL) {
			return errors.New("no TLS is offered")
		}
		ask := wire.SSLRequest{Capabilities: resp.Capabilities, MaxPacket: resp.MaxPacket, Collation: resp.Collation}
		out, next := wire.AppendPacket(nil, seq, ask.Append(nil))
		if _, err := c.conn.Write(out); err != nil {
			return err
		}
		inside := tls.Client(c.conn, secure)
		if err := inside.Handshake(); err != nil {
			return fmt.Errorf("TLS: %w", err)
		}
		c.conn, seq = inside, next
	}
	c.tracker.DeprecateEOF = true
	out, next := wire.AppendPacket(nil, seq, resp.Append(nil))
	if _, err := c.conn.Write(out); err != nil {
		return err
	}
	in.Seq = next
	for {
		payload, err = receive()
		if errors.Is(err, wire.ErrSequence) { // said before our answer was read
			in.Seq = seq
			payload, err = receive()
		}
		if err != nil {
			return err
		}
		switch payload[0] {
		case wire.OKHeader:
			return nil
		case wire.ErrHeader:
			return serverError(payload)
		case wire.AuthSwitchHeader: // no password: an empty answer, whatever the plugin
			out, next := wire.AppendPacket(nil, in.Seq, nil)
			if _, err := c.conn.Write(out); err != nil {
				return err
			}
			in.Seq = next
		}
	}
}

// serverError reads an ERR packet.
func serverError(payload []byte) error {
	se := new(wire.ServerError)
	if err := se.Decode(payload); err != nil {
		return err
	}
	return se
}
