package backend

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"ballast/sqlfront/wire"
)

// errAuth is in the chain when both sides can't agree on how to log in.
var errAuth = errors.New("login is not possible")

// maxPacket is what the router announces as its largest packet: the protocol's largest.
const maxPacket = 1<<30 - 1

// maxAuthPacket bounds the packets that a server may send before the login has succeeded, in bytes.
const maxAuthPacket = 64 << 10

// handshake logs in to a server over a new stream, whose deadline is set.
type handshake struct {
	conn   net.Conn
	target target
	caps   wire.Capability
	// extend gives a later deadline when one has passed, if there is reason to wait on.
	extend func() (time.Time, bool)

	greeting wire.Greeting
	in       wire.Inbox
	plugin   string
	scramble []byte
	secure   bool // TLS, or a unix socket: a password may be sent as it is

	// The outcome.
	server server
	id     uint32
	status wire.Status
}

// run goes through the dialogue until OK or an error.
func (h *handshake) run(ctx context.Context) error {
	h.in.Max = maxAuthPacket
	payload, err := h.receive()
	if err != nil {
		return fmt.Errorf("read greeting: %w", err)
	}
	if payload[0] == wire.ErrHeader {
		return serverError(payload)
	}
	if err := h.greeting.Decode(payload); err != nil {
		return err
	}
	h.server, h.id = parseVersion(h.greeting.Version), h.greeting.ConnectionID
	h.plugin, h.scramble = h.greeting.Plugin, h.greeting.Scramble[:]
	_, h.secure = h.conn.(*net.UnixConn)
	seq := uint8(1)
	if h.target.tls != nil {
		if err := h.startTLS(ctx, seq); err != nil {
			return err
		}
		seq++
	}
	if missing := h.caps &^ h.greeting.Capabilities & (wire.ClientDeprecateEOF | wire.ClientProtocol41 | wire.ClientPluginAuth); missing != 0 {
		return fmt.Errorf("the server lacks capabilities %#x: %w", missing, errAuth)
	}
	auth, err := h.firstAnswer()
	if err != nil {
		return err
	}
	resp := wire.HandshakeResponse{
		Capabilities: h.caps, MaxPacket: maxPacket, Collation: utf8mb4GeneralCI, User: h.target.cred.User, Auth: auth, Plugin: h.plugin,
		Attributes: map[string]string{"program_name": "ballast-router", "_client_name": "ballast"},
	}
	if err := h.send(resp.Append(nil), seq); err != nil {
		return err
	}
	h.in.Seq = seq + 1
	return h.authenticate()
}

// authenticate answers the server's questions until it lets us in.
func (h *handshake) authenticate() error {
	for range 8 { // no plugin here asks so often
		payload, err := h.receive()
		if err != nil {
			return fmt.Errorf("read login answer: %w", err)
		}
		var reply []byte
		switch payload[0] {
		case wire.OKHeader:
			var ok wire.OK
			if err := ok.Decode(payload); err != nil {
				return err
			}
			h.status = ok.Status
			return nil
		case wire.ErrHeader:
			return serverError(payload)
		case wire.AuthSwitchHeader:
			var sw wire.AuthSwitch
			if err := sw.Decode(payload); err != nil {
				return err
			}
			h.plugin, h.scramble = sw.Plugin, append([]byte(nil), sw.Data...)
			if reply, err = h.firstAnswer(); err != nil {
				return err
			}
		case wire.AuthMoreHeader:
			var more wire.AuthMore
			if err := more.Decode(payload); err != nil {
				return err
			}
			var silent bool
			if reply, silent, err = h.nextAnswer(more.Data); err != nil {
				return err
			}
			if silent {
				continue
			}
		default:
			return fmt.Errorf("unexpected packet %#x: %w", payload[0], errAuth)
		}
		if err := h.send(reply, h.in.Seq); err != nil {
			return err
		}
		h.in.Seq++
	}
	return fmt.Errorf("the server asks without end: %w", errAuth)
}

func (h *handshake) send(payload []byte, seq uint8) error {
	out, _ := wire.AppendPacket(nil, seq, payload)
	if _, err := h.conn.Write(out); err != nil {
		return fmt.Errorf("send login packet: %w", err)
	}
	return nil
}

// receive gives the next payload, never an empty one.
func (h *handshake) receive() ([]byte, error) {
	for {
		payload, ok, err := h.in.Next()
		switch {
		case err != nil:
			return nil, err
		case ok && len(payload) == 0:
			return nil, fmt.Errorf("empty login packet: %w", wire.ErrMalformed)
		case ok:
			return payload, nil
		}
		n, err := h.conn.Read(h.in.Space(512))
		if n == 0 && isTimeout(err) {
			if later, ok := h.extend(); ok {
				if err := h.conn.SetDeadline(later); err != nil {
					return nil, err
				}
				continue
			}
		}
		if n == 0 && err != nil {
			return nil, err
		}
		h.in.Filled(n)
	}
}

func serverError(payload []byte) error {
	se := new(wire.ServerError)
	if err := se.Decode(payload); err != nil {
		return err
	}
	return se
}
