package engine

import "testing"

func TestProject(t *testing.T) {
	nodes := map[int]fakeNode{0: {columns: "a:int s:text b:bigint", rows: []string{"1|x|10", "NULL|y|NULL"}}}
	in := &Scatter{Queries: queries(1)}
	check(t, &Project{Input: in, First: 2}, nodes, "1|x", "NULL|y")
	check(t, &Project{Input: in, First: 1, Width: 3}, nodes, "1", "NULL")
	check(t, &Project{Input: in, Columns: []int{2, 0}}, nodes, "10|1", "NULL|NULL")
	check(t, &Project{Input: in, First: 1, Width: 2}, nodes, "error: 2 columns expected, 3 came")
	check(t, &Project{Input: in, Columns: []int{7}}, nodes, "error: does not fit")
}
