package router

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"ballast/router/backend"
	"ballast/router/engine"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// shards runs the queries of one scatter statement on nodes: on pooled connections, or on those of the session's transaction.
type shards struct {
	s *Session
	// nodes is how many nodes the statement is likely to ask.
	nodes int
	// reply is the answer being written, once its rows are being read.
	reply *sqlfront.Reply
	lull  func()

	mu    sync.Mutex
	spare []nodeQuery
}

func (s *Session) onShards(nodes int) *shards {
	h := &shards{s: s, nodes: nodes}
	h.lull = h.flush
	return h
}

// flush passes on what there is of the answer while the next rows are slow in coming. An error of it comes again with the next row.
func (h *shards) flush() {
	if h.reply != nil && h.reply.Flush() != nil {
		h.reply = nil
	}
}

// Start implements engine.Shards.
func (h *shards) Start(ctx context.Context, q engine.Query) (engine.Started, error) {
	s := h.s
	if b := s.txn.at(q.Node); b != nil {
		return b.start(ctx, h, q)
	}
	k, err := s.join(ctx, q.Node)
	if err != nil {
		return nil, err
	}
	one := h.one()
	one.ctx, one.s, one.k = ctx, s, k
	one.answer.Lull = h.lull
	if err := k.Send(ctx, &one.answer, q.SQL, q.Format); err != nil {
		return nil, s.done(ctx, k, err)
	}
	return one, nil
}

// one gives a query of those that were made together.
func (h *shards) one() *nodeQuery {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.spare) == 0 {
		h.spare = make([]nodeQuery, max(h.nodes, 1))
	}
	q := &h.spare[0]
	h.spare = h.spare[1:]
	return q
}

// nodeQuery is a query on a pooled connection, and its rows.
type nodeQuery struct {
	ctx    context.Context //nolint:containedctx // of the statement, which the query is part of
	s      *Session
	k      *backend.Conn
	answer backend.Stream
	closed bool
}

// Ready implements engine.Started.
func (q *nodeQuery) Ready() { q.answer.Ready() }

// Interrupt ends the query on its node.
func (q *nodeQuery) Interrupt() { q.answer.Interrupt() }

// Rows waits for the beginning of the answer.
func (q *nodeQuery) Rows() (engine.Stream, error) {
	if err := q.answer.Rows(); err != nil {
		q.closed = true
		return nil, q.s.done(q.ctx, q.k, err)
	}
	return q, nil
}

// Columns are the answer's column definitions.
func (q *nodeQuery) Columns() []wire.Column { return q.answer.Columns() }

// Next gives the next row.
func (q *nodeQuery) Next() ([]byte, error) { return q.answer.Next() }

// Warnings is the count of the answer's last packet.
func (q *nodeQuery) Warnings() uint16 { return q.answer.Warnings() }

// Close ends the rows and gives the connection back.
func (q *nodeQuery) Close() error {
	if q.closed {
		return nil
	}
	q.closed = true
	err := q.answer.Close()
	if ending := q.s.finish(q.ctx, q.answer.Warnings(), q.k); ending != nil {
		err = errors.Join(err, ending)
	}
	return err
}

// finish gives a connection back after its rows, with what it warned of taken down.
func (s *Session) finish(ctx context.Context, warnings uint16, k *backend.Conn) error {
	var err error
	if warnings > 0 && !k.Broken() {
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
	if len(s.warnedBy) == 0 {
		return nil
	}
	var out []warning
	for _, node := range slices.Sorted(maps.Keys(s.warnedBy)) {
		out = append(out, s.warnedBy[node]...)
	}
	s.warnedBy = nil
	return out[:min(len(out), maxWarnings)]
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
