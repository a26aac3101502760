package router

import (
	"context"
	"slices"

	"ballast/router/backend"
	"ballast/router/plan"
)

// Named locks (GET_LOCK and its relatives) belong to a server's connection. All sessions of all routers take theirs on the first node, each
// on a connection of its own that it keeps until it has no lock any more, or ends.

// lockConnection gives the connection that the session's named locks are on.
func (s *Session) lockConnection(ctx context.Context, b *plan.Single) (*backend.Conn, error) {
	if !b.AnyNode {
		return nil, errLockWithRows.New()
	}
	if s.locks != nil {
		s.locks.Apply(s.settings)
		return s.locks, nil
	}
	nodes := s.liveNodes()
	if len(nodes) == 0 {
		return nil, errNoNode.New()
	}
	k, err := s.acquire(ctx, slices.Min(nodes))
	if err != nil {
		return nil, err
	}
	k.Taint()
	s.locks = k
	k.Pin()
	return k, nil
}

// lockDone keeps the lock connection after a statement.
func (s *Session) lockDone(err error) error {
	if !s.locks.Broken() && !broken(err) {
		return err
	}
	s.discard(s.locks)
	s.locks = nil
	if err == nil {
		return errLocksLost.New()
	}
	return errLocksLost.Wrap(err)
}

// dropLocks gives all named locks up.
func (s *Session) dropLocks() {
	if s.locks != nil {
		s.giveBack(s.locks) // tainted: it is reset before anybody else gets it, which releases the locks
		s.locks = nil
	}
}
