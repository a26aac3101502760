package router

import (
	"context"
	"sync"

	"ballast/router/engine"
	"ballast/sqlfront/wire"
)

// shards opens queries of a scatter statement on nodes: on pooled connections, or on those of the session's transaction.
type shards struct {
	s *Session
}

// Open implements engine.Shards. Operators open several at once.
func (h shards) Open(ctx context.Context, q engine.Query) (engine.Stream, error) {
	if b := h.s.txn.at(q.Node); b != nil {
		return b.open(ctx, h.s, q)
	}
	k, err := h.s.join(ctx, q.Node)
	if err != nil {
		return nil, err
	}
	st, err := k.Query(ctx, q.SQL, q.Format)
	if err != nil {
		return nil, h.s.done(ctx, k, err)
	}
	return &pooledStream{Stream: st, end: func() { h.s.giveBack(k) }}, nil
}

// pooledStream gives its connection back when it is closed.
type pooledStream struct {
	engine.Stream
	end  func()
	once sync.Once
}

// Close ends the rows and gives the connection back.
func (p *pooledStream) Close() error {
	err := p.Stream.Close()
	p.once.Do(p.end)
	return err
}

// open runs a query on the transaction's own connection. Operators may read several answers of one node side by side: the connection
// keeps the rows of the earlier one in memory, and the lock keeps their users from meeting on it.
func (b *branch) open(ctx context.Context, s *Session, q engine.Query) (engine.Stream, error) {
	b.use.Lock()
	defer b.use.Unlock()
	b.conn.Apply(s.settings)
	st, err := b.conn.Query(ctx, q.SQL, q.Format)
	if err != nil {
		return nil, err
	}
	return &branchStream{st: st, b: b}, nil
}

// branchStream is an answer on a transaction's connection.
type branchStream struct {
	st  engine.Stream
	b   *branch
	row []byte
}

// Columns are the answer's column definitions.
func (p *branchStream) Columns() []wire.Column { return p.st.Columns() }

// Next gives the next row.
func (p *branchStream) Next() ([]byte, error) {
	p.b.use.Lock()
	defer p.b.use.Unlock()
	row, err := p.st.Next()
	p.row = append(p.row[:0], row...) // the connection's buffer is another query's by the time the row is read
	return p.row, err
}

// Warnings is the count of the answer's last packet.
func (p *branchStream) Warnings() uint16 {
	p.b.use.Lock()
	defer p.b.use.Unlock()
	return p.st.Warnings()
}

// Close reads the rest and throws it away: cutting it short would cost the connection, and with it the transaction.
func (p *branchStream) Close() error {
	p.b.use.Lock()
	defer p.b.use.Unlock()
	for {
		if _, err := p.st.Next(); err != nil {
			return p.st.Close()
		}
	}
}

// settleBranches looks at what a scatter statement did to the transaction's nodes: what ended on one of them ends on all.
func (s *Session) settleBranches(ctx context.Context, cause error) error {
	for _, b := range s.txn.branches {
		if b.conn.Broken() {
			return s.lostBranch(ctx, b, cause)
		}
	}
	for _, b := range s.txn.branches {
		was := b.inTrans
		if cause != nil && was && b.conn.InTransaction() {
			if _, err := b.conn.Exec(ctx, []byte("DO 0")); err != nil {
				return s.lostBranch(ctx, b, err)
			}
		}
		b.inTrans = b.conn.InTransaction()
		if was && !b.inTrans {
			s.endElsewhere(ctx, b, "ROLLBACK")
			return cause
		}
	}
	return cause
}
