package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"time"

	"ballast/sqlfront/wire"
)

// client is one connection of the load: it sends commands and reads their answers to the end, decoding nothing else.
type client struct {
	conn    net.Conn
	tracker wire.Tracker
	buf     []byte
	out     []byte
	stmt    uint32
	seed    uint64
	text    []byte // a statement being written
	db      string
}

// login opens a connection as root, who has no password anywhere here.
func login(addr, db string) (*client, error) {
	conn, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return nil, err
	}
	c := &client{conn: conn, buf: make([]byte, 128<<10)}
	if err := c.handshake(db); err != nil {
		quiet(conn.Close())
		return nil, fmt.Errorf("log in at %s: %w", addr, err)
	}
	return c, nil
}

func (c *client) handshake(db string) error {
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
	var hello wire.Greeting
	if err := hello.Decode(payload); err != nil {
		return err
	}
	resp := wire.HandshakeResponse{
		Capabilities: wire.ClientLongPassword | wire.ClientLongFlag | wire.ClientProtocol41 | wire.ClientTransactions | wire.ClientSecureConnection |
			wire.ClientMultiResults | wire.ClientPluginAuth | wire.ClientConnectWithDB | wire.ClientDeprecateEOF,
		MaxPacket: 1 << 24, Collation: 45, User: "root", DB: db, Plugin: hello.Plugin,
	}
	c.tracker.DeprecateEOF = true
	out, _ := wire.AppendPacket(nil, 1, resp.Append(nil))
	if _, err := c.conn.Write(out); err != nil {
		return err
	}
	in.Seq = 2
	for {
		payload, err = receive()
		if errors.Is(err, wire.ErrSequence) { // said before our answer was read
			in.Seq = 1
			payload, err = receive()
		}
		if err != nil {
			return err
		}
		switch payload[0] {
		case wire.OKHeader:
			return nil
		case wire.ErrHeader:
			se := new(wire.ServerError)
			if err := se.Decode(payload); err != nil {
				return err
			}
			return se
		case wire.AuthSwitchHeader: // no password: an empty answer, whatever the plugin
			out, next := wire.AppendPacket(nil, in.Seq, nil)
			if _, err := c.conn.Write(out); err != nil {
				return err
			}
			in.Seq = next
		}
	}
}

// query sends a text and reads the answer; rows is how many rows came.
func (c *client) query(sql []byte) (rows uint64, err error) {
	c.out = append(c.out[:0], 0, 0, 0, 0, byte(wire.ComQuery))
	c.out = append(c.out, sql...)
	return c.send()
}

// send sends the one packet in c.out, whose header is still to be filled in, and reads the answer.
func (c *client) send() (rows uint64, err error) {
	wire.PutHeader(c.out, len(c.out)-wire.HeaderSize, 0)
	if _, err := c.conn.Write(c.out); err != nil {
		return 0, err
	}
	c.tracker.Reset()
	have := 0
	for {
		n, err := c.conn.Read(c.buf[have:])
		if n == 0 && err != nil {
			return 0, err
		}
		have += n
		settled, done, err := c.tracker.Feed(c.buf[:have])
		if err != nil {
			return 0, err
		}
		if done {
			if c.tracker.Failed {
				return 0, fmt.Errorf("server error %d: %.200q", c.tracker.ErrNumber, c.buf[:have])
			}
			return c.tracker.Rows, nil
		}
		have = copy(c.buf, c.buf[settled:have])
	}
}

// prepare prepares the statement that execute runs.
func (c *client) prepare(sql string) error {
	c.out, _ = wire.AppendPacket(c.out[:0], 0, append([]byte{byte(wire.ComStmtPrepare)}, sql...))
	if _, err := c.conn.Write(c.out); err != nil {
		return err
	}
	in := wire.Inbox{Seq: 1}
	left := 1
	for left > 0 {
		payload, ok, err := in.Next()
		if err != nil {
			return err
		}
		if !ok {
			n, err := c.conn.Read(in.Space(512))
			if n == 0 && err != nil {
				return err
			}
			in.Filled(n)
			continue
		}
		left--
		if c.stmt == 0 {
			var head wire.StmtPrepareOK
			if err := head.Decode(payload); err != nil {
				return fmt.Errorf("prepare: %w: %q", err, payload)
			}
			c.stmt, left = head.ID, int(head.Params)+int(head.Columns)
		}
	}
	return nil
}

// execute runs the prepared statement with one 64-bit parameter.
func (c *client) execute(arg uint64) (rows uint64, err error) {
	c.out = append(c.out[:0], 0, 0, 0, 0, byte(wire.ComStmtExecute))
	c.out = binary.LittleEndian.AppendUint32(c.out, c.stmt)
	c.out = append(c.out, 0, 1, 0, 0, 0, 0, 1, byte(wire.TypeLongLong), 0)
	c.out = binary.LittleEndian.AppendUint64(c.out, arg)
	return c.send()
}

// random gives a number below n; the sequence depends on the client's number only.
func (c *client) random(n int) int {
	c.seed ^= c.seed << 13
	c.seed ^= c.seed >> 7
	c.seed ^= c.seed << 17
	return int(c.seed % uint64(n))
}

func (c *client) close() { quiet(c.conn.Close()) }
