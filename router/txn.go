package router

import (
	"context"
	"slices"
	"sync"

	"ballast/router/backend"
)

// transaction is a session's transaction over nodes. It is opened on a node only when the first statement goes there; each node that
// joined keeps its connection until the end. Rows may be read on any node and written on one, so that COMMIT is one node's decision.
type transaction struct {
	// explicit: BEGIN or START TRANSACTION was said. With autocommit off a transaction is open without it as soon as a node has joined.
	explicit bool
	// opening holds what opens the transaction on a node, in order.
	opening []string
	// chain and chainOnce are what AND CHAIN opens the next transaction with: the same as this one.
	chain, chainOnce []string
	// once holds SET TRANSACTION statements that count for the next transaction only.
	once []string
	// writer is the node that was written to; -1 is none.
	writer int
	// savepoints that stand, oldest first; a node that joins later gets them all.
	savepoints []string
	// lost is set when a node went away under an open transaction.
	lost error

	mu       sync.Mutex // scatter reads join nodes concurrently
	branches []*branch
}

// branch is one node's part of a transaction.
type branch struct {
	node int
	conn *backend.Conn
	// inTrans is what the node's last answer said.
	inTrans bool
	use     sync.Mutex   // operators of one statement share the connection
	reading *branchQuery // the one whose answer is on the connection; nil for none
}

const noNode = -1

func (t *transaction) at(node int) *branch {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.find(node)
}

// find is at where no other goroutine works for the session.
func (t *transaction) find(node int) *branch {
	for _, b := range t.branches {
		if b.node == node {
			return b
		}
	}
	return nil
}

func (t *transaction) add(b *branch) {
	b.conn.Pin()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.branches = append(t.branches, b)
}

// drop takes a branch out whose connection took no part after all.
func (t *transaction) drop(k *backend.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.branches = slices.DeleteFunc(t.branches, func(b *branch) bool { return b.conn == k })
}

// clear forgets the transaction, whose connections have been dealt with.
func (t *transaction) clear() {
	t.chain, t.chainOnce = t.opening, t.once
	t.once = nil
	t.explicit, t.opening, t.savepoints, t.lost = false, nil, t.savepoints[:0], nil
	t.branches = t.branches[:0]
	t.writer = noNode
}

// spent forgets what SET TRANSACTION said once a statement of its own, outside any transaction, has used it.
func (s *Session) spent() {
	if !s.pins() {
		s.txn.once = nil
	}
}

// pins says whether connections stay with the session after a statement.
func (s *Session) pins() bool { return s.txn.explicit || !s.autocommit }

// inTransaction is what the status word and implicit commits go by.
func (s *Session) inTransaction() bool { return s.txn.explicit || len(s.txn.branches) > 0 }

// mayWrite refuses a statement that would write on a second node.
func (s *Session) mayWrite(node int) error {
	if s.pins() && s.txn.writer != noNode && s.txn.writer != node {
		return errSecondWriter.New(s.nodeName(s.txn.writer), s.nodeName(node))
	}
	return nil
}

// writesOn notes that a statement writes on node, which has joined.
func (s *Session) writesOn(node int) {
	if s.pins() {
		s.txn.writer = node
	}
}

// begin opens an explicit transaction; nodes hear of it when they join. A consistent snapshot is one that is taken now, on every node.
func (s *Session) begin(ctx context.Context, opening string, snapshot bool) error {
	once := s.txn.once // what SET TRANSACTION said is for this one
	if s.inTransaction() {
		once = nil
	}
	if err := s.commit(ctx); err != nil {
		return err
	}
	s.txn.once = once
	s.txn.explicit = true
	s.txn.opening = []string{opening}
	if !snapshot {
		return nil
	}
	if err := s.joinAll(ctx, s.liveNodes()); err != nil {
		s.rollback(ctx)
		return err
	}
	return nil
}
