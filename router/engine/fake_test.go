package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/sqlfront/wire"
)

// fakeNode is what one node answers to any query: columns as "name:type" and rows as "a|b|NULL".
type fakeNode struct {
	columns string
	rows    []string
	// fail is returned by Rows, refuse by Start; broken after the last row, in place of io.EOF.
	fail, refuse, broken error
	warnings             uint16
	// hang makes Rows wait until it is interrupted.
	hang bool
}

type fakeShards struct {
	nodes map[int]fakeNode

	mu     sync.Mutex
	opened []int
	live   int
	read   int
}

func (f *fakeShards) Start(_ context.Context, q Query) (Started, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = append(f.opened, q.Node)
	if err := f.nodes[q.Node].refuse; err != nil {
		return nil, err
	}
	return &fakeStarted{shards: f, query: q, interrupted: make(chan struct{})}, nil
}

type fakeStarted struct {
	shards      *fakeShards
	query       Query
	once        sync.Once
	interrupted chan struct{}
}

func (q *fakeStarted) Ready() {}

func (q *fakeStarted) Interrupt() { q.once.Do(func() { close(q.interrupted) }) }

func (q *fakeStarted) Rows() (Stream, error) {
	f, n := q.shards, q.shards.nodes[q.query.Node]
	if n.hang {
		<-q.interrupted
		return nil, context.Canceled
	}
	if n.fail != nil {
		return nil, n.fail
	}
	s := shape{columns: fakeColumns(n.columns), format: q.query.Format}
	st := &fakeStream{shards: f, node: n, shape: s}
	for _, r := range n.rows {
		st.rows = append(st.rows, fakeRow(s, r))
	}
	f.mu.Lock()
	f.live++
	f.mu.Unlock()
	return st, nil
}

type fakeStream struct {
	shards *fakeShards
	node   fakeNode
	shape  shape
	rows   [][]byte
	buf    []byte
	closed bool
}

func (s *fakeStream) Columns() []wire.Column { return s.shape.columns }

// Next overwrites the row before, as real streams do.
func (s *fakeStream) Next() ([]byte, error) {
	if s.closed {
		return nil, errors.New("read after close")
	}
	for i := range s.buf {
		s.buf[i] = 0xee
	}
	if len(s.rows) == 0 {
		if s.node.broken != nil {
			return nil, s.node.broken
		}
		return nil, io.EOF
	}
	s.buf = append(s.buf[:0], s.rows[0]...)
	s.rows = s.rows[1:]
	s.shards.mu.Lock()
	s.shards.read++
	s.shards.mu.Unlock()
	return s.buf, nil
}

func (s *fakeStream) Warnings() uint16 { return s.node.warnings }

func (s *fakeStream) Close() error {
	if !s.closed {
		s.closed = true
		s.shards.mu.Lock()
		s.shards.live--
		s.shards.mu.Unlock()
	}
	return nil
}

func fakeColumns(spec string) []wire.Column {
	var cols []wire.Column
	for _, one := range strings.Fields(spec) {
		name, typ, _ := strings.Cut(one, ":")
		c := wire.Column{Name: name, Charset: wire.CollationBinary}
		switch {
		case typ == "int":
			c.Type = wire.TypeLong
		case typ == "bigint":
			c.Type = wire.TypeLongLong
		case typ == "ubigint":
			c.Type, c.Flags = wire.TypeLongLong, wire.FlagUnsigned
		case typ == "float":
			c.Type, c.Decimals = wire.TypeFloat, notFixed
		case typ == "double":
			c.Type, c.Decimals = wire.TypeDouble, notFixed
		case typ == "text":
			c.Type, c.Charset = wire.TypeVarString, wire.CollationUTF8MB409
		case typ == "bin":
			c.Type = wire.TypeVarString
		case typ == "datetime":
			c.Type = wire.TypeDatetime
		case typ == "time":
			c.Type = wire.TypeTime
		case typ == "json":
			c.Type = wire.TypeJSON
		case strings.HasPrefix(typ, "dec"):
			n, err := strconv.Atoi(typ[3:])
			if err != nil {
				panic(err)
			}
			c.Type, c.Decimals = wire.TypeNewDecimal, uint8(n)
		default:
			panic("unknown type " + typ)
		}
		cols = append(cols, c)
	}
	return cols
}

func fakeRow(s shape, text string) []byte {
	var cells []cell
	for i, v := range strings.Split(text, "|") {
		cells = append(cells, fakeCell(s, i, v))
	}
	return appendRow(nil, s.format, cells)
}

