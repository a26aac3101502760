package router

import (
	"context"
	"errors"
	"sync"

	"ballast/router/backend"
	"ballast/sqlfront/wire"
)

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
			how, failed = "ROLLBACK", s.commitFailed(b, gone, err)
			s.discard(b.conn)
		} else {
			s.giveBack(b.conn)
		}
	}
	s.endBranches(ctx, how, func(b *branch) bool { return b.node != s.txn.writer })
	s.txn.clear()
	return failed
}

// commitFailed is what a client reads when the node that wrote did not commit: gone says that its connection was lost before.
func (s *Session) commitFailed(b *branch, gone bool, err error) error {
	switch {
	case gone || backend.NotSent(err):
		return errNodeTransactionLost.Wrap(err, s.nodeName(b.node))
	case broken(err):
		return fatal(errCommitLost.Wrap(err, s.nodeName(b.node)))
	default:
		return err
	}
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
