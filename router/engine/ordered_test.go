package engine

import (
	"errors"
	"testing"
)

func TestOrdered(t *testing.T) {
	nodes := map[int]fakeNode{
		0: {columns: "id:int", rows: []string{"1", "2"}}, 1: {columns: "id:int"}, 2: {columns: "id:int", rows: []string{"30"}},
	}
	check(t, &Ordered{Queries: queries(3)}, nodes, "1", "2", "30")
}

func TestOrderedFailures(t *testing.T) {
	ok := fakeNode{columns: "id:int", rows: []string{"1"}}
	check(t, &Ordered{Queries: queries(2)}, map[int]fakeNode{0: ok, 1: {fail: errors.New("down")}}, "1", "error: down")
	check(t, &Ordered{Queries: queries(2)}, map[int]fakeNode{0: ok, 1: {columns: "id:text"}}, "1", "error: differ")
	check(t, &Ordered{Queries: queries(1)}, map[int]fakeNode{0: {columns: "id:int", broken: errors.New("gone")}}, "error: gone")
	check(t, &Ordered{}, nil, "error: no node")
}
