package backend

import (
	"context"
	"errors"
	"io"
	"time"

	"ballast/router/engine"
	"ballast/sqlfront/wire"
)

// How much of an answer is read only to keep its connection, when the reader has had enough: bytes, and time.
const (
	drainBytes = 256 << 10
	drainTime  = 20 * time.Millisecond
)

// lullAfter is how long a reader waits for the next row before it has Stream.Lull called.
const lullAfter = time.Millisecond

// Stream is one query on a connection and its rows, read packet by packet. Conn.Send starts it; then Ready and Rows are called, and what
// engine.Stream has. The zero value is ready for Send.
type Stream struct {
	// Lull, if set, is called when the next row is slow in coming, by the goroutine that reads.
	Lull func()

	k       *Conn
	ctx     context.Context //nolint:containedctx // of the statement that the stream is part of
	sql     []byte
	seen    uint64 // Conn.running as of this query
	stage   stage
	replies int // of settings, before the query's own answer
	wrong   error
	stmt    uint32 // the statement of a binary answer
	kept    bool   // it had been prepared before

	columns  []wire.Column
	warnings uint16
	end      error // why there are no more rows; io.EOF after the last
	counted  bool  // begin was called: end must be
	stop     func() bool
}

// stage is what the next bytes from the node answer.
type stage uint8

const (
	stageQuery stage = iota
	stagePrepare
	stageExecute
)

// Query runs a query and gives its rows as raw payloads; rows longer than Config.MaxRow are an error. It returns when the column
// definitions have come; an error of the server is a *wire.ServerError. The connection is busy until the stream is closed or has given
// io.EOF; closing it leaves the connection with the caller. Binary rows come by a prepared statement. Cancelling ctx ends the stream.
func (k *Conn) Query(ctx context.Context, sql []byte, f wire.Format) (engine.Stream, error) {
	st := new(Stream)
	if err := k.Send(ctx, st, sql, f); err != nil {
		return nil, err
	}
	stop := k.whenCancelled(ctx)
	st.Ready()
	if err := st.Rows(); err != nil {
		stop()
		return nil, err
	}
	if !st.counted {
		stop()
		return st, nil
	}
	st.stop = stop
	return st, nil
}

// Columns are the column definitions; they must not be changed.
func (st *Stream) Columns() []wire.Column { return st.columns }

// Warnings is the count of the last packet.
func (st *Stream) Warnings() uint16 { return st.warnings }

// Next gives the next row's payload, valid until the following call.
func (st *Stream) Next() ([]byte, error) {
	if st.end != nil {
		return nil, st.end
	}
	payload, ok, err := st.k.in.Next()
	if ok {
		return st.take(payload, nil)
	}
	if err == nil && st.Lull != nil {
		if err := st.patient(); err != nil {
			return st.take(nil, err)
		}
	}
	payload, err = st.k.receive() // an error of the packets themselves comes again
	return st.take(payload, err)
}

// patient waits for more bytes, and has Lull called when there are none for a while.
func (st *Stream) patient() error {
	k := st.k
	if k.link.nl == nil && k.link.raw == nil { // TLS: a read that was broken off could lose bytes
		st.Lull()
		return nil
	}
	if !k.in.Holds() {
		k.lend(k.link.pool.get(), 0)
	}
	if err := k.link.deadline(time.Now().Add(lullAfter)); err != nil {
		return k.lost(nil, err) //nolint:staticcheck // as receive
	}
	n, err := k.link.read(k.in.Space(k.in.Need()))
	if isTimeout(err) {
		st.Lull()
		n, err = 0, nil
	}
	if err == nil {
		err = k.link.deadline(time.Time{})
	}
	if err != nil {
		return k.lost(nil, err) //nolint:staticcheck // as receive
	}
	k.in.Filled(n)
	k.node.heard.Add(uint64(min(n, 1)))
	return nil
}

// take looks at what was received: a row, or the end.
func (st *Stream) take(payload []byte, err error) ([]byte, error) {
	k := st.k
	switch {
	case err != nil:
		st.end = err
	case len(payload) == 0:
		return payload, nil
	case payload[0] == wire.ErrHeader:
		_, st.end = k.okOrError(payload)
	case payload[0] != wire.EOFHeader:
		return payload, nil
	case k.class&DeprecateEOF != 0 && len(payload) < wire.MaxPayload:
		var ok wire.OK
		if ok, st.end = k.okOrError(payload); st.end == nil {
			st.last(ok.Warnings)
		}
	case k.class&DeprecateEOF == 0 && len(payload) < 9:
		var eof wire.EOF
		if err := eof.Decode(payload); err != nil {
			st.end = k.malformed(err)
			break
		}
		k.status = eof.Status
		st.last(eof.Warnings)
	default:
		return payload, nil
	}
	st.finish()
	return nil, st.end
}

// last takes note of the packet behind the last row.
func (st *Stream) last(warnings uint16) {
	st.warnings, st.end = warnings, io.EOF
	if st.k.status.Has(wire.StatusMoreResults) { // a procedure's further results are nothing that is merged
		st.end = st.k.malformed(errors.New("more than one result"))
	}
}

// finish frees the connection for its next command.
func (st *Stream) finish() {
	k := st.k
	if k.streaming == st {
		k.streaming = nil
		k.rest()
	}
	if st.counted {
		st.counted = false
		k.end()
		if st.stop != nil {
			st.stop()
		}
	}
}

// Interrupt ends the query on the node, if it still runs there; it returns once the node has been told. Safe from any goroutine, at any
// time after Send.
func (st *Stream) Interrupt() { st.k.interrupt(context.Background(), st.seen) }

// Close gives up the rest: a short one is read, to keep the connection; else the connection is broken.
func (st *Stream) Close() error {
	if st.end != nil {
		return nil
	}
	k := st.k
	for st.end == nil { // what has come already
		payload, ok, err := k.in.Next()
		if !ok || err != nil {
			break
		}
		if _, err := st.take(payload, nil); err != nil {
			break
		}
	}
	if errors.Is(st.end, io.EOF) {
		return nil
	}
	left := drainBytes
	if k.link.deadline(time.Now().Add(drainTime)) == nil {
		for left > 0 && st.end == nil {
			payload, err := k.receive()
			row, err := st.take(payload, err)
			if err != nil {
				break
			}
			left -= len(row) + wire.HeaderSize
		}
	}
	if !errors.Is(st.end, io.EOF) || k.link.deadline(time.Time{}) != nil {
		k.abort(left > 0)
	}
	if st.end == nil {
		st.end = io.EOF
		st.finish()
	}
	return nil
}
