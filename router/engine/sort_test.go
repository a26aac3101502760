package engine

import "testing"

func TestSort(t *testing.T) {
	nodes := map[int]fakeNode{
		0: {columns: "g:int c:bigint", rows: []string{"1|2", "2|3"}}, 1: {columns: "g:int c:bigint", rows: []string{"3|2", "4|NULL"}},
	}
	in := &Scatter{Queries: queries(2)}
	check(t, &Sort{Input: in, Keys: []Key{{Column: 1, Weight: -1, Desc: true}, {Column: 0, Weight: -1}}, Limit: -1}, nodes, "2|3", "1|2", "3|2", "4|NULL")
	check(t, &Sort{Input: in, Keys: []Key{{Column: 1, Weight: -1}}, Limit: 2}, nodes, "4|NULL", "1|2")
}

func TestSortBudget(t *testing.T) {
	nodes := map[int]fakeNode{0: {columns: "g:int", rows: []string{"1", "2", "3"}}}
	check(t, &Sort{Input: &Scatter{Queries: queries(1)}, Keys: []Key{{Weight: -1}}, Limit: -1, Budget: 500}, nodes, "error: out of memory for merging rows: the statement needs more than 500")
}
