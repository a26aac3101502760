package engine

import "testing"

func TestUniform(t *testing.T) {
	u := &Uniform{Input: &Scatter{Queries: queries(2)}, Columns: []int{1}}
	check(t, u, map[int]fakeNode{0: {columns: "a:int c:bin", rows: []string{"1|x"}}, 1: {columns: "a:int c:bin", rows: []string{"2|x"}}}, "1|x", "2|x")
	check(t, u, map[int]fakeNode{0: {columns: "a:int c:bin", rows: []string{"1|x"}}, 1: {columns: "a:int c:bin", rows: []string{"2|y"}}}, "1|x", "error: under collations x and y")
	check(t, u, map[int]fakeNode{0: {columns: "a:int"}, 1: {columns: "a:int"}}, "error: does not fit")
}
