package backend

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"ballast/sqlfront/wire"
)

// errNoAnswer is in the chain when a server owes an answer for too long.
var errNoAnswer = errors.New("no answer in time")

// Conn is a connection to a node, held by one session at a time. Its methods must not overlap, except KillQuery and Interrupt.
type Conn struct {
	node    *node
	class   Class
	server  server
	link    link
	in      wire.Inbox
	inBuf   *[]byte // the buffer lent to in
	tracker wire.Tracker
	out     []byte // write buffer
	cmd     []byte // a command being encoded
	last    lastPacket
	// answerSeq is the sequence number of the first packet of the answer to come.
	answerSeq uint8

	// inForce is what the connection has; nil after a reset. want is what the next statement must have.
	inForce, want *Settings
	status        wire.Status
	stmts         statements

	shard     *shard // where it belongs for life; nil outside the pool
	idleSince int64  // by Cluster.now
	usage     usage  // how the pool counts it while it is used
	place     int    // in node.all
	reused    bool   // came out of the pool and has not exchanged anything since
	resetSent bool   // the answer to a COM_RESET_CONNECTION has not been read yet
	selected  bool   // a default database was selected: that can't be undone
	tainted   bool
	broken    bool
	streaming *Stream                  // the result being read
	shape     definitions              // of the last result that was read row by row
	flight    flight                   // the command that a loop carries out
	extend    func() (time.Time, bool) // during login, see node.patience

	id      atomic.Uint32 // the server's thread
	running atomic.Uint64 // see kill.go
	severed atomic.Bool
	linkMu  sync.Mutex // guards replacing the link against sever
	kill    killSwitch
}

// Node is the place of the connection's node.
func (k *Conn) Node() int { return k.node.index }

// Shard is the shard of the pool that the connection belongs to.
func (k *Conn) Shard() int { return k.shard.index }

// NodeName is its name.
func (k *Conn) NodeName() string { return k.node.name }

// ThreadID is the connection's id on the node.
func (k *Conn) ThreadID() uint32 { return k.id.Load() }

// Status is the server's status word as of the last answer: whether a transaction is open there, for instance.
func (k *Conn) Status() wire.Status { return k.status }

// InTransaction tells whether a transaction is open on the node, as of the last answer.
func (k *Conn) InTransaction() bool { return k.status.Has(wire.StatusInTrans) }

// Broken tells whether the connection is of no more use: whatever was open on it is gone.
func (k *Conn) Broken() bool { return k.broken || k.severed.Load() }

// Settings is what the connection has, or will have with its next statement.
func (k *Conn) Settings() *Settings { return k.want }

// Apply says what the following statements must find in force. Nothing is sent before the next statement.
func (k *Conn) Apply(s *Settings) { k.want = s }

// Taint marks the connection as holding state that settings don't describe (user variables, temporary tables, locks): it is reset
// before anybody else gets it.
func (k *Conn) Taint() { k.tainted = true }

// Release gives the connection back. One with a transaction open, or tainted, is reset first; a broken one is closed.
func (k *Conn) Release() { k.release(k.node.cluster.now()) }

// ReleaseOnLoop is Release for a connection that is Clean, on its loop.
func (k *Conn) ReleaseOnLoop() { k.release(k.node.cluster.nowOn(k.link.nl.Loop())) }

func (k *Conn) release(now int64) {
	if k.streaming != nil {
		k.broken = true // rows are still coming
	}
	if k.Broken() {
		k.close()
		return
	}
	if (k.tainted || k.InTransaction()) && !k.sendReset() {
		k.close()
		return
	}
	k.trim()
	k.reused = true
	k.shard.put(k, now)
}

// Discard closes the connection.
func (k *Conn) Discard() {
	k.close()
}

// sendReset asks the server to forget everything, without waiting: the answer is read before the next use.
func (k *Conn) sendReset() bool {
	k.node.metrics.resets.Inc()
	k.out, _ = wire.AppendPacket(k.out[:0], 0, []byte{byte(wire.ComResetConnection)})
	if _, err := k.link.conn.Write(k.out); err != nil {
		return false
	}
	k.resetSent, k.tainted = true, false
	k.inForce = nil
	k.status &^= wire.StatusInTrans
	k.stmts.forget()
	return true
}

// alive looks whether the server is still there; it sends nothing.
func (k *Conn) alive() bool { return k.resetSent || k.link.quiet() }

