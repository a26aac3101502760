package engine

import (
	"context"
	"errors"
	"io"
	"sync"

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

// Run opens all nodes before it returns; the first node's failure cancels the others.
func (s *Scatter) Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error) {
	g, err := s.open(ctx, sh, f)
	if err != nil {
		return nil, err
	}
	return &scatterRows{gathered: g, left: turn}, nil
}

// gathered is the open streams of one scatter, all with the same columns.
type gathered struct {
	streams  []Stream
	columns  []wire.Column
	cancel   context.CancelFunc
	warnings uint16
	closed   bool
}

func (s *Scatter) open(ctx context.Context, sh Shards, f wire.Format) (*gathered, error) {
	if len(s.Queries) == 0 {
		return nil, errNoNodes.New()
	}
	ctx, cancel := context.WithCancel(ctx)
	g := &gathered{streams: make([]Stream, len(s.Queries)), cancel: cancel}
	failed := make([]error, len(s.Queries))
	var wg sync.WaitGroup
	for i, q := range s.Queries {
		q.Format = f
		wg.Add(1)
		go func() {
			defer wg.Done()
			if g.streams[i], failed[i] = sh.Open(ctx, q); failed[i] != nil {
				g.streams[i] = nil
				cancel()
			}
		}()
	}
	wg.Wait()
	err := firstCause(failed)
	if err == nil {
		err = g.agree(f)
	}
	if err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

// agree finds the columns that hold all nodes' values.
func (g *gathered) agree(f wire.Format) error {
	g.columns = g.streams[0].Columns()
	for _, st := range g.streams[1:] {
		if sameColumns(g.columns, st.Columns()) {
			continue
		}
		var err error
		if g.columns, err = widenAll(g.columns, st.Columns()); err != nil {
			return err
		}
	}
	for i, st := range g.streams {
		g.streams[i] = widenStream(st, g.columns, f)
	}
	return nil
}

// firstCause prefers an error that is not the cancelling of the others.
func firstCause(errs []error) error {
	var first error
	for _, err := range errs {
		if err != nil && (first == nil || cancelled(first) && !cancelled(err)) {
			first = err
		}
	}
	return first
}

// cancelled says whether an error may be the echo of a cancelled context: the context's own, or the server's word that a query was interrupted.
func cancelled(err error) bool {
	const interrupted = 1317
	var numbered interface{ MySQL() (uint16, string) }
	if errors.As(err, &numbered) {
		if n, _ := numbered.MySQL(); n == interrupted {
			return true
		}
	}
	return errors.Is(err, context.Canceled)
}

// ended counts a stream's warnings when it has given its last row.
func (g *gathered) ended(i int) error {
	g.warnings += g.streams[i].Warnings()
	err := g.streams[i].Close()
	g.streams[i] = nil
	return err
}

func (g *gathered) close() error {
	if g.closed {
		return nil
	}
	g.closed = true
	var errs []error
	for i, st := range g.streams {
		if st != nil {
			errs = append(errs, st.Close())
			g.streams[i] = nil
		}
	}
	g.cancel()
	return errors.Join(errs...)
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
