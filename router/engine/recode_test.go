package engine

import "testing"

func TestNodesDifferInWidth(t *testing.T) {
	nodes := map[int]fakeNode{
		0: {columns: "a:int s:text", rows: []string{"-1|x", "5|y"}}, 1: {columns: "a:bigint s:text", rows: []string{"NULL|z", "9223372036854775807|NULL"}},
		2: {columns: "a:int s:text", rows: []string{"7|w"}},
	}
	check(t, &Scatter{Queries: queries(3)}, nodes, "-1|x", "5|y", "NULL|z", "9223372036854775807|NULL", "7|w")
	check(t, mergeBy(3, Key{Weight: -1}), nodes, "NULL|z", "-1|x", "5|y", "7|w", "9223372036854775807|NULL")
	check(t, &Ordered{Queries: queries(3)}, map[int]fakeNode{0: nodes[1], 1: nodes[0], 2: nodes[2]}, "NULL|z", "9223372036854775807|NULL", "-1|x", "5|y", "7|w")
	check(t, &Scatter{Queries: queries(2)}, map[int]fakeNode{0: {columns: "a:int"}, 1: {columns: "a:ubigint"}}, "error: column 'a' is BIGINT and BIGINT UNSIGNED")
}
