package meta

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"ballast/master/api"
	"ballast/rules/failure"
)

var (
	errNoSequence = failure.Define("BL6003", 1105, "HY000", "there is no sequence %s", "its table may just have been dropped or truncated: try the statement again")
	errExhausted  = failure.Define("BL6004", 1467, "HY000", "sequence %s has no ids left", "the AUTO_INCREMENT column has reached the end of its type")
)

// Sequences lists all sequences by name.
func (s *Store) Sequences(ctx context.Context) (out []api.SequenceStatus, err error) {
	rows, err := s.db.QueryxContext(ctx, "SELECT name, next_id FROM sequences ORDER BY name")
	if err != nil {
		return nil, fmt.Errorf("list sequences: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var one api.SequenceStatus
		if err := rows.Scan(&one.Name, &one.Next); err != nil {
			return nil, fmt.Errorf("list sequences: %w", err)
		}
		out = append(out, one)
	}
	return out, rows.Err()
}

// NewSequence makes a sequence whose first id is next.
func (t *Tx) NewSequence(ctx context.Context, name string, next uint64) error {
	return t.exec(ctx, "make a sequence", "INSERT INTO sequences (name, next_id) VALUES (?, ?)", name, next)
}

// DropSequence takes a sequence away.
func (t *Tx) DropSequence(ctx context.Context, name string) error {
	return t.exec(ctx, "drop a sequence", "DELETE FROM sequences WHERE name = ?", name)
}

func (t *Tx) next(ctx context.Context, name string) (uint64, error) {
	var next uint64
	err := t.tx.GetContext(ctx, &next, "SELECT next_id FROM sequences WHERE name = ? FOR UPDATE", name)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, errNoSequence.New(name)
	}
	if err != nil {
		return 0, fmt.Errorf("read a sequence: %w", err)
	}
	return next, nil
}

// Block takes size ids, fewer at the end of the numbers; at least one.
func (t *Tx) Block(ctx context.Context, name string, size uint64) (first, last uint64, err error) {
	first, err = t.next(ctx, name)
	if err != nil {
		return 0, 0, err
	}
	if first == math.MaxUint64 {
		return 0, 0, errExhausted.New(name)
	}
	size = max(size, 1)
	size = min(size, math.MaxUint64-first)
	return first, first + size - 1, t.exec(ctx, "take a block of ids", "UPDATE sequences SET next_id = ? WHERE name = ?", first+size, name)
}

// Raise makes sure that later blocks begin above value, and slack further. It gives the mark before and after: the first id of the next block.
// A value below the mark changes nothing (a block given out before may hold it).
func (t *Tx) Raise(ctx context.Context, name string, value, slack uint64) (before, after uint64, err error) {
	before, err = t.next(ctx, name)
	if err != nil || value < before {
		return before, before, err
	}
	if value > math.MaxUint64-2-slack {
		value, slack = min(value, math.MaxUint64-1), 0
	}
	after = value + slack + 1
	return before, after, t.exec(ctx, "raise a sequence", "UPDATE sequences SET next_id = ? WHERE name = ?", after, name)
}
