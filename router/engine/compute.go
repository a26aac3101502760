package engine

import (
	"context"
	"strings"

	"ballast/sqlfront/wire"
)

// Compute replaces columns by the values of expressions over the row, such as SUM(a) / COUNT(*) after its parts were merged. The columns keep
// their definitions, which came from the nodes' own answer to the same expression.
type Compute struct {
	Input   Node
	Columns []Computed
}

// Computed is one expression and the column that it replaces.
type Computed struct {
	Out  int
	Expr Expr
}

// Inputs is the merged groups.
func (c *Compute) Inputs() []Node { return []Node{c.Input} }

// Describe lists the expressions.
func (c *Compute) Describe() Desc {
	var parts []string
	for _, x := range c.Columns {
		parts = append(parts, columnNumber(x.Out)+": "+x.Expr.String())
	}
	return Desc{Name: "Compute", Detail: strings.Join(parts, ", ")}
}

// Run runs the input and checks the expressions' types against its columns.
func (c *Compute) Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error) {
	in, err := c.Input.Run(ctx, sh, f)
	if err != nil {
		return nil, err
	}
	r := &computeRows{Rows: in, shape: shape{columns: in.Columns(), format: f}}
	for _, x := range c.Columns {
		b, err := x.Expr.bind(r.shape)
		if err == nil && x.Out >= len(r.shape.columns) {
			err = errBadRow.New()
		}
		if err == nil && (!b.class.numeric() || !classOf(r.shape.columns[x.Out]).numeric()) {
			col := r.shape.columns[x.Out]
			err = errExpression.New(col.Name, typeName(col))
		}
		if err != nil {
			return nil, closeWith(in, err)
		}
		r.exprs = append(r.exprs, boundColumn{out: x.Out, expr: b})
	}
	return r, nil
}

type boundColumn struct {
	out  int
	expr bound
}

type computeRows struct {
	Rows
	shape  shape
	exprs  []boundColumn
	fields []field
	cells  []cell
	buf    []byte
}

func (r *computeRows) Next() ([]byte, error) {
	row, err := r.Rows.Next()
	if err != nil {
		return nil, err
	}
	if r.fields, err = r.shape.scan(row, len(r.shape.columns), r.fields[:0]); err != nil {
		return nil, err
	}
	r.cells = r.cells[:0]
	for _, f := range r.fields {
		r.cells = append(r.cells, cellOf(row, f))
	}
	for _, x := range r.exprs {
		v, err := x.expr.eval(row, r.fields)
		if err != nil {
			return nil, err
		}
		if r.cells[x.out], err = r.shape.numberCell(x.out, v); err != nil {
			return nil, err
		}
	}
	r.buf = appendRow(r.buf[:0], r.shape.format, r.cells)
	return r.buf, nil
}

// numberCell encodes a number for a numeric column of any type.
func (s shape) numberCell(column int, v value) (cell, error) {
	if v.kind == null {
		return nil, nil
	}
	col := s.columns[column]
	switch c := classOf(col); c {
	case classFloat, classDouble:
		return s.floatCell(column, v.float()), nil
	case classDecimal:
		// A value with fewer digits than the type is printed with its own, as in COALESCE(SUM(d), 0).
		if d, ok := v.number(); ok {
			return textCell([]byte(d.round(min(d.scale, int(col.Decimals))).String())), nil
		}
	default:
		d, ok := v.number()
		if !ok {
			break
		}
		whole := d.round(0).unscaled
		switch {
		case c == classUint && whole.IsUint64():
			return s.uintCell(column, whole.Uint64()), nil
		case c == classInt && whole.IsInt64():
			return s.intCell(column, whole.Int64()), nil
		}
		return nil, errRange.New(typeName(col), col.Name)
	}
	return nil, errExpression.New(col.Name, typeName(col))
}
