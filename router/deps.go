package router

import (
	"context"

	"ballast/master/api"
	"ballast/rules/catalog"
)

// Catalog is where a session finds the rules: one call per statement, never blocking.
type Catalog interface {
	// Current is the newest snapshot; nil before the first one arrived.
	Current() *catalog.Snapshot
	// Changed is closed once Current would answer differently.
	Changed() <-chan struct{}
}

// Definer carries out statements that change definitions: on all nodes, journaled, by the master.
type Definer interface {
	// DDL runs one statement to its end; the rules that it makes have at least the version of the reply.
	DDL(ctx context.Context, req api.DDLRequest) (*api.DDLReply, error)
}

// IDs hands out ids of sequences; what it says is durable.
type IDs interface {
	// NextIDs reserves n ids that follow each other and returns the first.
	NextIDs(ctx context.Context, sequence string, n uint64) (uint64, error)
	// RaiseID makes sure that no id up to and including id is handed out from now on.
	RaiseID(ctx context.Context, sequence string, id uint64) error
	// TryNextID and TryRaiseID are the same for one id without ever waiting: false says that it can't be done so, and that nothing was done.
	TryNextID(sequence string) (id uint64, ok bool)
	TryRaiseID(sequence string, id uint64) bool
}
