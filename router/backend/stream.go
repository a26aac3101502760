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

// stream is one answer's rows, read packet by packet. It implements engine.Stream.
type stream struct {
	k        *Conn
	columns  []wire.Column
	warnings uint16
	end      error // why there are no more rows; io.EOF after the last
	counted  bool  // begin was called: end must be
	stop     func() bool
}

// Query runs a query and gives its rows as raw payloads; rows longer than Config.MaxRow are an error. It returns when the column
// definitions have come; an error of the server is a *wire.ServerError. The connection is busy until the stream is closed or has given
// io.EOF; closing it leaves the connection with the caller. Binary rows come by a statement prepared for this query. Cancelling ctx ends
// the stream.
func (k *Conn) Query(ctx context.Context, sql []byte, f wire.Format) (engine.Stream, error) {
	if err := k.begin(ctx); err != nil {
		return nil, err
	}
	stop := k.whenCancelled(ctx)
	st, err := k.query(ctx, sql, f)
	if err != nil {
		k.end()
		stop()
		if ctx.Err() != nil {
			err = errInterrupted.Wrap(err)
		}
		return nil, err
	}
	st.stop, st.counted = stop, true
	if st.end != nil {
		st.finish()
	}
	return st, nil
}

func (k *Conn) query(ctx context.Context, sql []byte, f wire.Format) (*stream, error) {
	if f == wire.Text {
		return k.open(ctx, append(append(make([]byte, 0, 1+len(sql)), byte(wire.ComQuery)), sql...))
	}
	st, err := k.prepare(ctx, sql)
	if err != nil {
		return nil, err
	}
	exec := wire.StmtExecute{ID: st.id, Iterations: 1}
	rows, err := k.open(ctx, exec.Append(nil))
	k.stmts.close(st.id)
	return rows, err
}

// open sends a command and reads its answer up to the first row.
func (k *Conn) open(ctx context.Context, cmd []byte) (*stream, error) {
	buf, n, err := k.start(ctx, cmd, readsOnly(cmd))
	if err != nil {
		return nil, err
	}
	k.lend(buf, n)
	k.in.Seq = k.answerSeq
	st := &stream{k: k}
	k.streaming = st
	err = st.head()
	if err == nil && st.end == nil {
		return st, nil
	}
	k.streaming = nil
	k.rest()
	return st, err
}

// head reads what comes before the rows. An answer without columns is over with it.
func (st *stream) head() error {
	k := st.k
	first, err := k.receive()
	if err != nil {
		return err
	}
	if len(first) == 0 {
		return k.malformed(wire.ErrMalformed)
	}
	if first[0] == wire.OKHeader || first[0] == wire.ErrHeader {
		ok, err := k.okOrError(first)
		st.warnings, st.end = ok.Warnings, io.EOF
		return err
	}
	count, n := wire.LenencInt(first)
	if n != len(first) || count == 0 || count > 1<<16 {
		return k.malformed(wire.ErrMalformed)
	}
	st.columns = make([]wire.Column, count)
	for i := range st.columns {
		def, err := k.receive()
		if err != nil {
			return err
		}
		if len(def) > 0 && def[0] == wire.ErrHeader {
			_, err := k.okOrError(def)
			return err
		}
		if err := st.columns[i].Decode(def); err != nil {
			return k.malformed(err)
		}
	}
	if k.class&DeprecateEOF != 0 {
		return nil
	}
	if _, err := k.receive(); err != nil { // EOF behind the definitions
		return err
	}
	return nil
}

// Columns are the column definitions.
func (st *stream) Columns() []wire.Column { return st.columns }

// Warnings is the count of the last packet.
func (st *stream) Warnings() uint16 { return st.warnings }

// Next gives the next row's payload, valid until the following call.
func (st *stream) Next() ([]byte, error) {
	if st.end != nil {
		return nil, st.end
	}
	payload, err := st.k.receive()
	return st.take(payload, err)
}

// take looks at what was received: a row, or the end.
func (st *stream) take(payload []byte, err error) ([]byte, error) {
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
func (st *stream) last(warnings uint16) {
	st.warnings, st.end = warnings, io.EOF
	if st.k.status.Has(wire.StatusMoreResults) { // a procedure's further results are nothing that is merged
		st.end = st.k.malformed(errors.New("more than one result"))
	}
}

// finish frees the connection for its next command.
func (st *stream) finish() {
	k := st.k
	if k.streaming == st {
		k.streaming = nil
		k.rest()
	}
	if st.counted {
		st.counted = false
		k.end()
		st.stop()
	}
}

// Close gives up the rest: a short one is read, to keep the connection; else the connection is broken.
func (st *stream) Close() error {
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
	if k.link.deadline(time.Now().Add(drainTime)) == nil {
		for left := drainBytes; left > 0 && st.end == nil; {
			row, err := st.Next()
			if err != nil {
				break
			}
			left -= len(row) + wire.HeaderSize
		}
	}
	if !errors.Is(st.end, io.EOF) || k.link.deadline(time.Time{}) != nil {
		k.broken = true
		k.closeLink()
	}
	if st.end == nil {
		st.end = io.EOF
		st.finish()
	}
	return nil
}
