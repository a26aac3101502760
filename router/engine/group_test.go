package engine

import "testing"

func groupBy(n int, keys []Key, aggs ...Agg) *Group {
	in := Node(&Scatter{Queries: queries(n)})
	if keys != nil {
		in = mergeBy(n, keys...)
	}
	return &Group{Input: in, Keys: keys, Aggs: aggs}
}

func TestGroupMergesPartials(t *testing.T) {
	const cols = "g:int n:bigint s:dec2 a:dec6 s2:dec2 n2:bigint lo:int hi:int"
	nodes := map[int]fakeNode{
		0: {columns: cols, rows: []string{"NULL|1|0.10|0.100000|0.10|1|7|7", "1|2|3.00|1.500000|3.00|2|-5|8"}},
		1: {columns: cols, rows: []string{"1|1|-10.01|-10.010000|-10.01|1|NULL|NULL", "2|0|NULL|NULL|NULL|0|NULL|NULL"}},
		2: {columns: cols, rows: []string{"NULL|1|0.20|0.200000|0.20|1|-9|9"}},
	}
	check(t, groupBy(3, []Key{{Weight: -1}},
		Agg{Func: First, Out: 0, Arg: []int{0}}, Agg{Func: Count, Out: 1, Arg: []int{1}}, Agg{Func: Sum, Out: 2, Arg: []int{2}},
		Agg{Func: Avg, Out: 3, Arg: []int{4, 5}}, Agg{Func: Min, Out: 6, Arg: []int{6}}, Agg{Func: Max, Out: 7, Arg: []int{7}}), nodes,
		"NULL|2|0.30|0.150000|0.10|1|-9|9", "1|3|-7.01|-2.336667|3.00|2|-5|8", "2|0|NULL|NULL|NULL|0|NULL|NULL")
}

func TestGroupOverNothing(t *testing.T) {
	nodes := map[int]fakeNode{0: {columns: "g:int n:bigint"}, 1: {columns: "g:int n:bigint"}}
	check(t, groupBy(2, []Key{{Weight: -1}}, Agg{Func: Count, Out: 1, Arg: []int{1}}), nodes)
	nodes[9] = fakeNode{columns: "g:int n:bigint", rows: []string{"5|0"}}
	g := groupBy(2, nil, Agg{Func: CountDistinct, Out: 1, Arg: []int{0}})
	g.Empty = &Scatter{Queries: []Query{{Node: 9}}}
	check(t, g, nodes, "5|0")
	nodes[0] = fakeNode{columns: "g:int n:bigint", rows: []string{"3|1", "4|1"}}
	check(t, g, nodes, "3|2")
}

func TestGroupWithoutKeys(t *testing.T) {
	nodes := map[int]fakeNode{0: {columns: "n:bigint s:dec0", rows: []string{"0|NULL"}}, 1: {columns: "n:bigint s:dec0", rows: []string{"2|7"}}}
	check(t, groupBy(2, nil, Agg{Func: Count, Arg: []int{0}}, Agg{Func: Sum, Out: 1, Arg: []int{1}}), nodes, "2|7")
	nodes[1] = fakeNode{columns: "n:bigint s:dec0", rows: []string{"0|NULL"}}
	check(t, groupBy(2, nil, Agg{Func: Count, Arg: []int{0}}, Agg{Func: Sum, Out: 1, Arg: []int{1}}), nodes, "0|NULL")
}

func TestGroupDistinct(t *testing.T) {
	const cols = "c:bigint s:dec0 a:dec4 g:int v:int"
	nodes := map[int]fakeNode{
		0: {columns: cols, rows: []string{"1|5|5.0000|1|5", "1|7|7.0000|2|7"}},
		1: {columns: cols, rows: []string{"1|5|5.0000|1|5", "1|5|5.0000|2|5", "1|7|7.0000|NULL|7"}},
	}
	check(t, groupBy(2, nil, Agg{Func: CountDistinct, Out: 0, Arg: []int{3, 4}}, Agg{Func: SumDistinct, Out: 1, Arg: []int{4}},
		Agg{Func: AvgDistinct, Out: 2, Arg: []int{4}}), nodes, "3|12|6.0000|1|5")
	small := groupBy(2, nil, Agg{Func: CountDistinct, Out: 0, Arg: []int{3, 4}})
	small.Budget = 200
	check(t, small, nodes, "error: out of memory")
}

