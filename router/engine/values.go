package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"ballast/sqlfront/wire"
)

// Values gives rows that the router itself made, such as those of EXPLAIN and SHOW BALLAST. Each row has one value per column: nil, string,
// []byte, bool, int, int64, uint64 or float64.
type Values struct {
	Columns []wire.Column
	Rows    [][]any
	// What names the rows for Describe.
	What string
}

// TextColumns makes string columns for Values.
func TextColumns(names ...string) []wire.Column {
	cols := make([]wire.Column, len(names))
	for i, n := range names {
		cols[i] = wire.Column{Name: n, Type: wire.TypeVarString, Charset: wire.CollationUTF8MB409, Length: 1024, Decimals: notFixed}
	}
	return cols
}

// Inputs is empty: Values is a leaf.
func (v *Values) Inputs() []Node { return nil }

// Describe counts the rows.
func (v *Values) Describe() Desc { return Desc{Name: "Values", Detail: v.What} }

// Run encodes the rows; no node is asked.
func (v *Values) Run(_ context.Context, _ Shards, f wire.Format) (Rows, error) {
	out := &heldRows{columns: v.Columns}
	s := shape{columns: v.Columns, format: f}
	cells := make([]cell, len(v.Columns))
	for _, row := range v.Rows {
		if len(row) != len(cells) {
			return nil, errBadRow.New()
		}
		for i, x := range row {
			var err error
			if cells[i], err = s.cell(i, x); err != nil {
				return nil, err
			}
		}
		out.rows = append(out.rows, appendRow(nil, f, cells))
	}
	return out, nil
}

// cell encodes a Go value for a column.
func (s shape) cell(column int, x any) (cell, error) {
	switch x := x.(type) {
	case nil:
		return nil, nil
	case string:
		return textCell([]byte(x)), nil
	case []byte:
		return textCell(x), nil
	case bool:
		if x {
			return s.intCell(column, 1), nil
		}
		return s.intCell(column, 0), nil
	case int:
		return s.intCell(column, int64(x)), nil
	case int64:
		return s.intCell(column, x), nil
	case uint64:
		return s.uintCell(column, x), nil
	case float64:
		if s.format == wire.Binary && s.columns[column].Type == wire.TypeDouble {
			return binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)), nil
		}
		return textCell([]byte(formatDouble(x))), nil
	}
	return nil, fmt.Errorf("encode a %T in column %s: %w", x, s.columns[column].Name, errBadRow.New())
}
