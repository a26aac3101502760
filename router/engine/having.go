package engine

import (
	"context"

	"ballast/sqlfront/wire"
)

// Having lets the rows through for which Cond is true (not NULL).
type Having struct {
	Input Node
	Cond  Expr
}

// Inputs is the merged groups.
func (h *Having) Inputs() []Node { return []Node{h.Input} }

// Describe prints the condition.
func (h *Having) Describe() Desc { return Desc{Name: "Having", Detail: h.Cond.String()} }

// Run runs the input and checks the condition's types against its columns.
func (h *Having) Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error) {
	in, err := h.Input.Run(ctx, sh, f)
	if err != nil {
		return nil, err
	}
	s := shape{columns: in.Columns(), format: f}
	cond, err := h.Cond.bind(s)
	if err == nil && !cond.class.numeric() {
		err = errCompare.New(cond.name, "a truth value")
	}
	if err != nil {
		return nil, closeWith(in, err)
	}
	return &havingRows{Rows: in, shape: s, cond: cond}, nil
}

type havingRows struct {
	Rows
	shape  shape
	cond   bound
	fields []field
}

func (r *havingRows) Next() ([]byte, error) {
	for {
		row, err := r.Rows.Next()
		if err != nil {
			return nil, err
		}
		if r.fields, err = r.shape.scan(row, len(r.shape.columns), r.fields[:0]); err != nil {
			return nil, err
		}
		v, err := r.cond.eval(row, r.fields)
		if err != nil {
			return nil, err
		}
		if v.kind != null && v.isTrue() {
			return row, nil
		}
	}
}
