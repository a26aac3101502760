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
	DDL(ctx context.Context, req api.DDLRequest) (api.DDLReply, error)
}

// Blocks hands out ids of sequences. Both calls are durable before they return.
type Blocks interface {
	// TakeBlock reserves n ids and returns the first and the last one.
	TakeBlock(ctx context.Context, sequence string, n uint64) (first, last uint64, err error)
	// RaiseMark makes sure that no id up to and including mark is handed out from now on; it returns the sequence's mark after that.
	RaiseMark(ctx context.Context, sequence string, mark uint64) (uint64, error)
}
