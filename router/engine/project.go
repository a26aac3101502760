package engine

import (
	"context"

	"ballast/sqlfront/wire"
)

// Project keeps the named columns of its input, in that order; the planner drops hidden columns with it.
type Project struct {
	Input   Node
	Columns []int
	// First, when Columns is nil, keeps this many leading columns.
	First int
	// Trailing, when Columns is nil and First is 0, drops this many columns from the end (the others may come from a `*`).
	Trailing int
}

// Inputs is the wider input.
func (p *Project) Inputs() []Node { return []Node{p.Input} }

// Describe lists the columns that stay.
func (p *Project) Describe() Desc {
	switch {
	case p.Columns != nil:
		return Desc{Name: "Project", Detail: columnNumbers(p.Columns)}
	case p.First > 0:
		return Desc{Name: "Project", Detail: "first " + columnNumber(p.First - 1)[1:]}
	}
	return Desc{Name: "Project", Detail: "without the last " + columnNumber(p.Trailing - 1)[1:]}
}

// Run runs the input.
func (p *Project) Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error) {
	in, err := p.Input.Run(ctx, sh, f)
	if err != nil {
		return nil, err
	}
	cols := in.Columns()
	keep := p.Columns
	if keep == nil {
		n := p.First
		if n == 0 {
			n = max(len(cols)-p.Trailing, 0)
		}
		for i := range n {
			keep = append(keep, i)
		}
	}
	r := &projectRows{Rows: in, shape: shape{columns: cols, format: f}, keep: keep, prefix: f == wire.Text}
	for i, c := range keep {
		if c >= len(cols) {
			return nil, closeWith(in, errBadRow.New())
		}
		r.columns = append(r.columns, cols[c])
		r.needed = max(r.needed, c+1)
		r.prefix = r.prefix && c == i
	}
	return r, nil
}

type projectRows struct {
	Rows
	shape   shape
	keep    []int
	columns []wire.Column
	needed  int
	prefix  bool // a text row's first columns stand at its start: the row is cut, not copied
	fields  []field
	cells   []cell
	buf     []byte
}

func (r *projectRows) Columns() []wire.Column { return r.columns }

func (r *projectRows) Next() ([]byte, error) {
	row, err := r.Rows.Next()
	if err != nil {
		return nil, err
	}
	if r.fields, err = r.shape.scan(row, r.needed, r.fields[:0]); err != nil {
		return nil, err
	}
	if r.prefix {
		if r.needed == 0 {
			return row[:0], nil
		}
		return row[:r.fields[r.needed-1].end], nil
	}
	r.cells = r.cells[:0]
	for _, c := range r.keep {
		r.cells = append(r.cells, cellOf(row, r.fields[c]))
	}
	r.buf = appendRow(r.buf[:0], r.shape.format, r.cells)
	return r.buf, nil
}
