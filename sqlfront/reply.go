package sqlfront

import (
	"errors"
	"fmt"

	"ballast/sqlfront/wire"
)

// replyBuffer is the size of a reply's buffer: smaller answers leave in one write, larger ones in pieces of at least this.
const replyBuffer = 16 << 10

// sink is where a Reply's packets go: a client's socket, a cursor, a test.
type sink interface {
	// write takes whole or partial packets; p is not kept.
	write(p []byte) error
}

// Reply writes the answer to one command. A statement is answered by exactly one of: Columns, any number of Row, EOF; or OK; or Err; or Relay
// calls that carry a whole answer. Before the last statement of several, More(true) is called ahead of its answer.
//
// Calls block while the client does not read. An error returned by any of them means that the client is gone: give the statement up and return
// the error. A Reply belongs to its session's goroutine and ends with the command.
type Reply struct {
	sink      sink
	pool      *bufferPool
	buf       []byte
	seq       uint8
	skip      int  // bytes of a relayed packet still to come
	partial   bool // the relayed packet's payload continues in the next packet
	more      bool
	inSet     bool // inside a result set
	eofs      int  // EOF packets that a result set still has to come
	answered  bool
	over      bool // the whole answer is written
	deprecate bool
	format    wire.Format
	status    func() wire.Status
	err       error
	written   int64
	// loop is told how a launched command goes on; see reply_loop.go.
	loop loopSide
}

// errPartial is returned when a packet was cut in the middle and something else should follow: the connection can only be closed.
var errPartial = errors.New("the answer was cut inside a packet")

// errOver is returned when something should follow an answer that is complete: the client would take it for the answer to its next command.
var errOver = errors.New("the answer was complete already")

// begin readies the reply for a command; seq is the number of its first packet.
func (r *Reply) begin(seq uint8, format wire.Format) {
	r.seq, r.format = seq, format
	r.skip, r.partial, r.more, r.inSet, r.answered, r.over, r.err = 0, false, false, false, false, false, nil
}

// Format is the row format of this command's answer.
func (r *Reply) Format() wire.Format { return r.format }

// DeprecateEOF tells whether the client negotiated CLIENT_DEPRECATE_EOF; relayed packets must be of the same kind.
func (r *Reply) DeprecateEOF() bool { return r.deprecate }

// Answered tells whether anything was written for the current command.
func (r *Reply) Answered() bool { return r.answered }

// More says whether another result follows the one answered next: OK and EOF then carry SERVER_MORE_RESULTS_EXISTS. Relayed packets are
// left as they are.
func (r *Reply) More(more bool) { r.more = more }

// Columns begins a result set.
func (r *Reply) Columns(columns []wire.Column) error {
	if err := r.ready(); err != nil {
		return err
	}
	mark := r.mark()
	r.buf = wire.AppendLenencInt(r.buf, uint64(len(columns)))
	r.end(mark)
	for i := range columns {
		if err := r.room(); err != nil {
			return err
		}
		mark = r.mark()
		r.buf = columns[i].Append(r.buf)
		r.end(mark)
	}
	r.inSet, r.eofs = true, 1
	if !r.deprecate {
		eof := wire.EOF{Status: r.status()}
		mark = r.mark()
		r.buf = eof.Append(r.buf)
		r.end(mark)
	}
	return r.room()
}

// Row writes one row, in the format that Format gives.
func (r *Reply) Row(payload []byte) error {
	if err := r.ready(); err != nil {
		return err
	}
	if len(payload)+wire.HeaderSize <= replyBuffer-len(r.buf) {
		r.buf, r.seq = wire.AppendPacket(r.buf, r.seq, payload)
		return nil
	}
	return r.large(payload)
}

