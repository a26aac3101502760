package router

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"ballast/router/backend"
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
	return &pooledStream{Stream: st, end: func() error { return h.s.finish(ctx, st, k) }}, nil
}

// finish gives a connection back after its rows, with what it warned of taken down.
func (s *Session) finish(ctx context.Context, st engine.Stream, k *backend.Conn) error {
	var err error
	if st.Warnings() > 0 && !k.Broken() {
		err = s.takeWarnings(ctx, k)
	}
	s.giveBack(k)
	return err
}

// takeWarnings adds a node's warnings to those of the statement.
func (s *Session) takeWarnings(ctx context.Context, k *backend.Conn) error {
	warned, err := s.fetchWarnings(ctx, k)
	s.warnedMu.Lock()
	defer s.warnedMu.Unlock()
	if s.warnedBy == nil {
		s.warnedBy = map[int][]warning{}
	}
	s.warnedBy[k.Node()] = append(s.warnedBy[k.Node()], warned...)
	return err
}

// warnings gives what all nodes warned of, in their order, and forgets it.
func (s *Session) warnings() []warning {
	s.warnedMu.Lock()
	defer s.warnedMu.Unlock()
	var out []warning
	for _, node := range slices.Sorted(maps.Keys(s.warnedBy)) {
		out = append(out, s.warnedBy[node]...)
	}
	s.warnedBy = nil
	return out[:min(len(out), maxWarnings)]
}

// pooledStream gives its connection back when it is closed.
type pooledStream struct {
	engine.Stream
	end  func() error
	once sync.Once
}

// Close ends the rows and gives the connection back.
func (p *pooledStream) Close() error {
	err := p.Stream.Close()
	p.once.Do(func() { err = errors.Join(err, p.end()) })
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
	return &branchStream{ctx: ctx, s: s, st: st, b: b}, nil
}

// branchStream is an answer on a transaction's connection.
type branchStream struct {
	ctx context.Context //nolint:containedctx // of the statement, which the stream is part of
	s   *Session
	st  engine.Stream
	b   *branch
	row []byte

	warned bool
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
			err = p.st.Close()
			if p.st.Warnings() > 0 && !p.warned && !p.b.conn.Broken() {
				p.warned = true
				err = errors.Join(err, p.s.takeWarnings(p.ctx, p.b.conn))
			}
			return err
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
