package backend

import (
	"context"
	"io"
	"net"

	"ballast/sqlfront/wire"
)

// A Stream is begun in steps, so that one goroutine can have several nodes work at the same time: Send to all of them, then Ready, then Rows.
// Only Rows waits for an answer, and what it waits for has often come while it waited for another node.

// Send begins a query in st without waiting for its answer. After it Ready, and then Rows, must be called. ctx is looked at before anything is
// sent; what runs is ended by Interrupt.
func (k *Conn) Send(ctx context.Context, st *Stream, sql []byte, f wire.Format) error {
	lull := st.Lull
	if err := k.begin(ctx); err != nil {
		return err
	}
	*st = Stream{Lull: lull, k: k, ctx: ctx, sql: sql, seen: k.running.Load(), counted: true}
	if f == wire.Binary {
		st.stage = stagePrepare
		if l := &k.stmts.last; l.sql == string(sql) && l.id != 0 && k.want != nil && l.parse == k.want.parse {
			st.stage, st.stmt, st.kept = stageExecute, l.id, true
		}
	}
	k.streaming = st
	if err := st.post(); err != nil {
		return st.failed(err)
	}
	return nil
}

// command encodes what the stage asks for.
func (st *Stream) command() []byte {
	k := st.k
	switch st.stage {
	case stageExecute:
		exec := wire.StmtExecute{ID: st.stmt, Iterations: 1}
		k.cmd = exec.Append(k.cmd[:0])
	case stagePrepare:
		k.cmd = append(append(k.cmd[:0], byte(wire.ComStmtPrepare)), st.sql...)
	default:
		k.cmd = append(append(k.cmd[:0], byte(wire.ComQuery)), st.sql...)
	}
	return k.cmd
}

// readOnly says that the stage's command may be sent again, and along with settings. To prepare changes nothing.
func (st *Stream) readOnly(cmd []byte) bool {
	return st.stage == stagePrepare || st.stage == stageQuery && readsOnly(cmd)
}

// post writes the stage's command, with what it needs before it.
func (st *Stream) post() error {
	k := st.k
	cmd := st.command()
	readOnly := st.readOnly(cmd)
	if k.reused && !readOnly && !k.alive() {
		if err := st.anew(); err != nil {
			return err
		}
		cmd = st.command()
		readOnly = st.readOnly(cmd)
	}
	k.out, st.replies = k.out[:0], 0
	if k.want != k.inForce {
		if k.out, st.replies = k.appendSettings(k.out); st.replies > 0 && (!readOnly || len(cmd) >= bigCommand) {
			if err := k.flush(st.ctx, st.replies); err != nil {
				return err
			}
			k.out, st.replies = k.out[:0], 0
		}
	}
	k.out = k.stmts.appendClosed(k.out)
	if len(cmd) >= bigCommand {
		return k.writeBig(st.ctx, cmd)
	}
	k.out, k.answerSeq = wire.AppendPacket(k.out, 0, cmd)
	n, err := k.link.conn.Write(k.out)
	if err == nil || k.reused && readOnly && !k.InTransaction() { // firstBytes finds the connection dead, and asks again
		return nil
	}
	if n == 0 {
		return k.lostIdle(st.ctx, err)
	}
	return k.lost(st.ctx, err)
}

// anew replaces a connection that died in the pool, and with it its prepared statements.
func (st *Stream) anew() error {
	k := st.k
	if k.InTransaction() || k.severed.Load() || st.ctx.Err() != nil {
		return k.lostIdle(st.ctx, net.ErrClosed)
	}
	if err := k.reconnect(st.ctx); err != nil {
		return err
	}
	k.streaming = st // the login had a query of its own
	if st.kept {
		st.stage, st.kept = stagePrepare, false
	}
	return nil
}

