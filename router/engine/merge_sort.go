package engine

import (
	"context"
	"errors"
	"io"
	"math"

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

// mergeRows keeps the streams in a tree of losers: each inner place holds the stream that lost there, place 0 the one that won everywhere.
// The next row of the winner then plays once at each level on its way up.
type mergeRows struct {
	*gathered
	keys    *keyReader
	ranker  ranker
	single  bool // the first key is the only one
	heads   []head
	tree    []int
	needed  int // columns to be scanned of each row
	cut     int // when not 0, rows are cut off behind this many columns
	started bool
	checked bool
	err     error // of a comparison
}

// head is a stream's current row.
type head struct {
	rank  uint64 // of its first key
	row   []byte
	whole []byte // the row before it was cut
	ended bool
	read  bool // keys holds the row's keys
	keys  []value
	last  []value // the keys before, where the order is checked
	kept  []byte
}

func newMergeRows(g *gathered, keys []Key, f wire.Format) (*mergeRows, error) {
	reader, err := newKeyReader(keys, shape{columns: g.columns, format: f})
	if err != nil {
		return nil, err
	}
	n := len(g.streams)
	r := &mergeRows{gathered: g, keys: reader, heads: make([]head, n), tree: make([]int, n), checked: reader.checked(), single: len(keys) == 1}
	if len(keys) > 0 {
		r.ranker = newRanker(reader.shape, reader.keys[0])
		k := reader.keys[0]
		r.needed = max(k.Column, k.Weight, k.Pad) + 1
	}
	for i := range g.streams {
		r.tree[i] = noStream
		if err := r.advance(i); err != nil {
			return nil, err
		}
	}
	for i := range g.streams {
		r.play(i)
	}
	return r, r.err
}

// noStream is in places of the tree where nobody has played yet.
const noStream = -1

// advance reads the next row of stream i, or notes its end.
func (r *mergeRows) advance(i int) error {
	h := &r.heads[i]
	first := h.row == nil
	if r.checked && !first {
		if err := r.readKeys(h); err != nil {
			return err
		}
		h.last = append(h.last[:0], h.keys...)
		h.kept = keepValues(h.kept, h.last)
	}
	row, err := r.streams[i].Next()
	if err == io.EOF {
		h.ended, h.rank = true, math.MaxUint64
		return r.ended(i)
	}
	if err != nil {
		return err
	}
	h.row, h.whole, h.read = row, row, false
	if r.needed > 0 {
		fields, err := r.keys.shape.scan(row, r.needed, r.keys.fields[:0])
		if err != nil {
			return err
		}
		r.keys.fields = fields
		if r.cut > 0 {
			h.row = row[:fields[r.cut-1].end]
		}
		if len(r.keys.keys) > 0 {
			if h.rank, err = r.ranker.rank(row, fields); err != nil {
				return err
			}
		}
	}
	if r.checked && !first {
		if err := r.readKeys(h); err != nil {
			return err
		}
		if r.keys.compare(h.last, h.keys) > 0 {
			return errUnsorted.New(r.keys.name())
		}
	}
	return nil
}

// readKeys decodes all keys of a stream's current row.
func (r *mergeRows) readKeys(h *head) (err error) {
	if !h.read {
		h.keys, err = r.keys.read(h.whole, h.keys[:0])
		h.read = err == nil
	}
	return err
}

// cutAfter has rows cut off behind their first n columns, which a text row allows.
func (r *mergeRows) cutAfter(n int) error {
	r.cut, r.needed = n, max(r.needed, n)
	for i := range r.heads {
		if h := &r.heads[i]; h.row != nil && !h.ended {
			fields, err := r.keys.shape.scan(h.whole, n, r.keys.fields[:0])
			if err != nil {
				return err
			}
			r.keys.fields = fields
			h.row = h.whole[:fields[n-1].end]
		}
	}
	return nil
}

// play lets stream i play from its leaf to the top.
func (r *mergeRows) play(i int) {
	for at := (i + len(r.tree)) / 2; at > 0; at /= 2 {
		other := r.tree[at]
		if other == noStream {
			r.tree[at] = i
			return
		}
		if r.before(other, i) {
			r.tree[at], i = i, other
		}
	}
	r.tree[0] = i
}

// before says whether the row of stream a comes before that of b; equal ones are ordered by node.
func (r *mergeRows) before(a, b int) bool {
	x, y := &r.heads[a], &r.heads[b]
	if x.rank != y.rank {
		return x.rank < y.rank
	}
	if x.ended || y.ended {
		return !x.ended
	}
	if r.single && r.ranker.whole && x.rank != r.ranker.none {
		return a < b
	}
	for _, h := range [2]*head{x, y} {
		if err := r.readKeys(h); err != nil {
			r.err = err
			return a < b
		}
	}
	c := r.keys.compare(x.keys, y.keys)
	return c < 0 || c == 0 && a < b
}

// Columns are the first node's.
func (r *mergeRows) Columns() []wire.Column { return r.keys.shape.columns }

// Next moves the stream that gave the last row on, and gives the smallest current row.
func (r *mergeRows) Next() ([]byte, error) {
	top := r.tree[0]
	if r.started && !r.heads[top].ended {
		if err := r.advance(top); err != nil {
			return nil, err
		}
		r.play(top)
		if r.err != nil {
			return nil, r.err
		}
	}
	r.started = true
	h := &r.heads[r.tree[0]]
	if h.ended {
		return nil, io.EOF
	}
	return h.row, nil
}

func (r *mergeRows) Warnings() uint16 { return r.warnings }

func (r *mergeRows) Close() error { return r.close() }
