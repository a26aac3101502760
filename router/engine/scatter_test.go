package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"ballast/sqlfront/wire"
)

func TestScatterConcatenates(t *testing.T) {
	nodes := map[int]fakeNode{
		0: {columns: "id:int s:text", rows: []string{"1|a", "2|NULL"}},
		1: {columns: "id:int s:text"},
		2: {columns: "id:int s:text", rows: []string{"3|c"}},
	}
	check(t, &Scatter{Queries: queries(3)}, nodes, "1|a", "2|NULL", "3|c")
}

func TestScatterTakesTurns(t *testing.T) {
	long := fakeNode{columns: "id:int"}
	for i := range turn + 1 {
		long.rows = append(long.rows, fmt.Sprint(i))
	}
	nodes := map[int]fakeNode{0: long, 1: {columns: "id:int", rows: []string{"1000"}}}
	got, err := collect(t, &Scatter{Queries: queries(2)}, &fakeShards{nodes: nodes}, wire.Text)
	if err != nil || len(got) != turn+2 || got[turn] != "1000" || got[turn+1] != fmt.Sprint(turn) {
		t.Errorf("%v %v", got, err)
	}
}

func TestScatterOneNodeFails(t *testing.T) {
	boom := errors.New("boom")
	check(t, &Scatter{Queries: queries(3)}, map[int]fakeNode{0: {columns: "id:int", rows: []string{"1"}}, 1: {fail: boom}, 2: {hang: true}}, "error: boom")
	check(t, &Scatter{Queries: queries(2)}, map[int]fakeNode{0: {columns: "id:int", rows: []string{"1"}, broken: boom}, 1: {columns: "id:int"}}, "1", "error: boom")
	check(t, &Scatter{}, nil, "error: no node")
}

func TestScatterColumnsDiffer(t *testing.T) {
	check(t, &Scatter{Queries: queries(2)}, map[int]fakeNode{0: {columns: "id:int"}, 1: {columns: "id:bigint s:text"}}, "error: differ in their columns: 1 and 2")
	check(t, &Scatter{Queries: queries(2)}, map[int]fakeNode{0: {columns: "id:int"}, 1: {columns: "id:text"}}, "error: column 'id' is BIGINT and VARCHAR")
}

func TestWarningsAddUp(t *testing.T) {
	nodes := map[int]fakeNode{0: {columns: "id:int", rows: []string{"1"}, warnings: 2}, 1: {columns: "id:int", rows: []string{"1"}, warnings: 3}}
	for _, tree := range []Node{
		&Scatter{Queries: queries(2)}, &Ordered{Queries: queries(2)}, &MergeSort{Input: &Scatter{Queries: queries(2)}, Keys: []Key{{Weight: -1}}},
		&Sort{Input: &Scatter{Queries: queries(2)}, Keys: []Key{{Weight: -1}}, Limit: -1},
		&Union{Branches: []Node{&Scatter{Queries: queries(2)[:1]}, &Scatter{Queries: queries(2)[1:]}}},
	} {
		rows, err := tree.Run(t.Context(), &fakeShards{nodes: nodes}, wire.Text)
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = rows.Next()
		}
		if rows.Warnings() != 5 {
			t.Errorf("%s: %d warnings", tree.Describe().Name, rows.Warnings())
		}
	}
}

// One node takes its time while another fails: the failure is what is told, and soon.
func TestFailureWhileAnotherWaits(t *testing.T) {
	boom := errors.New("boom")
	check(t, &Scatter{Queries: queries(3)}, map[int]fakeNode{0: {hang: true}, 1: {columns: "id:int"}, 2: {fail: boom}}, "error: boom")
	check(t, &Scatter{Queries: queries(3)}, map[int]fakeNode{0: {fail: boom}, 1: {columns: "id:int"}, 2: {hang: true}}, "error: boom")
	sh := check(t, &Scatter{Queries: queries(3)}, map[int]fakeNode{0: {hang: true}, 1: {refuse: boom}}, "error: boom")
	if fmt.Sprint(sh.opened) != "[0 1]" {
		t.Errorf("after a refusal nothing more is started: %v", sh.opened)
	}
}

func TestCancelledScatter(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := (&Scatter{Queries: queries(2)}).Run(ctx, &fakeShards{nodes: map[int]fakeNode{0: {hang: true}, 1: {hang: true}}}, wire.Text)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// scarceShards has one connection to each node, which a query holds until its rows are closed.
type scarceShards struct {
	fakeShards
	free [4]chan struct{}
}

type scarceQuery struct {
	Started
	Stream
	free chan struct{}
	once sync.Once
}

func (s *scarceShards) Start(ctx context.Context, q Query) (Started, error) {
	<-s.free[q.Node]
	st, err := s.fakeShards.Start(ctx, q)
	return &scarceQuery{Started: st, free: s.free[q.Node]}, err
}

func (q *scarceQuery) Rows() (Stream, error) {
	var err error
	q.Stream, err = q.Started.Rows()
	return q, err
}

func (q *scarceQuery) Close() error {
	q.once.Do(func() { q.free <- struct{}{} })
	return q.Stream.Close()
}

// TestScattersDontMeetInACircle: statements that name the nodes in different orders share one connection to each.
func TestScattersDontMeetInACircle(t *testing.T) {
	sh := &scarceShards{fakeShards: fakeShards{nodes: map[int]fakeNode{}}}
	for i := range sh.free {
		sh.nodes[i] = fakeNode{columns: "id:int", rows: []string{"1"}}
		sh.free[i] = make(chan struct{}, 1)
		sh.free[i] <- struct{}{}
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 200 {
				q := queries(4)
				for at := range q {
					q[at].Node = (at*(1+2*(i%2)) + i) % 4
				}
				rows, err := (&Scatter{Queries: q}).Run(context.Background(), sh, wire.Text)
				if err != nil {
					t.Error(err)
					return
				}
				n := 0
				for ; err == nil; n++ {
					_, err = rows.Next()
				}
				if err := rows.Close(); err != nil || n != 5 {
					t.Errorf("%d rows, %v", n-1, err)
				}
			}
		})
	}
	all.Wait()
}
