package meta

import (
	"context"
	"fmt"

	"ballast/master/core"
)

// NewAccount adds an incarnation to the pool and gives its id; no router has it yet.
func (t *Tx) NewAccount(ctx context.Context, password string) (uint64, error) {
	res, err := t.tx.ExecContext(ctx, "INSERT INTO incarnations (state, secret) VALUES ('pool', ?)", t.store.sealer.seal(password))
	if err != nil {
		return 0, fmt.Errorf("add an account to the pool: %w", err)
	}
	id, err := res.LastInsertId()
	if err != nil {
		return 0, fmt.Errorf("add an account to the pool: %w", err)
	}
	return uint64(id), nil
}

// Activate gives an incarnation of the pool to a router.
func (t *Tx) Activate(ctx context.Context, in core.Incarnation) error {
	return t.exec(ctx, "activate an incarnation",
		"UPDATE incarnations SET state = 'active', name = ?, router = ?, addr = ?, version = ?, registered_at = ? WHERE id = ? AND state = 'pool'",
		in.Name, in.Router, in.Addr, in.Build, in.Registered, in.ID)
}

// SetIncarnation moves an incarnation to ending or ended. An ended one's password is forgotten.
func (t *Tx) SetIncarnation(ctx context.Context, id uint64, state core.IncarnationState) error {
	if state == core.Ended {
		return t.exec(ctx, "end an incarnation", "UPDATE incarnations SET state = 'ended', secret = '', ended_at = UTC_TIMESTAMP(6) WHERE id = ?", id)
	}
	return t.exec(ctx, "end an incarnation", "UPDATE incarnations SET state = ? WHERE id = ?", string(state), id)
}
