//go:build linux

package main

import (
	"encoding/binary"
	"fmt"
	"net"

	"ballast/sqlfront/wire"
)

// client is one connection of the load: it sends commands and reads their answers to the end, decoding nothing else.
type client struct {
	conn    net.Conn
	t       *task
	m       *middle
	tracker wire.Tracker
	buf     []byte
	out     []byte
	stmt    uint32
	seed    uint64
	text    []byte    // a statement being written
	parts   []*client // connections to all servers, where nothing in the middle chooses
}

// maxBuffer is how much a client reads at a time once answers have shown to be large.
const maxBuffer = 128 << 10

// query sends a text and reads the answer; rows is how many rows came.
func (c *client) query(sql []byte) (rows uint64, err error) {
	c.out = append(c.out[:0], 0, 0, 0, 0, byte(wire.ComQuery))
	c.out = append(c.out, sql...)
	return c.send()
}

// send sends the one packet in c.out, whose header is still to be filled in, and reads the answer.
func (c *client) send() (rows uint64, err error) {
	if err := c.ask(); err != nil {
		return 0, err
	}
	return c.answer()
}

// ask sends the one packet in c.out.
func (c *client) ask() error {
	wire.PutHeader(c.out, len(c.out)-wire.HeaderSize, 0)
	_, err := c.conn.Write(c.out)
	return err
}

// answer reads an answer to its end.
func (c *client) answer() (rows uint64, err error) {
	c.tracker.Reset()
	have := 0
	for {
		if have == len(c.buf) {
			c.grow()
		}
		n, err := c.conn.Read(c.buf[have:])
		if n == 0 && err != nil {
			return 0, err
		}
		have += n
		full := have == len(c.buf)
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
		if full {
			c.grow()
		}
	}
}

// grow makes the buffer larger, keeping what is in it.
func (c *client) grow() {
	if len(c.buf) < maxBuffer {
		c.buf = append(c.buf, make([]byte, len(c.buf))...)
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

func (c *client) close() {
	quiet(c.conn.Close())
	for _, p := range c.parts {
		p.close()
	}
}

// quit says goodbye, so that the server's side ends in good order.
func (c *client) quit() error {
	c.out = append(c.out[:0], 0, 0, 0, 0, byte(wire.ComQuit))
	return c.ask()
}
