package engine

import (
	"context"
	"io"
	"strconv"
	"testing"

	"ballast/sqlfront/wire"
)

// memoryShards gives the same prepared rows again and again, without copying them.
type memoryShards struct {
	columns []wire.Column
	rows    [][][]byte
}

func (m *memoryShards) Start(_ context.Context, q Query) (Started, error) {
	return &heldCopy{columns: m.columns, rows: m.rows[q.Node]}, nil
}

type heldCopy struct {
	columns []wire.Column
	rows    [][]byte
	at      int
}

func (h *heldCopy) Ready()                 {}
func (h *heldCopy) Rows() (Stream, error)  { return h, nil }
func (h *heldCopy) Interrupt()             {}
func (h *heldCopy) Columns() []wire.Column { return h.columns }
func (h *heldCopy) Warnings() uint16       { return 0 }
func (h *heldCopy) Close() error           { return nil }
func (h *heldCopy) Next() ([]byte, error) {
	if h.at == len(h.rows) {
		return nil, io.EOF
	}
	h.at++
	return h.rows[h.at-1], nil
}

func sortedRows(nodes, each int, format wire.Format) *memoryShards {
	s := shape{columns: fakeColumns("id:bigint g:int s:text"), format: format}
	m := &memoryShards{columns: s.columns, rows: make([][][]byte, nodes)}
	for i := range nodes * each {
		n := strconv.Itoa(1000000 + i)
		m.rows[i%nodes] = append(m.rows[i%nodes], fakeRow(s, n+"|"+strconv.Itoa(i/16)+"|value "+n))
	}
	return m
}

func benchmarkRows(b *testing.B, tree Node, format wire.Format) {
	const nodes, each = 4, 2500
	m := sortedRows(nodes, each, format)
	b.ReportAllocs()
	for b.Loop() {
		rows, err := tree.Run(b.Context(), m, format)
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = rows.Next()
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*nodes*each), "ns/row")
}

func BenchmarkScatter(b *testing.B) {
	benchmarkRows(b, &Scatter{Queries: queries(4)}, wire.Text)
}

func BenchmarkMergeSortText(b *testing.B) {
	benchmarkRows(b, mergeBy(4, Key{Weight: -1}), wire.Text)
}

func BenchmarkMergeSortBinary(b *testing.B) {
	benchmarkRows(b, mergeBy(4, Key{Weight: -1}), wire.Binary)
}

func BenchmarkProjectText(b *testing.B) {
	benchmarkRows(b, &Project{Input: mergeBy(4, Key{Weight: -1}), First: 2, Width: 3}, wire.Text)
}

func BenchmarkGroup(b *testing.B) {
	benchmarkRows(b, &Group{Input: mergeBy(4, Key{Column: 1, Weight: -1}), Keys: []Key{{Column: 1, Weight: -1}}, Aggs: []Agg{{Func: Count, Out: 0, Arg: []int{0}}}}, wire.Text)
}
