package engine

import (
	"bytes"
	"context"

	"ballast/sqlfront/wire"
)

// Uniform lets rows through while each of its columns has one value in all of them, and fails at the first that differs. The planner puts the
// collations of strings into such columns where only the server knows them: weights under different collations can't be compared.
type Uniform struct {
	Input   Node
	Columns []int
}

// Inputs is the checked input.
func (u *Uniform) Inputs() []Node { return []Node{u.Input} }

// Describe lists the columns.
func (u *Uniform) Describe() Desc { return Desc{Name: "Uniform", Detail: columnNumbers(u.Columns)} }

// Run runs the input.
func (u *Uniform) Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error) {
	in, err := u.Input.Run(ctx, sh, f)
	if err != nil {
		return nil, err
	}
	r := &uniformRows{Rows: in, shape: shape{columns: in.Columns(), format: f}, columns: u.Columns}
	for _, c := range u.Columns {
		if c >= len(r.shape.columns) {
			return nil, closeWith(in, errBadRow.New())
		}
		r.needed = max(r.needed, c+1)
	}
	return r, nil
}

type uniformRows struct {
	Rows
	shape   shape
	columns []int
	needed  int
	first   [][]byte
	fields  []field
}

func (r *uniformRows) Next() ([]byte, error) {
	row, err := r.Rows.Next()
	if err != nil {
		return nil, err
	}
	if r.fields, err = r.shape.scan(row, r.needed, r.fields[:0]); err != nil {
		return nil, err
	}
	for i, c := range r.columns {
		f := r.fields[c]
		data := row[f.data:f.end]
		if len(r.first) <= i {
			r.first = append(r.first, bytes.Clone(data))
		} else if !bytes.Equal(r.first[i], data) {
			return nil, errCollations.New(r.first[i], data)
		}
	}
	return row, nil
}
