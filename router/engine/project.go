package engine

import (
	"context"
	"strconv"

	"ballast/sqlfront/wire"
)

// Project keeps the named columns of its input, in that order; the planner drops hidden columns with it.
type Project struct {
	Input   Node
	Columns []int
	// First, when Columns is nil, keeps this many leading columns.
	First int
	// Width, when not 0, is how many columns the input must have: the definition of a table whose `*` was counted may have changed since.
	Width int
}

// Inputs is the wider input.
func (p *Project) Inputs() []Node { return []Node{p.Input} }

// Describe lists the columns that stay.
func (p *Project) Describe() Desc {
	if p.Columns != nil {
		return Desc{Name: "Project", Detail: columnNumbers(p.Columns)}
	}
	return Desc{Name: "Project", Detail: "first " + strconv.Itoa(p.First)}
}

// Run runs the input.
func (p *Project) Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error) {
	in, err := p.Input.Run(ctx, sh, f)
	if err != nil {
		return nil, err
	}
	cols := in.Columns()
	if p.Width > 0 && p.Width != len(cols) {
		return nil, closeWith(in, errColumnsDiffer.New(strconv.Itoa(p.Width)+" columns expected, "+strconv.Itoa(len(cols))+" came"))
	}
	keep := p.Columns
	if keep == nil {
		for i := range p.First {
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
	if m := mergeBelow(in); m != nil && r.prefix && r.needed > 0 {
		if err := m.cutAfter(r.needed); err != nil {
			return nil, closeWith(in, err)
		}
		return &narrowRows{Rows: in, columns: r.columns}, nil
	}
	return r, nil
}

// mergeBelow finds a merge that can cut off rows itself, which it looks into anyway.
func mergeBelow(rows Rows) *mergeRows {
	switch r := rows.(type) {
	case *mergeRows:
		return r
	case *limitRows:
		return mergeBelow(r.Rows)
	}
	return nil
}

// narrowRows are rows that were cut off below.
type narrowRows struct {
	Rows
	columns []wire.Column
}

func (r *narrowRows) Columns() []wire.Column { return r.columns }

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