// answer waits for the stage's answer to begin, and puts it into the inbox.
func (st *Stream) answer() error {
	k := st.k
	readOnly := st.readOnly(k.cmd)
	buf, n, err := k.link.exchange(nil)
	if err == nil {
		k.node.heard.Add(1)
		if st.replies > 0 {
			buf, n, err = k.swallow(st.ctx, buf, n, st.replies)
		}
	}
	if k.reused && readOnly && !k.InTransaction() && !k.severed.Load() && st.ctx.Err() == nil && diedIdle(buf, n, err) {
		if buf != nil {
			k.link.pool.put(buf)
		}
		if err := k.reconnect(st.ctx); err != nil {
			return err
		}
		k.streaming = st
		buf, n, err = k.attempt(st.ctx, st.command(), readOnly)
	} else if err != nil && !isServerError(err) && !k.broken {
		err = k.lost(st.ctx, err)
	}
	k.reused = false
	if err != nil {
		return err
	}
	k.lend(buf, n)
	k.in.Seq = k.answerSeq
	return nil
}

// diedIdle says whether the first bytes, or the lack of them, mean that the server had ended the connection before the command came.
func diedIdle(buf *[]byte, n int, err error) bool {
	if err != nil {
		return !isServerError(err)
	}
	b := (*buf)[:n]
	return n > wire.HeaderSize+3 && b[wire.HeaderSize] == wire.ErrHeader &&
		saysGoodbye(uint16(b[wire.HeaderSize+1])|uint16(b[wire.HeaderSize+2])<<8)
}

// Rows waits until the column definitions have come. After an error there is nothing to close.
func (st *Stream) Rows() error {
	err := st.wrong
	if err == nil {
		err = st.answer()
	}
	if err == nil {
		err = st.head()
	}
	if b := st.k.in.Peek(); err == nil && len(b) > wire.HeaderSize && b[wire.HeaderSize] == wire.ErrHeader {
		_, err = st.Next() // it failed before its first row; the definitions were on their way by then
	}
	if st.kept && forgotten(err) { // the server has lost it, or wants it prepared anew; nothing was done
		st.k.rest()
		st.k.stmts.last = lastStmt{}
		st.stage, st.kept = stagePrepare, false
		if err = st.post(); err == nil {
			st.Ready()
			return st.Rows()
		}
	}
	if st.stage == stageExecute && st.k.stmts.last.id != st.stmt {
		st.k.stmts.close(st.stmt)
	}
	if err != nil {
		return st.failed(err)
	}
	if st.end != nil {
		st.finish()
	}
	return nil
}

// failed ends a query that gives no rows.
func (st *Stream) failed(err error) error {
	if st.ctx.Err() != nil {
		err = errInterrupted.Wrap(err)
	}
	st.end = err
	st.finish()
	return err
}

// head reads what comes before the rows. An answer without columns is over with it.
func (st *Stream) head() error {
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
		if err == nil {
			st.warnings, st.end = ok.Warnings, io.EOF
		}
		return err
	}
	count, n := wire.LenencInt(first)
	if n != len(first) || count == 0 || count > 1<<16 {
		return k.malformed(wire.ErrMalformed)
	}
	if st.columns, err = k.shape.read(k, int(count)); err != nil {
		return err
	}
	if k.class&DeprecateEOF != 0 {
		return nil
	}
	_, err = k.receive() // EOF behind the definitions
	return err
}

// open sends a command and reads its answer up to the first row, while nobody else knows the connection yet.
func (k *Conn) open(ctx context.Context, cmd []byte) (*Stream, error) {
	buf, n, err := k.start(ctx, cmd, readsOnly(cmd))
	if err != nil {
		return nil, err
	}
	k.lend(buf, n)
	k.in.Seq = k.answerSeq
	st := &Stream{k: k, ctx: ctx}
	k.streaming = st
	if err := st.head(); err != nil {
		return nil, st.failed(err)
	}
	if st.end != nil {
		st.finish()
	}
	return st, nil
}

// abort breaks a connection whose rows nobody wants. While the server is still looking for them it would not notice: it is told.
func (k *Conn) abort(running bool) {
	if running && !k.Broken() {
		k.node.spawn(func() {
			if err := k.tellNode(context.Background()); err != nil {
				k.node.cluster.log.Debug("kill query on node", logNode, k.node.name, logError, err)
			}
		})
	}
	k.broken = true
	k.closeLink()
}
