package engine

import (
	"context"
	"io"
	"strings"

	"ballast/sqlfront/wire"
)

// Group merges partial groups of several nodes. Its output has the columns of its input: each row is the first row of a group in which the
// columns that Aggs name (Agg.Out) are replaced by the merged values, so hidden columns stay where they are for the operators above.
//
// With Keys the input is sorted by them and groups stream. Without Keys all rows are one group, and there is one row of output even when the
// input has none: Empty gives it.
type Group struct {
	Input Node
	Keys  []Key
	Aggs  []Agg
	// Empty answers for no input rows at all when there are no Keys: it gives one row with the input's columns (the statement itself over
	// nothing, so that COUNT is 0, SUM is NULL and constants are themselves). It may be nil when the input always has a row.
	Empty Node
	// Budget bounds the sets of DISTINCT aggregates; 0 means DefaultBudget.
	Budget int64
}

// Inputs is the sorted input.
func (g *Group) Inputs() []Node { return []Node{g.Input} }

// Describe lists keys and merged aggregates.
func (g *Group) Describe() Desc {
	var parts []string
	if len(g.Keys) > 0 {
		parts = append(parts, "by "+describeKeys(g.Keys))
	}
	for _, a := range g.Aggs {
		if a.Func != First {
			parts = append(parts, a.Func.String()+"("+columnNumbers(a.Arg)+")")
		}
	}
	return Desc{Name: "Group", Detail: strings.Join(parts, ", ")}
}

// Run runs the input.
func (g *Group) Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error) {
	in, err := g.Input.Run(ctx, sh, f)
	if err != nil {
		return nil, err
	}
	r, err := newGroupRows(g, in, f)
	if err != nil {
		return nil, closeWith(in, err)
	}
	if len(g.Keys) > 0 || g.Empty == nil {
		return r, nil
	}
	return r.orEmpty(ctx, sh, g.Empty)
}

type groupRows struct {
	Rows
	shape   shape
	keys    *keyReader
	mergers []merger
	needed  int
	held    budget

	first   []byte // the group's first row
	pending []byte // the first row of the next group
	waiting bool   // there is one
	fields  []field
	current []value // keys of the row just read
	last    []value // keys of the group
	cells   []cell
	out     []byte
	done    bool
}

func newGroupRows(g *Group, in Rows, f wire.Format) (*groupRows, error) {
	s := shape{columns: in.Columns(), format: f}
	keys, err := newKeyReader(g.Keys, s)
	if err != nil {
		return nil, err
	}
	r := &groupRows{Rows: in, shape: s, keys: keys, needed: keys.needed, held: newBudget(g.Budget)}
	for _, a := range g.Aggs {
		if a.Func == First {
			continue
		}
		m, err := newMerger(a, s, &r.held)
		if err != nil {
			return nil, err
		}
		r.mergers = append(r.mergers, m)
		r.needed = max(r.needed, m.needed())
	}
	return r, nil
}

// orEmpty reads the only group now; if there is none, the Empty statement answers instead.
func (r *groupRows) orEmpty(ctx context.Context, sh Shards, empty Node) (Rows, error) {
	row, err := r.Next()
	if err != nil && err != io.EOF {
		return nil, closeWith(r, err)
	}
	if err == nil {
		return &oneRow{Rows: r, row: row}, nil
	}
	if err := r.Close(); err != nil {
		return nil, err
	}
	return empty.Run(ctx, sh, r.shape.format)
}

// Next reads the rows of one group and gives its merged row.
func (r *groupRows) Next() ([]byte, error) {
	if r.done {
		return nil, io.EOF
	}
	begun := r.waiting
	if r.waiting {
		r.waiting = false
		r.first, r.pending = r.pending, r.first
		if err := r.begin(); err != nil {
			return nil, err
		}
	}
	for {
		row, err := r.Rows.Next()
		if err == io.EOF {
			r.done = true
			break
		}
		if err != nil {
			return nil, err
		}
		if !begun {
			begun = true
			r.first = append(r.first[:0], row...)
			if err := r.begin(); err != nil {
				return nil, err
			}
			continue
		}
		if r.fields, err = r.shape.scan(row, r.needed, r.fields[:0]); err != nil {
			return nil, err
		}
		if r.current, err = r.keys.readFields(row, r.fields, r.current[:0]); err != nil {
			return nil, err
		}
		if !r.keys.equal(r.last, r.current) {
			r.pending, r.waiting = append(r.pending[:0], row...), true
			break
		}
		if err := r.merge(row); err != nil {
			return nil, err
		}
	}
	if !begun {
		return nil, io.EOF
	}
	return r.emit(r.first)
}

// begin starts a group with the row in first.
func (r *groupRows) begin() error {
	var err error
	if r.fields, err = r.shape.scan(r.first, r.needed, r.fields[:0]); err != nil {
		return err
	}
	if r.last, err = r.keys.readFields(r.first, r.fields, r.last[:0]); err != nil {
		return err
	}
	r.held.free()
	for _, m := range r.mergers {
		m.reset()
	}
	return r.merge(r.first)
}

// merge adds a row whose fields have been scanned.
func (r *groupRows) merge(row []byte) error {
	for _, m := range r.mergers {
		if err := m.merge(row, r.fields); err != nil {
			return err
		}
	}
	return nil
}

func (r *groupRows) emit(first []byte) ([]byte, error) {
	var err error
	if r.fields, err = r.shape.scan(first, len(r.shape.columns), r.fields[:0]); err != nil {
		return nil, err
	}
	r.cells = r.cells[:0]
	for _, f := range r.fields {
		r.cells = append(r.cells, cellOf(first, f))
	}
	for _, m := range r.mergers {
		if r.cells[m.target()], err = m.result(); err != nil {
			return nil, err
		}
	}
	r.out = appendRow(r.out[:0], r.shape.format, r.cells)
	return r.out, nil
}

// oneRow gives a row that was read ahead, then the end.
type oneRow struct {
	Rows
	row []byte
}

func (r *oneRow) Next() ([]byte, error) {
	if r.row == nil {
		return nil, io.EOF
	}
	row := r.row
	r.row = nil
	return row, nil
}
