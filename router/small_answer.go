package router

import (
	"context"
	"errors"
	"io"

	"ballast/router/backend"
	"ballast/router/engine"
	"ballast/sqlfront/wire"
)

// textRows reads an answer of few rows whole; NULL is nil.
func textRows(ctx context.Context, k *backend.Conn, sql string) ([][][]byte, error) {
	_, rows, err := smallAnswer(ctx, k, []byte(sql))
	return rows, err
}

// smallAnswer reads an answer of few rows whole, with its columns.
func smallAnswer(ctx context.Context, k *backend.Conn, sql []byte) ([]wire.Column, [][][]byte, error) {
	st, err := k.Query(ctx, sql, wire.Text)
	if err != nil {
		return nil, nil, err
	}
	return drain(st, maxSmallRows)
}

// maxSmallRows bounds answers that are read whole.
const maxSmallRows = 100_000

// drain reads a text stream to its end and closes it.
func drain(st engine.Stream, limit int) ([]wire.Column, [][][]byte, error) {
	cols := append([]wire.Column(nil), st.Columns()...)
	var out [][][]byte
	fields := make([]wire.Field, len(cols))
	for {
		row, err := st.Next()
		if err != nil {
			return cols, out, joinClose(st, err)
		}
		if len(out) == limit {
			return nil, nil, joinClose(st, errTooManyRows.New(limit))
		}
		if err := wire.ScanTextRow(row, fields); err != nil {
			return nil, nil, joinClose(st, err)
		}
		vals := make([][]byte, len(cols))
		for i, f := range fields {
			if v := f.Of(row); v != nil {
				vals[i] = append([]byte{}, v...)
			}
		}
		out = append(out, vals)
	}
}

// joinClose ends a stream: nil after its last row.
func joinClose(st engine.Stream, err error) error {
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, st.Close())
}
