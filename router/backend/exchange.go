package backend

import (
	"context"
	"net"
	"time"

	"ballast/sqlfront/wire"
)

// bigCommand is the size, in bytes, from which a command is not copied into the write buffer.
const bigCommand = 256 << 10

// begin starts a command.
func (k *Conn) begin(ctx context.Context) error {
	if k.Broken() {
		return errUseless.New(k.node.name)
	}
	if k.streaming != nil {
		return errInUse.New(k.node.name)
	}
	if err := ctx.Err(); err != nil {
		return errInterrupted.Wrap(context.Cause(ctx))
	}
	if k.out == nil {
		k.out = make([]byte, 0, 1024)
	}
	k.enter()
	k.node.metrics.statements.Inc()
	if ctx.Err() != nil { // since it was looked at: whoever interrupts may have found nothing running
		k.end()
		return errInterrupted.Wrap(context.Cause(ctx))
	}
	return nil
}

// start sends a command with what it needs before it, and gives the first bytes of its own answer. readOnly says that the command changes
// nothing: only then is it sent along with the settings, since it would run even if they were refused, and only then is it sent again when
// the connection turns out to have died in the pool.
func (k *Conn) start(ctx context.Context, cmd []byte, readOnly bool) (buf *[]byte, n int, err error) {
	for again := false; ; again = true {
		buf, n, err = k.attempt(ctx, cmd, readOnly)
		if again || !k.reused || k.InTransaction() {
			break
		}
		unsent := err != nil && k.link.wrote == 0
		dead := err != nil && !isServerError(err) || err == nil && n > wire.HeaderSize+3 && (*buf)[wire.HeaderSize] == wire.ErrHeader &&
			saysGoodbye(uint16((*buf)[wire.HeaderSize+1])|uint16((*buf)[wire.HeaderSize+2])<<8)
		if !dead || !readOnly && !unsent || k.severed.Load() || ctx.Err() != nil {
			break
		}
		if buf != nil {
			k.link.pool.put(buf)
		}
		if err := k.reconnect(ctx); err != nil {
			return nil, 0, err
		}
	}
	k.reused = false
	return buf, n, err
}

// attempt is start without the second try.
func (k *Conn) attempt(ctx context.Context, cmd []byte, readOnly bool) (*[]byte, int, error) {
	if k.reused && !readOnly && !k.alive() { // a write can't be sent again: look before
		k.link.wrote = 0
		return nil, 0, k.lostIdle(ctx, net.ErrClosed)
	}
	replies := 0
	k.out = k.out[:0]
	if k.want != k.inForce {
		if k.out, replies = k.appendSettings(k.out); replies > 0 && (!readOnly || len(cmd) >= bigCommand) {
			if err := k.flush(ctx, replies); err != nil {
				return nil, 0, err
			}
			k.out, replies = k.out[:0], 0
		}
	}
	k.out = k.stmts.appendClosed(k.out)
	if len(cmd) >= bigCommand {
		return k.sendBig(ctx, cmd)
	}
	k.out, k.answerSeq = wire.AppendPacket(k.out, 0, cmd)
	buf, n, err := k.write(ctx)
	if err != nil || replies == 0 {
		return buf, n, err
	}
	return k.swallow(ctx, buf, n, replies)
}

// write sends k.out and reads the first bytes of the answer.
func (k *Conn) write(ctx context.Context) (*[]byte, int, error) {
	buf, n, err := k.link.exchange(k.out)
	for k.extend != nil && isTimeout(err) && k.link.wrote == len(k.out) {
		later, ok := k.extend()
		if !ok || k.link.deadline(later) != nil {
			break
		}
		buf = k.link.pool.get()
		if n, err = k.link.read(*buf); err != nil {
			k.link.pool.put(buf)
		}
	}
	switch {
	case err == nil:
		k.node.heard.Add(1)
		return buf, n, nil
	case k.link.wrote == 0:
		return nil, 0, k.lostIdle(ctx, err)
	}
	return nil, 0, k.lost(ctx, err)
}

// flush puts the settings in force that k.out holds, in a round trip of their own.
func (k *Conn) flush(ctx context.Context, replies int) error {
	buf, n, err := k.write(ctx)
	if err != nil {
		return err
	}
	k.lend(buf, n)
	for range replies {
		k.in.Seq = 1
		payload, err := k.receive()
		if err != nil {
			return err
		}
		if _, err := k.okOrError(payload); err != nil {
			k.broken = true // some of them may be in force
			return err
		}
	}
	k.rest()
	k.inForce = k.want
	return nil
}

