package engine

import (
	"context"
	"io"
	"slices"
	"strconv"

	"ballast/sqlfront/wire"
)

// rowOverhead is what a held row costs beside its bytes: slice headers and key values, roughly.
const rowOverhead = 128

// Sort reads its whole input and sorts it in memory; rows with equal keys keep their order.
type Sort struct {
	Input Node
	Keys  []Key
	// Limit is how many rows are wanted at most; -1 is all of them.
	Limit int64
	// Budget bounds the bytes held; 0 means DefaultBudget.
	Budget int64
}

// Inputs is the unsorted input.
func (s *Sort) Inputs() []Node { return []Node{s.Input} }

// Describe lists the keys.
func (s *Sort) Describe() Desc {
	d := Desc{Name: "Sort", Detail: describeKeys(s.Keys)}
	if s.Limit >= 0 {
		d.Detail += " first " + strconv.FormatInt(s.Limit, 10)
	}
	return d
}

// Run reads and sorts everything before it returns.
func (s *Sort) Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error) {
	in, err := s.Input.Run(ctx, sh, f)
	if err != nil {
		return nil, err
	}
	r := &heldRows{columns: in.Columns()}
	if err := s.collect(in, r, f); err != nil {
		return nil, closeWith(in, err)
	}
	r.warnings = in.Warnings()
	if err := in.Close(); err != nil {
		return nil, err
	}
	return r, nil
}

type sortEntry struct {
	row  []byte
	keys []value
}

func (s *Sort) collect(in Rows, out *heldRows, f wire.Format) error {
	reader, err := newKeyReader(s.Keys, shape{columns: in.Columns(), format: f})
	if err != nil {
		return err
	}
	held := newBudget(s.Budget)
	var entries []sortEntry
	for {
		row, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		e := sortEntry{row: slices.Clone(row)}
		if e.keys, err = reader.read(e.row, make([]value, 0, len(s.Keys))); err != nil {
			return err
		}
		if err := held.take(len(row) + rowOverhead*(1+len(s.Keys))); err != nil {
			return err
		}
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(a, b sortEntry) int { return reader.compare(a.keys, b.keys) })
	if s.Limit >= 0 && int64(len(entries)) > s.Limit {
		entries = entries[:s.Limit]
	}
	for _, e := range entries {
		out.rows = append(out.rows, e.row)
	}
	return nil
}

// heldRows gives rows that are in memory.
type heldRows struct {
	columns  []wire.Column
	rows     [][]byte
	warnings uint16
}

func (r *heldRows) Columns() []wire.Column { return r.columns }

func (r *heldRows) Next() ([]byte, error) {
	if len(r.rows) == 0 {
		return nil, io.EOF
	}
	row := r.rows[0]
	r.rows[0] = nil
	r.rows = r.rows[1:]
	return row, nil
}

func (r *heldRows) Warnings() uint16 { return r.warnings }

func (r *heldRows) Close() error {
	r.rows = nil
	return nil
}