// large writes a payload that does not fit into the rest of the buffer.
func (r *Reply) large(payload []byte) error {
	if err := r.Flush(); err != nil {
		return err
	}
	if len(payload)+wire.HeaderSize <= replyBuffer {
		r.buf, r.seq = wire.AppendPacket(r.grown(), r.seq, payload)
		return nil
	}
	for {
		n := min(len(payload), wire.MaxPayload)
		r.buf = append(r.grown(), 0, 0, 0, 0)
		wire.PutHeader(r.buf[len(r.buf)-wire.HeaderSize:], n, r.seq)
		r.seq++
		first := min(n, replyBuffer-len(r.buf))
		r.buf = append(r.buf, payload[:first]...)
		if err := r.Flush(); err != nil {
			return err
		}
		if err := r.send(payload[first:n]); err != nil {
			return err
		}
		payload = payload[n:]
		if n < wire.MaxPayload {
			return nil
		}
	}
}

// EOF ends a result set.
func (r *Reply) EOF(status wire.Status, warnings uint16) error {
	err := r.endList(r.withMore(status), warnings)
	r.ended()
	return err
}

// endList writes the packet that ends a list of rows or definitions.
func (r *Reply) endList(status wire.Status, warnings uint16) error {
	if err := r.ready(); err != nil {
		return err
	}
	mark := r.mark()
	if r.deprecate {
		ok := wire.OK{Status: status, Warnings: warnings}
		r.buf = ok.AppendEOF(r.buf)
	} else {
		eof := wire.EOF{Status: status, Warnings: warnings}
		r.buf = eof.Append(r.buf)
	}
	r.end(mark)
	return r.room()
}

// OK answers a statement without a result set.
func (r *Reply) OK(ok wire.OK) error {
	if err := r.ready(); err != nil {
		return err
	}
	ok.Status = r.withMore(ok.Status)
	mark := r.mark()
	r.buf = ok.Append(r.buf)
	r.end(mark)
	r.ended()
	return r.room()
}

// Err answers with an error, in place of a statement's answer or of its next row. The error's number, SQLSTATE and message are found by
// errors.As; see ClientError. Nothing may follow it.
func (r *Reply) Err(err error) error {
	if ready := r.ready(); ready != nil {
		return ready
	}
	se := ClientError(err)
	mark := r.mark()
	r.buf = se.Append(r.buf)
	r.end(mark)
	r.inSet, r.over = false, true
	return r.room()
}

// payload writes a packet that is none of the above.
func (r *Reply) payload(p []byte) error {
	if err := r.ready(); err != nil {
		return err
	}
	r.buf, r.seq = wire.AppendPacket(r.grown(), r.seq, p)
	return r.room()
}

// Flush hands on what is buffered. The server flushes at the end of a command; a session calls it before it waits for long in the middle of one.
func (r *Reply) Flush() error {
	if r.err != nil {
		return r.err
	}
	if len(r.buf) == 0 {
		return nil
	}
	err := r.send(r.buf)
	r.buf = r.buf[:0]
	return err
}

func (r *Reply) send(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	r.written += int64(len(p))
	if err := r.sink.write(p); err != nil {
		r.err = fmt.Errorf("write to the client: %w", err)
	}
	return r.err
}

// ready checks that a new packet may begin.
func (r *Reply) ready() error {
	switch {
	case r.err != nil:
	case r.skip > 0 || r.partial:
		r.err = errPartial
	case r.over:
		r.err = errOver
	}
	r.answered = true
	return r.err
}

// ended notes that a result is complete, and with it the answer unless more results were announced.
func (r *Reply) ended() { r.inSet, r.over = false, !r.more }

// room flushes when the buffer is nearly full.
func (r *Reply) room() error {
	if len(r.buf) < replyBuffer-1024 {
		return r.err
	}
	return r.Flush()
}

func (r *Reply) grown() []byte {
	if r.buf == nil {
		r.buf = r.pool.take()
	}
	return r.buf
}

func (r *Reply) mark() (mark int) {
	r.buf, mark = wire.BeginPacket(r.grown())
	return mark
}

func (r *Reply) end(mark int) {
	r.buf, r.seq = wire.EndPacket(r.buf, mark, r.seq)
}

func (r *Reply) withMore(s wire.Status) wire.Status {
	if r.more {
		return s | wire.StatusMoreResults
	}
	return s &^ wire.StatusMoreResults
}

// release gives the buffer back after a flush.
func (r *Reply) release() {
	if r.buf != nil {
		r.pool.give(r.buf)
		r.buf = nil
	}
}
