package engine

import (
	"context"
	"errors"
	"io"

	"ballast/sqlfront/wire"
)

// MergeSort merges the streams of a Scatter, each sorted by Keys already, into one sorted stream. Rows with equal keys come in the order of
// the nodes. It holds one row per node, which stays in the node's own read buffer.
type MergeSort struct {
	Input *Scatter
	Keys  []Key
}

// Inputs is the Scatter.
func (m *MergeSort) Inputs() []Node { return []Node{m.Input} }

// Describe lists the keys.
func (m *MergeSort) Describe() Desc { return Desc{Name: "MergeSort", Detail: describeKeys(m.Keys)} }

// Run opens all nodes and reads the first row of each.
func (m *MergeSort) Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error) {
	g, err := gather(ctx, sh, m.Input.Queries, f)
	if err != nil {
		return nil, err
	}
	r, err := newMergeRows(g, m.Keys, f)
	if err != nil {
		return nil, errors.Join(err, g.close())
	}
	return r, nil
}

// mergeRows keeps the streams in a binary heap by their current rows.
type mergeRows struct {
	*gathered
	keys    *keyReader
	current []head
	heap    []int // indexes into current
	started bool
	checked bool
}

// head is a stream's current row and its keys.
type head struct {
	row  []byte
	keys []value
	last []value // the keys before, where the order is checked
	kept []byte
}

func newMergeRows(g *gathered, keys []Key, f wire.Format) (*mergeRows, error) {
	reader, err := newKeyReader(keys, shape{columns: g.columns, format: f})
	if err != nil {
		return nil, err
	}
	r := &mergeRows{gathered: g, keys: reader, current: make([]head, len(g.streams)), checked: reader.checked()}
	for i := range g.streams {
		more, err := r.advance(i)
		if err != nil {
			return nil, err
		}
		if more {
			r.heap = append(r.heap, i)
			r.up(len(r.heap) - 1)
		}
	}
	return r, nil
}

// advance reads the next row of stream i; false at its end.
func (r *mergeRows) advance(i int) (bool, error) {
	h := &r.current[i]
	first := h.row == nil
	if r.checked && !first {
		h.last = append(h.last[:0], h.keys...)
		h.kept = keepValues(h.kept, h.last)
	}
	row, err := r.streams[i].Next()
	if err == io.EOF {
		return false, r.ended(i)
	}
	if err != nil {
		return false, err
	}
	h.row = row
	if h.keys, err = r.keys.read(row, h.keys[:0]); err != nil {
		return false, err
	}
	if r.checked && !first && r.keys.compare(h.last, h.keys) > 0 {
		return false, errUnsorted.New(r.keys.name())
	}
	return true, nil
}

// less orders two streams by their current rows, equal ones by node.
func (r *mergeRows) less(a, b int) bool {
	c := r.keys.compare(r.current[a].keys, r.current[b].keys)
	return c < 0 || c == 0 && a < b
}

func (r *mergeRows) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !r.less(r.heap[i], r.heap[parent]) {
			return
		}
		r.heap[i], r.heap[parent] = r.heap[parent], r.heap[i]
		i = parent
	}
}

func (r *mergeRows) down() {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(r.heap) {
			return
		}
		if child+1 < len(r.heap) && r.less(r.heap[child+1], r.heap[child]) {
			child++
		}
		if !r.less(r.heap[child], r.heap[i]) {
			return
		}
		r.heap[i], r.heap[child] = r.heap[child], r.heap[i]
		i = child
	}
}

// Columns are the first node's.
func (r *mergeRows) Columns() []wire.Column { return r.keys.shape.columns }

// Next moves the stream that gave the last row on, and gives the smallest current row.
func (r *mergeRows) Next() ([]byte, error) {
	if r.started && len(r.heap) > 0 {
		more, err := r.advance(r.heap[0])
		if err != nil {
			return nil, err
		}
		if !more {
			last := len(r.heap) - 1
			r.heap[0] = r.heap[last]
			r.heap = r.heap[:last]
		}
		r.down()
	}
	r.started = true
	if len(r.heap) == 0 {
		return nil, io.EOF
	}
	return r.current[r.heap[0]].row, nil
}

func (r *mergeRows) Warnings() uint16 { return r.warnings }

func (r *mergeRows) Close() error { return r.close() }
