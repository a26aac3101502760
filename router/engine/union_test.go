package engine

import (
	"errors"
	"testing"
)

func unionOf(n int) *Union {
	u := &Union{}
	for i := range n {
		u.Branches = append(u.Branches, &Scatter{Queries: []Query{{Node: i}}})
	}
	return u
}

func TestUnion(t *testing.T) {
	check(t, unionOf(3), map[int]fakeNode{
		0: {columns: "a:int s:text", rows: []string{"-1|x"}}, 1: {columns: "b:bigint s:text", rows: []string{"9223372036854775807|NULL"}}, 2: {columns: "b:int s:text"},
	}, "-1|x", "9223372036854775807|NULL")
}

func TestUnionRefusals(t *testing.T) {
	for _, c := range [][2]string{{"int", "dec2"}, {"dec1", "dec2"}, {"bigint", "ubigint"}, {"text", "bin"}, {"datetime", "time"}} {
		check(t, unionOf(2), map[int]fakeNode{0: {columns: "a:" + c[0]}, 1: {columns: "a:" + c[1]}}, "error: column 1 of a UNION")
	}
	check(t, unionOf(2), map[int]fakeNode{0: {columns: "a:int"}, 1: {columns: "a:int b:int"}}, "error: different number of columns")
	check(t, unionOf(2), map[int]fakeNode{0: {columns: "a:int"}, 1: {fail: errors.New("down")}}, "error: down")
	check(t, unionOf(2), map[int]fakeNode{0: {columns: "a:int", rows: []string{"1"}, broken: errors.New("gone")}, 1: {columns: "a:int"}}, "1", "error: gone")
}
