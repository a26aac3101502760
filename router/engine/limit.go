package engine

import (
	"context"
	"io"
	"math"
	"strconv"

	"ballast/sqlfront/wire"
)

// Limit skips Offset rows and lets Count rows through; then it closes its input, so that nodes stop working at once.
type Limit struct {
	Input         Node
	Offset, Count uint64

	skipped uint64
}

// Skipped gives how many rows the LIMIT at the top of a tree has left out at the beginning, once the tree's rows were read.
func Skipped(root Node) uint64 {
	for {
		if l, ok := root.(*Limit); ok {
			return l.skipped
		}
		in := root.Inputs()
		if len(in) != 1 {
			return 0
		}
		root = in[0]
	}
}

// Inputs is the limited input.
func (l *Limit) Inputs() []Node { return []Node{l.Input} }

// Describe gives count and offset.
func (l *Limit) Describe() Desc {
	detail := "all"
	if l.Count != math.MaxUint64 {
		detail = strconv.FormatUint(l.Count, 10)
	}
	if l.Offset > 0 {
		detail += " after " + strconv.FormatUint(l.Offset, 10)
	}
	return Desc{Name: "Limit", Detail: detail}
}

// Run runs the input.
func (l *Limit) Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error) {
	in, err := l.Input.Run(ctx, sh, f)
	if err != nil {
		return nil, err
	}
	l.skipped = 0
	r := &limitRows{Rows: in, limit: l, skip: l.Offset, left: l.Count}
	if l.Count == 0 {
		if err := in.Close(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

type limitRows struct {
	Rows
	limit      *Limit
	skip, left uint64
	full       bool
}

func (r *limitRows) Next() ([]byte, error) {
	for ; r.skip > 0 && r.left > 0; r.skip-- {
		if _, err := r.Rows.Next(); err != nil {
			return nil, err
		}
		r.limit.skipped++
	}
	if r.left == 0 {
		if !r.full {
			r.full = true
			if err := r.Close(); err != nil {
				return nil, err
			}
		}
		return nil, io.EOF
	}
	row, err := r.Rows.Next()
	if err == nil {
		r.left--
	}
	return row, err
}
