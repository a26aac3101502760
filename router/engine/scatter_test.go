package engine

import (
	"errors"
	"fmt"
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
