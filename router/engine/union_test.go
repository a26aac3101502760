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

func TestUnionOfNumbers(t *testing.T) {
	check(t, unionOf(2), map[int]fakeNode{
		0: {columns: "a:int b:dec1 c:bigint d:int", rows: []string{"-1|2.5|-1|3"}},
		1: {columns: "a:dec2 b:dec3 c:ubigint d:double", rows: []string{"7.25|NULL|18446744073709551615|0.5"}},
	}, "-1.00|2.500|-1|3", "7.25|NULL|18446744073709551615|0.5")
}

func TestUnionRefusals(t *testing.T) {
	for _, c := range [][2]string{{"text", "bin"}, {"datetime", "time"}, {"int", "text"}, {"float", "int"}} {
		check(t, unionOf(2), map[int]fakeNode{0: {columns: "a:" + c[0]}, 1: {columns: "a:" + c[1]}}, "error: column 1 of a UNION")
	}
	check(t, unionOf(2), map[int]fakeNode{0: {columns: "a:int"}, 1: {columns: "a:int b:int"}}, "error: different number of columns")
	check(t, unionOf(2), map[int]fakeNode{0: {columns: "a:int"}, 1: {fail: errors.New("down")}}, "error: down")
	check(t, unionOf(2), map[int]fakeNode{0: {columns: "a:int", rows: []string{"1"}, broken: errors.New("gone")}, 1: {columns: "a:int"}}, "1", "error: gone")
}
