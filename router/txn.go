package router

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"ballast/router/backend"
	"ballast/sqlfront/wire"
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
	use     sync.Mutex // operators of one statement share the connection
}

const noNode = -1

func (t *transaction) at(node int) *branch {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range t.branches {
		if b.node == node {
			return b
		}
	}
	return nil
}

func (t *transaction) add(b *branch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.branches = append(t.branches, b)
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

// join gives the connection for a statement on a node: the transaction's own, or one from the pool that done takes back.
func (s *Session) join(ctx context.Context, node int) (*backend.Conn, error) {
	if b := s.txn.at(node); b != nil {
		b.conn.Apply(s.settings)
		return b.conn, nil
	}
	k, err := s.acquire(ctx, node)
	if err != nil {
		return nil, err
	}
	if s.pins() {
		if err := s.openOn(ctx, node, k); err != nil {
			return nil, err
		}
	} else if len(s.txn.once) > 0 {
		if err := execAll(ctx, k, s.txn.once); err != nil {
			s.discard(k)
			return nil, err
		}
	}
	return k, nil
}

// joinAny is join for what any node can answer: when the one chosen can't be reached, the others are tried.
func (s *Session) joinAny(ctx context.Context) (*backend.Conn, error) {
	first := s.anyNode()
	if first == noNode {
		return nil, errNoNode.New()
	}
	k, err := s.join(ctx, first)
	if err == nil || s.inTransaction() || !broken(err) {
		return k, err
	}
	for _, n := range s.liveNodes() {
		if n == first || !s.router.cluster.Up(n) || ctx.Err() != nil {
			continue
		}
		if other, otherErr := s.join(ctx, n); otherErr == nil {
			return other, nil
		}
	}
	return nil, err
}

// acquire takes a connection from the pool and lets KILL find it.
func (s *Session) acquire(ctx context.Context, node int) (*backend.Conn, error) {
	k, err := s.router.cluster.Acquire(ctx, node, s.class, s.settings)
	if err != nil {
		return nil, err
	}
	s.held.add(k)
	return k, nil
}

// openOn makes a fresh connection part of the transaction.
func (s *Session) openOn(ctx context.Context, node int, k *backend.Conn) error {
	err := execAll(ctx, k, s.txn.once)
	if err == nil && s.txn.explicit {
		err = execAll(ctx, k, s.txn.opening)
	}
	if err == nil {
		for _, name := range s.txn.savepoints {
			if _, err = k.Exec(ctx, appendSavepoint(nil, "SAVEPOINT ", name)); err != nil {
				break
			}
		}
	}
	if err != nil {
		s.discard(k)
		return err
	}
	s.txn.add(&branch{node: node, conn: k, inTrans: s.txn.explicit})
	return nil
}

func execAll(ctx context.Context, k *backend.Conn, statements []string) error {
	for _, q := range statements {
		if _, err := k.Exec(ctx, []byte(q)); err != nil {
			return err
		}
	}
	return nil
}

// done gives a statement's connection back, to the transaction or to the pool, and looks at what became of the transaction there.
func (s *Session) done(ctx context.Context, k *backend.Conn, err error) error {
	if k == s.locks {
		return s.lockDone(err)
	}
	b := s.txn.at(k.Node())
	if b == nil || b.conn != k {
		if broken(err) {
			s.discard(k)
		} else {
			s.giveBack(k)
		}
		return err
	}
	if k.Broken() || broken(err) {
		return s.lostBranch(ctx, b, err)
	}
	was := b.inTrans
	if err != nil && was && k.InTransaction() {
		// An error packet does not say whether the transaction still stands: a deadlock ends it, a duplicate key does not.
		if _, perr := k.Exec(ctx, []byte("DO 0")); perr != nil {
			return s.lostBranch(ctx, b, perr)
		}
	}
	b.inTrans = k.InTransaction()
	if was && !b.inTrans {
		how := "COMMIT" // ended by an implicit commit; what the others hold are reads
		if err != nil {
			how = "ROLLBACK"
		}
		s.endElsewhere(ctx, b, how)
	}
	return err
}

// endElsewhere ends the transaction everywhere but on b, where it has ended on its own. Locks elsewhere must not outlive it.
func (s *Session) endElsewhere(ctx context.Context, b *branch, how string) {
	s.endBranches(ctx, how, func(o *branch) bool { return o != b })
	s.giveBack(b.conn)
	s.txn.clear()
}

// lostBranch rolls the whole transaction back because a node's part is gone.
func (s *Session) lostBranch(ctx context.Context, b *branch, cause error) error {
	s.discard(b.conn)
	s.endBranches(ctx, "ROLLBACK", func(o *branch) bool { return o != b })
	open := b.inTrans || s.txn.explicit
	s.txn.clear()
	if !open {
		return cause
	}
	return errNodeTransactionLost.Wrap(cause, s.nodeName(b.node))
}

// endBranch ends a branch whose outcome nobody waits for: it wrote nothing, or it is rolled back anyway.
func (s *Session) endBranch(ctx context.Context, b *branch, how string) {
	ctx = context.WithoutCancel(ctx)
	if _, err := b.conn.Exec(ctx, []byte(how)); err != nil {
		s.discard(b.conn) // the server rolls back when the connection ends
		return
	}
	s.giveBack(b.conn)
}

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

// joinAll brings nodes into the transaction, all at once.
func (s *Session) joinAll(ctx context.Context, nodes []int) error {
	g, gctx := errgroup.WithContext(ctx)
	for _, n := range nodes {
		if s.txn.at(n) != nil {
			continue
		}
		g.Go(func() error {
			k, err := s.acquire(gctx, n)
			if err != nil {
				return err
			}
			return s.openOn(gctx, n, k)
		})
	}
	return g.Wait()
}

// commit ends the transaction, if there is one: the node that wrote decides, then the others let go of what they read.
func (s *Session) commit(ctx context.Context) error {
	if len(s.txn.branches) == 0 {
		s.txn.clear()
		return nil
	}
	// A client that goes away does not stop what has been decided; a node that stops answering is noticed by its health check.
	ctx = context.WithoutCancel(ctx)
	how := "COMMIT"
	var failed error
	for _, b := range s.txn.branches {
		if b.node != s.txn.writer {
			continue
		}
		gone := b.conn.Broken()
		if _, err := b.conn.Exec(ctx, []byte("COMMIT")); err != nil {
			how, failed = "ROLLBACK", err
			switch {
			case gone || backend.NotSent(err):
				failed = errNodeTransactionLost.Wrap(err, s.nodeName(b.node))
			case broken(err):
				failed = fatal(errCommitLost.Wrap(err, s.nodeName(b.node)))
			}
			s.discard(b.conn)
		} else {
			s.giveBack(b.conn)
		}
	}
	s.endBranches(ctx, how, func(b *branch) bool { return b.node != s.txn.writer })
	s.txn.clear()
	return failed
}

// endBranches ends some of the branches, all at once.
func (s *Session) endBranches(ctx context.Context, how string, which func(*branch) bool) {
	var wg sync.WaitGroup
	var last *branch
	for _, b := range s.txn.branches {
		if !which(b) {
			continue
		}
		if last != nil {
			wg.Go(func() { s.endBranch(ctx, b, how) })
		} else {
			last = b // this goroutine's own
		}
	}
	if last != nil {
		s.endBranch(ctx, last, how)
	}
	wg.Wait()
}

// rollback undoes the transaction on every node that joined.
func (s *Session) rollback(ctx context.Context) {
	s.endBranches(ctx, "ROLLBACK", func(*branch) bool { return true })
	s.txn.clear()
}

// broken says whether an error leaves the connection unusable: everything but an answer of the server.
func broken(err error) bool {
	if err == nil {
		return false
	}
	var se *wire.ServerError
	return !errors.As(err, &se)
}
