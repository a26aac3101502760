package router

import (
	"context"
	"strings"
)

func appendSavepoint(dst []byte, verb, name string) []byte {
	dst = append(append(dst, verb...), '`')
	dst = append(dst, strings.ReplaceAll(name, "`", "``")...)
	return append(dst, '`')
}

// savepointAt finds a savepoint; names are compared as the servers do, without case.
func (t *transaction) savepointAt(name string) int {
	for i, n := range t.savepoints {
		if strings.EqualFold(n, name) {
			return i
		}
	}
	return -1
}

// savepoint is SAVEPOINT: on every node that joined, and remembered for those to come. Outside a transaction it does nothing, as on a server.
func (s *Session) savepoint(ctx context.Context, name string) error {
	if !s.pins() {
		return nil
	}
	if err := s.onBranches(ctx, appendSavepoint(nil, "SAVEPOINT ", name)); err != nil {
		return err
	}
	if i := s.txn.savepointAt(name); i >= 0 {
		s.txn.savepoints = append(s.txn.savepoints[:i], s.txn.savepoints[i+1:]...)
	}
	s.txn.savepoints = append(s.txn.savepoints, name)
	return nil
}

// rollbackTo is ROLLBACK TO SAVEPOINT: later savepoints are gone, the named one stays.
func (s *Session) rollbackTo(ctx context.Context, name string) error {
	i := s.txn.savepointAt(name)
	if i < 0 {
		return errNoSavepoint.New(name)
	}
	if err := s.onBranches(ctx, appendSavepoint(nil, "ROLLBACK TO SAVEPOINT ", name)); err != nil {
		return err
	}
	s.txn.savepoints = s.txn.savepoints[:i+1]
	return nil
}

// release is RELEASE SAVEPOINT: the named savepoint goes, and those after it.
func (s *Session) release(ctx context.Context, name string) error {
	i := s.txn.savepointAt(name)
	if i < 0 {
		return errNoSavepoint.New(name)
	}
	if err := s.onBranches(ctx, appendSavepoint(nil, "RELEASE SAVEPOINT ", name)); err != nil {
		return err
	}
	s.txn.savepoints = s.txn.savepoints[:i]
	return nil
}

// onBranches runs a statement on every node of the transaction, in order.
func (s *Session) onBranches(ctx context.Context, sql []byte) error {
	for _, b := range s.txn.branches {
		_, err := b.conn.Exec(ctx, sql)
		if err := s.done(ctx, b.conn, err); err != nil {
			return err
		}
		if len(s.txn.branches) == 0 {
			return nil // it ended on its own
		}
	}
	return nil
}
