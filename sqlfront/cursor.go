package sqlfront

import (
	"context"
	"errors"
	"fmt"
	"io"

	"ballast/sqlfront/wire"
)

// cursor is a result set that a client fetches in pieces. The rows were read from the session in one go and lie in a spool.
type cursor struct {
	rows *spool
	row  []byte
}

func (c *cursor) close() { c.rows.close() }

// capture is the sink of a Reply while a cursor is being filled.
type capture struct {
	to      *spool
	tracker wire.Tracker
	pending []byte // not yet settled by the tracker
}

func (w *capture) write(p []byte) error {
	if err := w.to.write(p); err != nil {
		return err
	}
	w.pending = append(w.pending, p...)
	n, _, err := w.tracker.Feed(w.pending)
	if err != nil {
		return fmt.Errorf("rows for a cursor: %w", err)
	}
	w.pending = w.pending[:copy(w.pending, w.pending[n:])]
	return nil
}

// openCursor executes st with its answer going to a spool, and tells the client that it may fetch. An answer that is not exactly one result set
// goes to the client as it is, as servers do.
func (c *commands) openCursor(ctx context.Context, st *statement) outcome {
	r := c.reply
	client, seq := r.sink, r.seq
	w := &capture{to: newSpool(c.cfg), tracker: wire.Tracker{DeprecateEOF: r.deprecate}}
	w.tracker.ResetAt(seq)
	r.sink = w
	err := st.prepared.Execute(ctx, st.exec.Params, r)
	if err == nil && !r.Answered() {
		err = failNoAnswer.New()
	}
	if err != nil && r.err == nil {
		err = r.Err(err)
	}
	if err == nil {
		err = r.Flush()
	}
	r.buf = r.buf[:0]
	r.sink = client
	r.begin(seq, wire.Binary)
	if err != nil {
		w.to.close()
		return c.end(err)
	}
	if err := c.startCursor(st, w); err != nil {
		return c.end(err)
	}
	return outcomeNext
}

// startCursor writes the answer to an execution that was captured.
func (c *commands) startCursor(st *statement, w *capture) error {
	if w.tracker.Columns == 0 || w.tracker.Results != 1 {
		defer w.to.close()
		return w.to.each(func(payload []byte) error { return c.reply.payload(payload) })
	}
	for range w.tracker.Columns + 1 {
		payload, err := w.to.next(nil)
		if err != nil {
			w.to.close()
			return fmt.Errorf("read back a cursor's columns: %w", err)
		}
		if err := c.reply.payload(payload); err != nil {
			w.to.close()
			return err
		}
	}
	if !c.reply.DeprecateEOF() {
		if _, err := w.to.next(nil); err != nil {
			w.to.close()
			return fmt.Errorf("read back a cursor's columns: %w", err)
		}
	}
	st.cursor = &cursor{rows: w.to}
	return c.reply.EOF(c.session.Status()|wire.StatusCursorExists, 0)
}

// fetch answers COM_STMT_FETCH.
func (c *commands) fetch(body []byte) outcome {
	var m wire.StmtFetch
	if err := m.Decode(body); err != nil {
		return c.end(malformed(err))
	}
	st, err := c.statement(m.ID, "mysqld_stmt_fetch")
	if err != nil {
		return c.refuse(err)
	}
	if st.cursor == nil {
		return c.refuse(failNoCursor.New(m.ID))
	}
	for range m.Rows {
		last, err := c.fetchRow(st)
		if err != nil || last {
			return c.end(err)
		}
	}
	return c.end(c.reply.EOF(c.session.Status()|wire.StatusCursorExists, 0))
}

// fetchRow sends the next row; last is true when there was none and the end was answered.
func (c *commands) fetchRow(st *statement) (last bool, err error) {
	cur := st.cursor
	if cur.row, err = cur.rows.next(cur.row); err != nil {
		st.dropCursor()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return true, fmt.Errorf("read a cursor's rows: %w", err)
	}
	switch row := cur.row; {
	case len(row) == 0 || row[0] != wire.EOFHeader && row[0] != wire.ErrHeader:
		return false, c.reply.payload(row)
	case row[0] == wire.ErrHeader:
		err := c.reply.payload(row)
		st.dropCursor()
		return true, err
	default:
		st.dropCursor()
		return true, c.reply.EOF(c.session.Status()|wire.StatusLastRowSent, 0)
	}
}