func TestGroupDistinctStrings(t *testing.T) {
	nodes := map[int]fakeNode{
		0: {columns: "c:bigint s:text w:bin p:bin", rows: []string{"1|a|A| ", "1|b|B| "}},
		1: {columns: "c:bigint s:text w:bin p:bin", rows: []string{"1|A |A | ", "0|NULL|NULL|NULL"}},
	}
	check(t, groupBy(2, nil, Agg{Func: CountDistinct, Out: 0, Arg: []int{1}, ArgWeight: []int{2}, ArgPad: []int{3}}), nodes, "2|a|A| ")
}

func TestGroupExtremesOfStrings(t *testing.T) {
	nodes := map[int]fakeNode{
		0: {columns: "m:text w:bin", rows: []string{"é|E"}}, 1: {columns: "m:text w:bin", rows: []string{"d|D"}}, 2: {columns: "m:text w:bin", rows: []string{"NULL|NULL"}},
	}
	check(t, groupBy(3, nil, Agg{Func: Max, Arg: []int{0}, ArgWeight: []int{1}}), nodes, "é|E")
	check(t, groupBy(3, nil, Agg{Func: Min, Arg: []int{0}, ArgWeight: []int{1}}), nodes, "d|E")
	check(t, groupBy(3, nil, Agg{Func: Min, Arg: []int{0}, ArgWeight: []int{-1}}), nodes, "error: type VARCHAR")
}

func TestGroupFloats(t *testing.T) {
	nodes := map[int]fakeNode{
		0: {columns: "s:double a:double n:bigint", rows: []string{"0.1|0.1|1"}}, 1: {columns: "s:double a:double n:bigint", rows: []string{"1e300|1e300|1"}},
		2: {columns: "s:double a:double n:bigint", rows: []string{"-1e300|-1e300|1"}},
	}
	check(t, groupBy(3, nil, Agg{Func: Sum, Out: 0, Arg: []int{0}}), nodes, "0|0.1|1")
	check(t, groupBy(2, nil, Agg{Func: Avg, Out: 1, Arg: []int{0, 2}}), nodes, "0.1|5e299|1")
}

func TestGroupBits(t *testing.T) {
	nodes := map[int]fakeNode{
		0: {columns: "a:ubigint o:ubigint x:ubigint", rows: []string{"18446744073709551615|0|0"}}, 1: {columns: "a:ubigint o:ubigint x:ubigint", rows: []string{"6|6|6"}},
		2: {columns: "a:ubigint o:ubigint x:ubigint", rows: []string{"3|3|3"}},
	}
	check(t, groupBy(3, nil, Agg{Func: BitAnd, Out: 0, Arg: []int{0}}, Agg{Func: BitOr, Out: 1, Arg: []int{1}}, Agg{Func: BitXor, Out: 2, Arg: []int{2}}), nodes, "2|7|5")
	check(t, groupBy(1, nil, Agg{Func: BitAnd, Arg: []int{0}}), map[int]fakeNode{0: {columns: "a:bin"}}, "error: BIT_AND over a column of type VARBINARY")
}

func TestGroupRefusesOddResults(t *testing.T) {
	nodes := map[int]fakeNode{0: {columns: "m:text w:bin"}}
	check(t, groupBy(1, nil, Agg{Func: Sum, Arg: []int{0}, ArgWeight: []int{1}}), nodes, "error: SUM over a column of type VARCHAR")
	check(t, groupBy(1, nil, Agg{Func: First + 100, Arg: []int{1}}), nodes, "error: over a column of type")
}
