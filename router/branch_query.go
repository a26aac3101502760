package router

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"ballast/router/backend"
	"ballast/router/engine"
	"ballast/sqlfront/wire"
)

// start runs a query on the transaction's own connection. Operators may read several answers of one node side by side: what is left of the
// one being read is taken into memory first. The lock keeps their users from meeting on the connection.
func (b *branch) start(ctx context.Context, h *shards, q engine.Query) (engine.Started, error) {
	b.use.Lock()
	defer b.use.Unlock()
	if b.reading != nil {
		b.reading.keep()
		b.reading = nil
	}
	b.conn.Apply(h.s.settings)
	one := &branchQuery{ctx: ctx, s: h.s, b: b}
	one.answer.Lull = h.lull
	if err := b.conn.Send(ctx, &one.answer, q.SQL, q.Format); err != nil {
		return nil, err
	}
	b.reading = one
	return one, nil
}

// branchQuery is a query on a transaction's connection, and its rows. The branch's lock guards it.
type branchQuery struct {
	ctx    context.Context //nolint:containedctx // of the statement, which the query is part of
	s      *Session
	b      *branch
	answer backend.Stream
	row    []byte

	readied, opened, warned bool
	failed                  error // why there are no rows

	kept []byte // rows that were taken into memory, each behind its length in four bytes
	end  error  // what comes behind them; nil while the answer is read from the connection
}

// Ready implements engine.Started.
func (p *branchQuery) Ready() {
	p.b.use.Lock()
	defer p.b.use.Unlock()
	p.ready()
}

func (p *branchQuery) ready() {
	if !p.readied {
		p.readied = true
		p.answer.Ready()
	}
}

// Interrupt ends the query on its node.
func (p *branchQuery) Interrupt() { p.answer.Interrupt() }

// Rows waits for the beginning of the answer.
func (p *branchQuery) Rows() (engine.Stream, error) {
	p.b.use.Lock()
	defer p.b.use.Unlock()
	if p.open(); p.failed != nil {
		return nil, p.failed
	}
	return p, nil
}

func (p *branchQuery) open() {
	if !p.opened {
		p.opened = true
		p.ready()
		p.failed = p.answer.Rows()
	}
}

// keep takes what is left of the answer into memory.
func (p *branchQuery) keep() {
	p.open()
	if p.failed != nil || p.end != nil {
		return
	}
	limit := p.s.env.QueryMemory
	if limit <= 0 {
		limit = engine.DefaultBudget
	}
	p.answer.Lull = nil
	var over error
	for p.end == nil {
		row, err := p.answer.Next()
		switch {
		case err != nil:
			p.end = err
		case over != nil: // the connection must be read to the end all the same
		case int64(len(p.kept)+len(row)) > limit:
			over, p.kept = engine.OverBudget(limit), nil
		default:
			p.kept = append(binary.LittleEndian.AppendUint32(p.kept, uint32(len(row))), row...)
		}
	}
	if errors.Is(p.end, io.EOF) {
		if err := errors.Join(over, p.noteWarnings()); err != nil {
			p.end = err
		}
	}
}

// noteWarnings takes down what the node warned of, which the connection's next statement makes it forget.
func (p *branchQuery) noteWarnings() error {
	if p.answer.Warnings() == 0 || p.warned || p.b.conn.Broken() {
		return nil
	}
	p.warned = true
	return p.s.takeWarnings(p.ctx, p.b.conn)
}

// Columns are the answer's column definitions.
func (p *branchQuery) Columns() []wire.Column { return p.answer.Columns() }

// Next gives the next row.
func (p *branchQuery) Next() ([]byte, error) {
	p.b.use.Lock()
	defer p.b.use.Unlock()
	if p.end == nil {
		row, err := p.answer.Next()
		p.row = append(p.row[:0], row...) // the connection's buffer is another query's by the time the row is read
		return p.row, err
	}
	if len(p.kept) == 0 {
		return nil, p.end
	}
	const prefix = 4
	n := int(binary.LittleEndian.Uint32(p.kept))
	row := p.kept[prefix : prefix+n : prefix+n]
	p.kept = p.kept[prefix+n:]
	return row, nil
}

// Warnings is the count of the answer's last packet.
func (p *branchQuery) Warnings() uint16 {
	p.b.use.Lock()
	defer p.b.use.Unlock()
	return p.answer.Warnings()
}

// Close reads the rest and throws it away: cutting it short would cost the connection, and with it the transaction.
func (p *branchQuery) Close() error {
	p.b.use.Lock()
	defer p.b.use.Unlock()
	if p.b.reading == p {
		p.b.reading = nil
	}
	p.kept = nil
	if p.end != nil {
		return nil
	}
	p.answer.Lull = nil
	for {
		if _, err := p.answer.Next(); err != nil {
			return errors.Join(p.answer.Close(), p.noteWarnings())
		}
	}
}
