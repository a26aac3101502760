package meta

import (
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"ballast/master/core"
	"ballast/rules"
)

// Lease reads who leads. What it says may be out of date by the time it is read: only the writes below decide.
func (s *Store) Lease(ctx context.Context) (core.Lease, error) {
	var l core.Lease
	err := s.db.QueryRowxContext(ctx, "SELECT epoch, n, holder FROM lease WHERE id = 1").Scan(&l.Epoch, &l.N, &l.Holder)
	if err != nil {
		return l, fmt.Errorf("read the lease: %w", err)
	}
	return l, nil
}

// TakeOver makes holder the leader under the epoch after seen, if the lease is still exactly as seen. It gives the new epoch, or ErrDeposed
// when someone was faster.
func (s *Store) TakeOver(ctx context.Context, seen core.Lease, holder string) (uint64, error) {
	res, err := s.db.ExecContext(ctx, "UPDATE lease SET epoch = epoch + 1, n = n + 1, holder = ? WHERE id = 1 AND epoch = ? AND n = ?",
		holder, seen.Epoch, seen.N)
	if err != nil {
		return 0, fmt.Errorf("take the lease: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return 0, errors.Join(ErrDeposed, err)
	}
	return seen.Epoch + 1, nil
}

// KeepAlive advances the lease, so that no one takes it; ErrDeposed when it is no longer ours.
func (s *Store) KeepAlive(ctx context.Context, epoch uint64) error {
	res, err := s.db.ExecContext(ctx, advance, epoch)
	if err != nil {
		return fmt.Errorf("advance the lease: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errors.Join(ErrDeposed, err)
	}
	return nil
}

// Resign gives the lease up, so that a standby takes it at once.
func (s *Store) Resign(ctx context.Context, epoch uint64) error {
	if _, err := s.db.ExecContext(ctx, "UPDATE lease SET n = n + 1, holder = '' WHERE id = 1 AND epoch = ?", epoch); err != nil {
		return fmt.Errorf("give the lease up: %w", err)
	}
	return nil
}

const advance = "UPDATE lease SET n = n + 1 WHERE id = 1 AND epoch = ?"

// Tx is a transaction that holds the lease row.
type Tx struct {
	tx    *sqlx.Tx
	store *Store
	// fresh are strategies stored by this transaction; the store remembers them once it is committed.
	fresh []freshStrategy
}

type freshStrategy struct {
	strategy *rules.Strategy
	id       uint64
}

// Do runs fn in a transaction that begins with the write of the lease, and commits it. fn's own error rolls back.
func (s *Store) Do(ctx context.Context, epoch uint64, fn func(*Tx) error) error {
	tx, err := s.db.BeginTxx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin a metadata transaction: %w", err)
	}
	t := &Tx{tx: tx, store: s}
	if err := s.work(ctx, t, epoch, fn); err != nil {
		if rollback := tx.Rollback(); rollback != nil && !broken(rollback) {
			err = errors.Join(err, rollback) // a broken connection rolls back by itself
		}
		return err
	}
	if err := tx.Commit(); err != nil {
		if broken(err) {
			return fmt.Errorf("%w: %w", ErrUnknown, err)
		}
		return fmt.Errorf("commit a metadata transaction: %w", err)
	}
	for _, f := range t.fresh {
		s.ids[f.strategy] = f.id
	}
	return nil
}

func (s *Store) work(ctx context.Context, t *Tx, epoch uint64, fn func(*Tx) error) error {
	res, err := t.tx.ExecContext(ctx, advance, epoch)
	if err != nil {
		return fmt.Errorf("write the lease: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return errors.Join(ErrDeposed, err)
	}
	return fn(t)
}

func (t *Tx) exec(ctx context.Context, what, query string, args ...any) error {
	if _, err := t.tx.ExecContext(ctx, query, args...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