func (k *Conn) finishReset() error {
	if err := k.link.deadline(time.Now().Add(k.node.cfg.StallAfter)); err != nil {
		return err
	}
	k.in.Seq = 1
	payload, err := k.receive()
	if err != nil {
		return err
	}
	if _, err := k.okOrError(payload); err != nil {
		return err
	}
	k.rest()
	k.resetSent = false
	return k.link.deadline(time.Time{})
}

// close closes the link and gives the connection's place in the pool back.
func (k *Conn) close() {
	k.closeLink()
	k.node.disown(k)
	k.shard.left(k)
}

func (k *Conn) closeLink() {
	k.broken = true
	if k.severed.Swap(true) {
		return
	}
	k.linkMu.Lock()
	defer k.linkMu.Unlock()
	k.say(k.link.conn.Close())
}

// sever breaks the connection from outside: whoever waits on it gets an error at once.
func (k *Conn) sever() {
	if k.severed.Swap(true) {
		return
	}
	k.linkMu.Lock()
	defer k.linkMu.Unlock()
	k.say(k.link.conn.Close())
}

// say logs an error that changes nothing.
func (k *Conn) say(err error) {
	if err != nil {
		k.node.cluster.log.Debug("close connection to node", logNode, k.node.name, logError, err)
	}
}

// trim keeps an idle connection small.
func (k *Conn) trim() {
	k.rest()
	if cap(k.out) > 16<<10 {
		k.out = nil
	}
	if cap(k.cmd) > 16<<10 {
		k.cmd = nil
	}
	if cap(k.last.b) > 1<<10 {
		k.last.b = nil
	}
}

// rest gives the inbox's buffer back while nothing is in it.
func (k *Conn) rest() {
	if k.in.Buffered() > 0 || !k.in.Holds() {
		return
	}
	if grown := k.in.Release(); len(grown) == len(*k.inBuf) {
		k.link.pool.put(k.inBuf)
	}
	k.inBuf = nil
}

// lend gives the inbox a buffer with n bytes of an answer already in it.
func (k *Conn) lend(b *[]byte, n int) {
	k.inBuf = b
	k.in.Use(*b)
	k.in.Filled(n)
}

// receive reads the next packet of an answer, joined if it is long; valid until the next receive.
func (k *Conn) receive() ([]byte, error) {
	for {
		payload, ok, err := k.in.Next()
		if errors.Is(err, wire.ErrTooLarge) {
			k.broken = true
			return nil, errRowSize.Wrap(err, k.node.name, k.in.Max)
		}
		if err != nil {
			return nil, k.malformed(err)
		}
		if ok {
			return payload, nil
		}
		if !k.in.Holds() {
			k.lend(k.link.pool.get(), 0)
		}
		n, err := k.link.read(k.in.Space(k.in.Need()))
		if err != nil {
			return nil, k.lost(nil, err)
		}
		k.in.Filled(n)
		k.node.heard.Add(1)
	}
}

// okOrError reads the payload of an OK or ERR packet.
func (k *Conn) okOrError(payload []byte) (wire.OK, error) {
	if len(payload) > 0 && payload[0] == wire.ErrHeader {
		se := new(wire.ServerError)
		if err := se.Decode(payload); err != nil {
			return wire.OK{}, k.malformed(err)
		}
		k.note(se.Number)
		return wire.OK{}, se
	}
	var ok wire.OK
	if err := ok.Decode(payload); err != nil {
		return wire.OK{}, k.malformed(err)
	}
	k.status = ok.Status
	return ok, nil
}

// lost turns an I/O error into what a client reads, and has the node looked at.
func (k *Conn) lost(ctx context.Context, err error) error {
	k.broken = true
	n := k.node
	if ctx != nil && ctx.Err() != nil {
		return errInterrupted.Wrap(context.Cause(ctx))
	}
	n.metrics.lost.Inc()
	n.sweep()
	n.wake()
	if isTimeout(err) {
		err = errors.Join(errNoAnswer, err)
	}
	return errLost.Wrap(err, n.name)
}

// malformed gives up a connection whose bytes make no sense.
func (k *Conn) malformed(err error) error {
	k.broken = true
	k.node.cluster.log.Error("malformed answer from node", logNode, k.node.name, logError, err)
	return errProtocol.Wrap(err, k.node.name)
}

// note looks at the number of a server's error for what it says about the connection.
func (k *Conn) note(number uint16) {
	if saysGoodbye(number) {
		k.broken = true
	}
}

// saysGoodbye tells the errors after which a server closes the connection: shutdown, killed, idle for too long.
func saysGoodbye(number uint16) bool {
	switch number {
	case 1053, 1927, 3169, 4031:
		return true
	}
	return false
}