// appendSettings appends the commands that put want in force; replies is how many answers they get.
func (k *Conn) appendSettings(dst []byte) (out []byte, replies int) {
	dst, mark := wire.BeginPacket(dst)
	empty := len(dst)
	dst = appendSet(append(dst, byte(wire.ComQuery)), k.inForce, k.want, k.server.variable)
	if len(dst) == empty+1 {
		dst = dst[:mark]
	} else {
		dst, _ = wire.EndPacket(dst, mark, 0)
		replies++
	}
	if k.want.db != "" && (k.inForce == nil || k.inForce.db != k.want.db) {
		dst, mark = wire.BeginPacket(dst)
		dst = append(append(dst, byte(wire.ComInitDB)), k.want.db...)
		dst, _ = wire.EndPacket(dst, mark, 0)
		k.selected = true
		replies++
	}
	if replies > 0 {
		k.node.metrics.settings.Inc()
	} else {
		k.inForce = k.want // differ in nothing that this connection must be told
	}
	return dst, replies
}

// swallow takes the answers of settings off the first bytes of an answer, reading on until bytes behind them have come. When a setting is
// refused, the connection is given up; the command behind it was harmless.
func (k *Conn) swallow(ctx context.Context, buf *[]byte, n, replies int) (*[]byte, int, error) {
	b, at := *buf, 0
	fail := func(err error) (*[]byte, int, error) {
		k.broken = true
		k.link.pool.put(buf)
		return nil, 0, err
	}
	for {
		for replies > 0 && n-at >= wire.HeaderSize {
			size, _ := wire.Header(b[at:])
			end := at + wire.HeaderSize + size
			if size > wire.MaxFinal {
				return fail(k.malformed(wire.ErrTooLarge))
			}
			if end > n {
				break
			}
			if _, err := k.okOrError(b[at+wire.HeaderSize : end]); err != nil {
				return fail(err)
			}
			at = end
			replies--
		}
		copy(b, b[at:n])
		n, at = n-at, 0
		if replies == 0 && n > 0 {
			k.inForce = k.want
			return buf, n, nil
		}
		more, err := k.link.read(b[n:])
		if err != nil {
			return fail(k.lost(ctx, err))
		}
		n += more
	}
}

// sendBig sends a large command and reads the first bytes of its answer.
func (k *Conn) sendBig(ctx context.Context, cmd []byte) (*[]byte, int, error) {
	if err := k.writeBig(ctx, cmd); err != nil {
		return nil, 0, err
	}
	sent := k.link.wrote
	buf, n, err := k.link.exchange(nil)
	k.link.wrote = sent
	if err != nil {
		return nil, 0, k.lost(ctx, err)
	}
	return buf, n, nil
}

// writeBig writes a large command without copying it, split into packets.
func (k *Conn) writeBig(ctx context.Context, cmd []byte) error {
	sent := 0
	for seq := uint8(0); ; seq++ {
		size := min(len(cmd), wire.MaxPayload)
		head := len(k.out)
		k.out = append(k.out, 0, 0, 0, 0)
		wire.PutHeader(k.out[head:], size, seq)
		parts := net.Buffers{k.out, cmd[:size]}
		w, err := parts.WriteTo(k.link.conn)
		sent += int(w)
		if err != nil {
			k.link.wrote = sent
			if said := k.lastWords(); said != nil {
				return said
			}
			return k.lost(ctx, err)
		}
		cmd, k.out = cmd[size:], k.out[:0]
		if size < wire.MaxPayload {
			k.answerSeq = seq + 1
			k.link.wrote = sent
			return nil
		}
	}
}

// lastWords reads what a server said before it stopped reading: a command above its max_allowed_packet ends so.
func (k *Conn) lastWords() error {
	if k.link.deadline(time.Now().Add(100*time.Millisecond)) != nil {
		return nil
	}
	k.in.Seq = 0
	buf := k.link.pool.get()
	defer k.link.pool.put(buf)
	n, err := k.link.read(*buf)
	b := (*buf)[:n]
	if err != nil || n <= wire.HeaderSize || b[wire.HeaderSize] != wire.ErrHeader {
		return nil
	}
	size, _ := wire.Header(b)
	if n < wire.HeaderSize+size {
		return nil
	}
	k.broken = true
	return serverError(b[wire.HeaderSize : wire.HeaderSize+size])
}

// lostIdle is lost for a connection on which nothing of the command went out.
func (k *Conn) lostIdle(ctx context.Context, err error) error {
	if failed := k.lost(ctx, err); ctx.Err() != nil {
		return failed
	}
	return errLostIdle.Wrap(err, k.node.name)
}

func isServerError(err error) bool {
	_, ok := err.(*wire.ServerError) //nolint:errorlint // okOrError gives it bare
	return ok
}

// readsOnly tells a plain SELECT.
func readsOnly(cmd []byte) bool {
	if len(cmd) < 8 || wire.Command(cmd[0]) != wire.ComQuery {
		return false
	}
	sql := cmd[1:]
	for len(sql) > 7 && (sql[0] == ' ' || sql[0] == '\n' || sql[0] == '\t' || sql[0] == '\r' || sql[0] == '(') {
		sql = sql[1:]
	}
	const word = "select"
	for i := range len(word) {
		if sql[i]|0x20 != word[i] {
			return false
		}
	}
	return sql[6] < '0'
}
