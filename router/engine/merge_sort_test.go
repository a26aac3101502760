package engine

import (
	"errors"
	"testing"

	"ballast/sqlfront/wire"
)

func mergeBy(n int, keys ...Key) *MergeSort {
	return &MergeSort{Input: &Scatter{Queries: queries(n)}, Keys: keys}
}

func TestMergeSortNumbers(t *testing.T) {
	nodes := map[int]fakeNode{
		0: {columns: "v:int", rows: []string{"NULL", "-5", "2", "10"}},
		1: {columns: "v:int"},
		2: {columns: "v:int", rows: []string{"-100", "2", "9"}},
		3: {columns: "v:int", rows: []string{"NULL", "1"}},
	}
	check(t, mergeBy(4, Key{Weight: -1}), nodes, "NULL", "NULL", "-100", "-5", "1", "2", "2", "9", "10")
}

func TestMergeSortDescending(t *testing.T) {
	nodes := map[int]fakeNode{
		0: {columns: "g:ubigint d:dec2", rows: []string{"18446744073709551615|-1.50", "9|1.00", "NULL|2.00"}},
		1: {columns: "g:ubigint d:dec2", rows: []string{"18446744073709551615|-2.25", "18446744073709551615|10.00", "9|0.99"}},
	}
	check(t, mergeBy(2, Key{Weight: -1, Desc: true}, Key{Column: 1, Weight: -1}), nodes,
		"18446744073709551615|-2.25", "18446744073709551615|-1.50", "18446744073709551615|10.00", "9|0.99", "9|1.00", "NULL|2.00")
}

func TestMergeSortTimes(t *testing.T) {
	times := map[int]fakeNode{
		0: {columns: "t:time", rows: []string{"-838:59:59", "-00:00:00.000001", "100:00:00"}},
		1: {columns: "t:time", rows: []string{"-23:00:00", "99:59:59.999999"}},
	}
	checkFormat(t, wire.Text, mergeBy(2, Key{Weight: -1}), times, "-838:59:59", "-23:00:00", "-00:00:00.000001", "99:59:59.999999", "100:00:00")
	checkFormat(t, wire.Binary, mergeBy(2, Key{Weight: -1}), times, "-3020399000000", "-82800000000", "-1", "359999999999", "360000000000")
	dates := map[int]fakeNode{
		0: {columns: "t:datetime", rows: []string{"1999-12-31 23:59:59.5", "2024-02-29 00:00:00"}},
		1: {columns: "t:datetime", rows: []string{"1999-12-31 23:59:59.25", "2024-02-28 23:59:59"}},
	}
	checkFormat(t, wire.Text, mergeBy(2, Key{Weight: -1}), dates,
		"1999-12-31 23:59:59.25", "1999-12-31 23:59:59.5", "2024-02-28 23:59:59", "2024-02-29 00:00:00")
}

func TestMergeSortByWeight(t *testing.T) {
	nodes := map[int]fakeNode{ // a case-insensitive collation that pads: weights are upper case
		0: {columns: "s:text w:bin p:bin", rows: []string{"a\tx|A\tX| ", "a |A | ", "b|B| "}},
		1: {columns: "s:text w:bin p:bin", rows: []string{"NULL|NULL|NULL", "A|A| ", "B|B| ", "C|C| "}},
	}
	check(t, mergeBy(2, Key{Weight: 1, Pad: 2}), nodes, "NULL|NULL|NULL", "a\tx|A\tX| ", "a |A | ", "A|A| ", "b|B| ", "B|B| ", "C|C| ")
	noPad := map[int]fakeNode{
		0: {columns: "s:text w:bin p:bin", rows: []string{"a|A|", "a |A |"}},
		1: {columns: "s:text w:bin p:bin", rows: []string{"a\t|A\t|"}},
	}
	check(t, mergeBy(2, Key{Weight: 1, Pad: 2}), noPad, "a|A|", "a\t|A\t|", "a |A |")
}

func TestMergeSortRefusals(t *testing.T) {
	check(t, mergeBy(1, Key{Weight: -1}), map[int]fakeNode{0: {columns: "s:text"}}, "error: can't be merged by column 's' of type VARCHAR")
	check(t, mergeBy(1, Key{Weight: 1}), map[int]fakeNode{0: {columns: "j:json w:bin"}}, "error: type JSON")
	floats := map[int]fakeNode{0: {columns: "f:float", rows: []string{"0.5"}}}
	checkFormat(t, wire.Text, mergeBy(1, Key{Weight: -1}), floats, "error: type FLOAT")
	checkFormat(t, wire.Binary, mergeBy(1, Key{Weight: -1}), floats, "0.5")
	check(t, mergeBy(2, Key{Weight: 1}), map[int]fakeNode{
		0: {columns: "s:text w:bin", rows: []string{"b|b", "a|a"}}, 1: {columns: "s:text w:bin", rows: []string{"z|z"}},
	}, "b|b", "error: not in the order")
}

func TestMergeSortBroken(t *testing.T) {
	check(t, mergeBy(2, Key{Weight: -1}), map[int]fakeNode{
		0: {columns: "id:int", rows: []string{"1", "3"}, broken: errors.New("gone")}, 1: {columns: "id:int", rows: []string{"2", "4"}},
	}, "1", "2", "3", "error: gone")
	check(t, mergeBy(2, Key{Weight: -1}), map[int]fakeNode{0: {columns: "id:int", broken: errors.New("gone")}, 1: {columns: "id:int"}}, "error: gone")
}
