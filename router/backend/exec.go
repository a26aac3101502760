package backend

import (
	"context"

	"ballast/sqlfront/wire"
)

// Exec runs a statement whose answer is OK or an error; an error of the server is a *wire.ServerError. Rows, should there be any, are
// thrown away.
func (k *Conn) Exec(ctx context.Context, sql []byte) (wire.OK, error) {
	if err := k.begin(ctx); err != nil {
		return wire.OK{}, err
	}
	stop := k.whenCancelled(ctx)
	ok, err := k.exec(ctx, sql)
	k.end()
	stop()
	return ok, err
}

func (k *Conn) exec(ctx context.Context, sql []byte) (wire.OK, error) {
	k.cmd = append(append(k.cmd[:0], byte(wire.ComQuery)), sql...)
	last := &k.last
	last.b = last.b[:0]
	a, err := k.relay(ctx, k.cmd, readsOnly(k.cmd), last, false)
	if err != nil {
		return wire.OK{}, err
	}
	if a.IsErr {
		return wire.OK{}, last.serverError()
	}
	a.OK.Info = last.info()
	return a.OK, nil
}

// lastPacket is a sink that keeps the last bytes of an answer: enough for the packet that ends it.
type lastPacket struct{ b []byte }

// Relay keeps the end of what comes.
func (l *lastPacket) Relay(packets []byte) error {
	const keep = wire.MaxFinal + wire.HeaderSize
	if len(packets) > keep {
		packets, l.b = packets[len(packets)-keep:], l.b[:0]
	}
	l.b = append(l.b, packets...)
	if over := len(l.b) - keep; over > 0 {
		l.b = l.b[:copy(l.b, l.b[over:])]
	}
	return nil
}

// payload is an answer of one packet.
func (l *lastPacket) payload() []byte {
	if len(l.b) <= wire.HeaderSize {
		return nil
	}
	if size, _ := wire.Header(l.b); size == len(l.b)-wire.HeaderSize {
		return l.b[wire.HeaderSize:]
	}
	return nil
}

func (l *lastPacket) serverError() error {
	// The packet that ends an answer begins at some header in what was kept: alone in by far the most cases.
	for at := 0; at+wire.HeaderSize < len(l.b); {
		size, _ := wire.Header(l.b[at:])
		if at+wire.HeaderSize+size == len(l.b) {
			return serverError(l.b[at+wire.HeaderSize:])
		}
		at += wire.HeaderSize + size
	}
	return &wire.ServerError{Number: 1105, State: "HY000", Message: "unknown error in the middle of a result"}
}

func (l *lastPacket) info() string {
	var ok wire.OK
	if p := l.payload(); len(p) == 0 || p[0] != wire.OKHeader || ok.Decode(p) != nil {
		return ""
	}
	return ok.Info
}
