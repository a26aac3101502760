package engine

import "testing"

func TestDistinct(t *testing.T) {
	nodes := map[int]fakeNode{
		0: {columns: "a:int b:dec1", rows: []string{"NULL|1.0", "1|1.0", "1|2.0"}}, 1: {columns: "a:int b:dec1", rows: []string{"NULL|1.0", "1|1.0", "2|1.0"}},
	}
	keys := []Key{{Weight: -1}, {Column: 1, Weight: -1}}
	check(t, &Distinct{Input: mergeBy(2, keys...), Keys: keys}, nodes, "NULL|1.0", "1|1.0", "1|2.0", "2|1.0")
	check(t, &Distinct{Input: &Scatter{Queries: queries(2)}, Keys: keys, Unsorted: true}, nodes, "NULL|1.0", "1|1.0", "1|2.0", "2|1.0")
	check(t, &Distinct{Input: &Scatter{Queries: queries(2)}, Keys: keys, Unsorted: true, Budget: 100}, nodes, "error: out of memory")
	check(t, &Distinct{Input: &Scatter{Queries: queries(2)}, Keys: []Key{{Column: 5, Weight: -1}}}, nodes, "error: does not fit")
}
