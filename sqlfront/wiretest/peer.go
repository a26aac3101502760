// Package wiretest is the other end of a MySQL connection for tests: a Peer sends and expects single payloads, right or wrong ones, as a client or
// as a server, and a Script is a list of such steps with one error for the first that goes wrong.
package wiretest

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"ballast/sqlfront/auth"
	"ballast/sqlfront/wire"
)

// Patience bounds every read and write of a Peer.
const Patience = 10 * time.Second

// Peer is one end of a connection.
type Peer struct {
	Conn net.Conn
	// In cuts what is received into payloads; its Seq is that of the next packet, sent or received.
	In wire.Inbox
	// Client is set by Login: what was negotiated.
	Client *auth.Client
}

// NewPeer wraps a connection.
func NewPeer(conn net.Conn) *Peer {
	return &Peer{Conn: conn, In: wire.Inbox{Max: 1 << 30}}
}

// Dial connects to a server over TCP.
func Dial(addr string) (*Peer, error) {
	dialer := net.Dialer{Timeout: Patience}
	conn, err := dialer.DialContext(context.Background(), "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	return NewPeer(conn), nil
}

// Close closes the connection.
func (p *Peer) Close() error { return p.Conn.Close() }

// SendRaw writes bytes as they are.
func (p *Peer) SendRaw(b []byte) error {
	if err := p.Conn.SetWriteDeadline(time.Now().Add(Patience)); err != nil {
		return err
	}
	_, err := p.Conn.Write(b)
	return err
}

// Send writes a payload with the sequence number that is due.
func (p *Peer) Send(payload []byte) error {
	packets, next := wire.AppendPacket(nil, p.In.Seq, payload)
	p.In.Seq = next
	return p.SendRaw(packets)
}

// Command begins anew at sequence number 0 and sends a payload.
func (p *Peer) Command(cmd wire.Command, body ...byte) error {
	p.In.Seq = 0
	return p.Send(append([]byte{byte(cmd)}, body...))
}

// Query sends COM_QUERY.
func (p *Peer) Query(sql string) error { return p.Command(wire.ComQuery, []byte(sql)...) }

// Recv reads the next payload; io.EOF when the other end closed.
func (p *Peer) Recv() ([]byte, error) {
	if err := p.Conn.SetReadDeadline(time.Now().Add(Patience)); err != nil {
		return nil, err
	}
	for {
		payload, ok, err := p.In.Next()
		if err != nil {
			return nil, err
		}
		if ok {
			return bytes.Clone(payload), nil
		}
		n, err := p.Conn.Read(p.In.Space(p.In.Need()))
		p.In.Filled(n)
		if err != nil && n == 0 {
			return nil, err
		}
	}
}

// RecvOK reads a payload that must be OK.
func (p *Peer) RecvOK() (wire.OK, error) {
	var ok wire.OK
	payload, err := p.Recv()
	if err != nil {
		return ok, err
	}
	if len(payload) > 0 && payload[0] == wire.ErrHeader {
		return ok, p.asError(payload)
	}
	return ok, ok.Decode(payload)
}

// RecvErr reads a payload that must be an ERR packet.
func (p *Peer) RecvErr() (*wire.ServerError, error) {
	payload, err := p.Recv()
	if err != nil {
		return nil, err
	}
	err = p.asError(payload)
	var se *wire.ServerError
	if errors.As(err, &se) {
		return se, nil
	}
	return nil, err
}

func (p *Peer) asError(payload []byte) error {
	se := &wire.ServerError{}
	if err := se.Decode(payload); err != nil {
		return fmt.Errorf("payload %x: %w", payload[:min(len(payload), 40)], err)
	}
	return se
}

// RecvEnd expects the other end to close; what comes before that is dropped.
func (p *Peer) RecvEnd() error {
	for {
		_, err := p.Recv()
		var timeout net.Error
		switch {
		case err == nil:
		case errors.As(err, &timeout) && timeout.Timeout():
			return fmt.Errorf("still open: %w", err)
		default:
			return nil
		}
	}
}

// Result is an answer to a query, read to its end.
type Result struct {
	Columns []wire.Column
	Rows    [][]byte // payloads
	OK      wire.OK
}

// RecvResult reads one result: OK, an error, or columns and rows.
func (p *Peer) RecvResult() (Result, error) {
	var r Result
	payload, err := p.Recv()
	if err != nil {
		return r, err
	}
	if len(payload) == 0 {
		return r, io.ErrUnexpectedEOF
	}
	switch payload[0] {
	case wire.OKHeader:
		return r, r.OK.Decode(payload)
	case wire.ErrHeader:
		return r, p.asError(payload)
	}
	count, _ := wire.LenencInt(payload)
	r.Columns = make([]wire.Column, count)
	for i := range r.Columns {
		if payload, err = p.Recv(); err != nil {
			return r, err
		}
		if err := r.Columns[i].Decode(payload); err != nil {
			return r, err
		}
	}
	deprecate := p.Client != nil && p.Client.Capabilities().Has(wire.ClientDeprecateEOF)
	if !deprecate {
		if payload, err = p.Recv(); err != nil {
			return r, err
		}
		var eof wire.EOF
		if err := eof.Decode(payload); err != nil {
			return r, err
		}
		if eof.Status.Has(wire.StatusCursorExists) {
			r.OK.Status = eof.Status
			return r, nil
		}
	}
	return r, p.RecvRows(&r)
}

// RecvRows reads rows up to the packet that ends them, as COM_STMT_FETCH answers.
func (p *Peer) RecvRows(r *Result) error {
	deprecate := p.Client != nil && p.Client.Capabilities().Has(wire.ClientDeprecateEOF)
	for {
		payload, err := p.Recv()
		if err != nil {
			return err
		}
		switch {
		case len(payload) > 0 && payload[0] == wire.ErrHeader:
			return p.asError(payload)
		case len(payload) > 0 && payload[0] == wire.EOFHeader && deprecate && len(payload) < wire.MaxPayload:
			return r.OK.Decode(payload)
		case len(payload) == wire.EOFSize && payload[0] == wire.EOFHeader:
			var eof wire.EOF
			if err := eof.Decode(payload); err != nil {
				return err
			}
			r.OK.Status, r.OK.Warnings = eof.Status, eof.Warnings
			return nil
		}
		r.Rows = append(r.Rows, payload)
	}
}

// Login shakes hands as a client, from the greeting to the OK; a refusal is a *wire.ServerError.
func (p *Peer) Login(cfg auth.ClientConfig, tlsConfig *tls.Config) error {
	cfg.TLS = tlsConfig != nil
	p.Client = auth.NewClient(cfg)
	p.In.Seq = 0
	for {
		payload, err := p.Recv()
		if err != nil {
			return err
		}
		send, next, err := p.Client.Step(payload)
		if err != nil {
			return err
		}
		if send != nil {
			if err := p.Send(send); err != nil {
				return err
			}
		}
		switch next {
		case auth.Read:
		case auth.Ready:
			return nil
		case auth.StartTLS:
			p.Conn = tls.Client(p.Conn, tlsConfig)
			if send, err = p.Client.Secured(); err != nil {
				return err
			}
			if err := p.Send(send); err != nil {
				return err
			}
		}
	}
}
