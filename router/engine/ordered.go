package engine

import (
	"context"
	"io"

	"ballast/sqlfront/wire"
)

// Ordered reads one node after another, in the order of Queries, and opens a node only when the one before has given its last row. Where a
// range strategy keeps the nodes' keys apart this gives sorted rows without merging, and a LIMIT above it leaves the later nodes alone.
type Ordered struct {
	Queries []Query
}

// Inputs is empty: an Ordered is a leaf.
func (o *Ordered) Inputs() []Node { return nil }

// Describe names the nodes in reading order and the SQL.
func (o *Ordered) Describe() Desc { return describeQueries("Ordered", o.Queries) }

// Run opens the first node.
func (o *Ordered) Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error) {
	if len(o.Queries) == 0 {
		return nil, errNoNodes.New()
	}
	r := &orderedRows{ctx: ctx, shards: sh, format: f, rest: o.Queries}
	if err := r.openNext(); err != nil {
		return nil, err
	}
	r.columns = r.current.columns
	return r, nil
}

type orderedRows struct {
	ctx      context.Context //nolint:containedctx // later nodes are opened by Next, which has no context of its own
	shards   Shards
	format   wire.Format
	rest     []Query
	current  *gathered // one stream
	columns  []wire.Column
	warnings uint16
}

func (r *orderedRows) openNext() error {
	g, err := gather(r.ctx, r.shards, r.rest[:1], r.format)
	if err != nil {
		return err
	}
	r.current, r.rest = g, r.rest[1:]
	return nil
}

func (r *orderedRows) Columns() []wire.Column { return r.columns }

func (r *orderedRows) Next() ([]byte, error) {
	for r.current != nil {
		row, err := r.current.streams[0].Next()
		if err != io.EOF {
			return row, err
		}
		r.warnings += r.current.streams[0].Warnings()
		if err := r.Close(); err != nil {
			return nil, err
		}
		if len(r.rest) == 0 {
			break
		}
		if err := r.openNext(); err != nil {
			return nil, err
		}
		if err := r.fit(); err != nil {
			return nil, err
		}
	}
	return nil, io.EOF
}

// fit makes a later node's rows fit the columns that the client has read already.
func (r *orderedRows) fit() error {
	cols := r.current.columns
	if sameColumns(r.columns, cols) {
		return nil
	}
	if _, err := widenAll(r.columns, cols); err != nil {
		return err
	}
	for i := range cols {
		if k := classOf(cols[i]); r.format == wire.Binary && (k == classInt || k == classUint) && width(cols[i].Type) > width(r.columns[i].Type) {
			return columnsDiffer(r.columns, cols)
		}
	}
	r.current.streams[0] = widenStream(r.current.streams[0], r.columns, r.format)
	return nil
}

func (r *orderedRows) Warnings() uint16 { return r.warnings }

func (r *orderedRows) Close() error {
	if r.current == nil {
		return nil
	}
	g := r.current
	r.current = nil
	return g.close()
}
