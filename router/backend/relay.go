package backend

import (
	"context"
	"errors"

	"ballast/sqlfront/wire"
)

// Sink takes an answer's packets as they come from the node: whole or cut anywhere, valid during the call only. sqlfront.Reply is one.
type Sink interface {
	Relay(packets []byte) error
}

// ErrTorn is in the chain of an error that came after part of a packet had been relayed: the client's connection can only be closed.
var ErrTorn = errors.New("answer cut inside a packet")

// Answer is what is known about an answer that was relayed.
type Answer struct {
	// OK is the packet that ended it: affected rows and insert id of a write, status, warnings. Info is left out.
	wire.OK
	// Found is the first number of the OK's Info: the rows that a write matched or was given.
	Found uint64
	// Columns is the column count of the last result set, 0 for an OK; Rows counts the rows of all.
	Columns, Rows uint64
	// IsErr is true when it ended in an ERR packet, which was relayed too; ErrNumber is its number.
	IsErr     bool
	ErrNumber uint16
}

// Relay sends a command, its packet payload with the command byte, and hands the bytes of the answer to out as they come. more sets
// SERVER_MORE_RESULTS_EXISTS in the packet that ends it. An answer that ends in an error of the server is no error here: see
// Answer.IsErr. After an error nothing usable was relayed, unless ErrTorn is in its chain: when a node dies between two packets of an
// answer, Relay ends the answer with an ERR packet of its own. ctx is looked at before anything is sent; a statement that runs is ended by
// Interrupt, which costs nothing when it isn't needed.
func (k *Conn) Relay(ctx context.Context, cmd []byte, out Sink, more bool) (Answer, error) {
	if err := k.begin(ctx); err != nil {
		return Answer{}, err
	}
	answer, err := k.relay(ctx, cmd, readsOnly(cmd), out, more)
	k.end()
	return answer, err
}

func (k *Conn) relay(ctx context.Context, cmd []byte, readOnly bool, out Sink, more bool) (Answer, error) {
	buf, have, err := k.start(ctx, cmd, readOnly)
	if err != nil {
		return Answer{}, err
	}
	t := &k.tracker
	t.ResetAt(k.answerSeq)
	relayed := false
	for {
		b := (*buf)[:have]
		settled, done, err := t.Feed(b)
		if err != nil {
			k.link.pool.put(buf)
			return k.giveUp(k.malformed(err), out, relayed)
		}
		if done && more && t.StatusAt >= 0 {
			b[t.StatusAt] |= byte(wire.StatusMoreResults)
		}
		if settled > 0 {
			if err := out.Relay(b[:settled]); err != nil {
				k.broken = true
				k.link.pool.put(buf)
				return Answer{}, err
			}
			relayed = true
		}
		if done {
			trailing := settled < have
			k.link.pool.put(buf)
			return k.answered(trailing)
		}
		full := have == len(b)
		have = copy(b, b[settled:])
		if full {
			buf = k.link.pool.grow(buf, have)
		}
		n, err := k.link.read((*buf)[have:])
		if err != nil {
			k.link.pool.put(buf)
			return k.giveUp(k.lost(ctx, err), out, relayed)
		}
		have += n
		k.node.heard.Add(1)
	}
}

// answered takes note of a complete answer.
func (k *Conn) answered(trailing bool) (Answer, error) {
	t := &k.tracker
	if trailing || t.Infile {
		return Answer{}, k.malformed(wire.ErrMalformed)
	}
	a := Answer{OK: t.OK, Found: t.Found, Columns: t.Columns, Rows: t.Rows, IsErr: t.Failed, ErrNumber: t.ErrNumber}
	if t.Failed {
		k.note(t.ErrNumber)
		a.Status = k.afterError(t.ErrNumber)
	}
	k.status = a.Status &^ wire.StatusMoreResults
	return a, nil
}

// afterError is the status after an ERR packet, which carries none: the transaction is as before, unless the error is one that rolls it
// back as a whole.
func (k *Conn) afterError(number uint16) wire.Status {
	switch number {
	case 1213, 1614, 1180: // deadlock, branch rolled back, error during commit
		return k.status &^ (wire.StatusInTrans | wire.StatusInTransReadonly)
	}
	return k.status
}

// giveUp ends an answer that can't be completed: by an ERR packet where the client can still read one.
func (k *Conn) giveUp(why error, out Sink, relayed bool) (Answer, error) {
	t := &k.tracker
	if !relayed {
		return Answer{}, why
	}
	if !t.AtBoundary() {
		return Answer{}, errors.Join(why, ErrTorn)
	}
	said := wire.ServerError{Number: 1158, State: "08S01", Message: why.Error()}
	var coded interface{ MySQL() (uint16, string) }
	if errors.As(why, &coded) {
		said.Number, said.State = coded.MySQL()
	}
	packet, _ := wire.AppendPacket(nil, t.NextSeq(), said.Append(nil))
	if err := out.Relay(packet); err != nil {
		return Answer{}, err
	}
	return Answer{OK: wire.OK{Status: k.status}, Columns: t.Columns, Rows: t.Rows, IsErr: true, ErrNumber: said.Number}, nil
}
