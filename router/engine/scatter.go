package engine

import (
	"context"
	"io"

	"ballast/sqlfront/wire"
)

// Scatter sends a query to each of several nodes at once and concatenates their rows, a few from each in turn.
type Scatter struct {
	Queries []Query
}

// turn is how many rows Scatter takes from a node before it goes on to the next, so that no node's connection stays unread for long.
const turn = 64

// Inputs is empty: a Scatter is a leaf.
func (s *Scatter) Inputs() []Node { return nil }

// Describe names the nodes and the SQL; it differs between nodes by literals at most.
func (s *Scatter) Describe() Desc { return describeQueries("Scatter", s.Queries) }

func describeQueries(name string, queries []Query) Desc {
	d := Desc{Name: name}
	for _, q := range queries {
		d.Nodes = append(d.Nodes, q.Node)
	}
	if len(queries) > 0 {
		d.SQL = string(queries[0].SQL)
	}
	return d
}

// Run waits for the column definitions of all nodes before it returns; the first node's failure ends what the others do.
func (s *Scatter) Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error) {
	g, err := gather(ctx, sh, s.Queries, f)
	if err != nil {
		return nil, err
	}
	return &scatterRows{gathered: g, left: turn}, nil
}

type scatterRows struct {
	*gathered
	at   int
	left int
}

// Columns are the first node's, with the widest integers of all nodes.
func (r *scatterRows) Columns() []wire.Column { return r.columns }

func (r *scatterRows) Next() ([]byte, error) {
	for tried := 0; tried <= len(r.streams); {
		st := r.streams[r.at]
		if st == nil || r.left == 0 {
			r.at, r.left = (r.at+1)%len(r.streams), turn
			tried++
			continue
		}
		row, err := st.Next()
		if err == nil {
			r.left--
			return row, nil
		}
		if err != io.EOF {
			return nil, err
		}
		if err := r.ended(r.at); err != nil {
			return nil, err
		}
		tried = 0
	}
	return nil, io.EOF
}

func (r *scatterRows) Warnings() uint16 { return r.warnings }

func (r *scatterRows) Close() error { return r.close() }