func fakeCell(s shape, i int, v string) cell {
	if v == "NULL" {
		return nil
	}
	if s.format == wire.Text {
		return textCell([]byte(v))
	}
	switch classOf(s.columns[i]) {
	case classInt:
		n, err := strconv.ParseInt(v, 10, 64)
		must(err)
		return s.intCell(i, n)
	case classUint:
		n, err := strconv.ParseUint(v, 10, 64)
		must(err)
		return s.intCell(i, int64(n))
	case classDouble, classFloat:
		f, err := strconv.ParseFloat(v, 64)
		must(err)
		return s.floatCell(i, f)
	case classDateTime:
		t, err := time.Parse("2006-01-02 15:04:05.999999", v)
		must(err)
		b := binary.LittleEndian.AppendUint16([]byte{11}, uint16(t.Year()))
		b = append(b, byte(t.Month()), byte(t.Day()), byte(t.Hour()), byte(t.Minute()), byte(t.Second()))
		return binary.LittleEndian.AppendUint32(b, uint32(t.Nanosecond()/1000))
	case classTime:
		us, ok := durationText([]byte(v))
		if !ok {
			panic(v)
		}
		sign := byte(0)
		if us < 0 {
			sign, us = 1, -us
		}
		b := binary.LittleEndian.AppendUint32([]byte{12, sign}, uint32(us/86400e6))
		us %= 86400e6
		b = append(b, byte(us/3600e6), byte(us/60e6%60), byte(us/1e6%60))
		return binary.LittleEndian.AppendUint32(b, uint32(us%1e6))
	}
	return textCell([]byte(v))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// showRow prints a row of either format.
func showRow(s shape, row []byte) string {
	fields, err := s.scan(row, len(s.columns), nil)
	if err != nil {
		return err.Error()
	}
	var out []string
	for i, f := range fields {
		v, err := s.decode(row, f, i, classOf(s.columns[i]))
		switch {
		case err != nil:
			out = append(out, err.Error())
		case v.kind == null:
			out = append(out, "NULL")
		case s.format == wire.Text || v.kind == str || v.kind == exact:
			out = append(out, string(row[f.data:f.end]))
		case v.kind == integer:
			out = append(out, strconv.FormatInt(v.i, 10))
		case v.kind == unsigned:
			out = append(out, strconv.FormatUint(v.u, 10))
		case v.kind == floating && !math.IsNaN(v.f):
			out = append(out, formatDouble(v.f))
		default:
			out = append(out, fmt.Sprint(v.i))
		}
	}
	return strings.Join(out, "|")
}

// queries asks nodes 0..n-1.
func queries(n int) []Query {
	var q []Query
	for i := range n {
		q = append(q, Query{Node: i, SQL: []byte("SELECT")})
	}
	return q
}

// check runs the tree in both formats and compares the rows; want may be one "error: …" with a part of the message. Nothing may stay open.
func check(t *testing.T, tree Node, nodes map[int]fakeNode, want ...string) *fakeShards {
	t.Helper()
	var sh *fakeShards
	for _, f := range []wire.Format{wire.Text, wire.Binary} {
		sh = checkFormat(t, f, tree, nodes, want...)
	}
	return sh
}

func checkFormat(t *testing.T, f wire.Format, tree Node, nodes map[int]fakeNode, want ...string) *fakeShards {
	t.Helper()
	before := runtime.NumGoroutine()
	sh := &fakeShards{nodes: nodes}
	got, err := collect(t, tree, sh, f)
	if err != nil {
		got = append(got, "error: "+err.Error())
	}
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		ok = got[i] == want[i] || strings.HasPrefix(want[i], "error: ") && strings.Contains(got[i], want[i][len("error: "):])
	}
	if !ok {
		t.Errorf("format %d:\ngot  %q\nwant %q", f, got, want)
	}
	if sh.live != 0 {
		t.Errorf("format %d: %d streams stay open", f, sh.live)
	}
	for patience := time.Now().Add(2 * time.Second); time.Now().Before(patience); runtime.Gosched() {
		if runtime.NumGoroutine() <= before {
			return sh
		}
	}
	t.Errorf("format %d: %d goroutines, %d before", f, runtime.NumGoroutine(), before)
	return sh
}

func collect(t *testing.T, tree Node, sh *fakeShards, f wire.Format) ([]string, error) {
	t.Helper()
	rows, err := tree.Run(context.Background(), sh, f)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
		if err := rows.Close(); err != nil {
			t.Error("second close:", err)
		}
	}()
	var got []string
	for {
		row, err := rows.Next()
		if err == io.EOF {
			if _, again := rows.Next(); again != io.EOF {
				t.Errorf("after the end: %v", again)
			}
			return got, nil
		}
		if err != nil {
			return got, err
		}
		got = append(got, showRow(shape{columns: rows.Columns(), format: f}, row))
	}
}
