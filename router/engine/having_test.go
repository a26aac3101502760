package engine

import "testing"

func TestHaving(t *testing.T) {
	nodes := map[int]fakeNode{0: {columns: "g:int n:bigint s:dec2 f:double", rows: []string{"1|4|3.00|0.5", "2|1|NULL|2", "3|0|2.50|0", "NULL|2|10.00|NULL"}}}
	g, n, s, f := ColumnRef{0}, ColumnRef{1}, ColumnRef{2}, ColumnRef{3}
	one, two := "1|4|3.00|0.5", "2|1|NULL|2"
	three, four := "3|0|2.50|0", "NULL|2|10.00|NULL"
	for _, c := range []struct {
		cond Expr
		want []string
	}{
		{Binary{Greater, n, Number{"3"}}, []string{one}},
		{Binary{Less, s, Number{"3"}}, []string{three}},
		{Binary{Equal, s, Number{"3.0"}}, []string{one}},
		{Binary{NotEqual, s, Number{"3"}}, []string{three, four}},
		{Binary{LessEqual, f, Number{"5e-1"}}, []string{one, three}},
		{Binary{GreaterEqual, n, Binary{Divide, s, Number{"2.5"}}}, []string{one}},
		{Unary{IsNull, s}, []string{two}},
		{Unary{Not, Unary{IsNull, g}}, []string{one, two, three}},
		{Unary{Not, Binary{Equal, g, Number{"1"}}}, []string{two, three}},
		{Unary{IsTrue, f}, []string{one, two}},
		{Unary{IsFalse, f}, []string{three}},
		{Binary{And, Unary{IsNull, s}, Binary{Equal, n, Number{"1"}}}, []string{two}},
		{Binary{Or, Binary{Equal, g, Number{"1"}}, Binary{Greater, s, Number{"9"}}}, []string{one, four}},
		{Binary{Xor, Binary{Equal, g, Number{"1"}}, Number{"1"}}, []string{two, three}},
		{Binary{NullSafeEqual, g, NullConst{}}, []string{four}},
		{Binary{Equal, Binary{Add, g, n}, Number{"5"}}, []string{one}},
		{Binary{Equal, Binary{Subtract, g, n}, Unary{Minus, Number{"3"}}}, []string{one}},
		{Binary{Equal, Binary{Modulo, n, Number{"3"}}, Number{"1"}}, []string{one, two}},
		{Binary{Equal, Binary{IntDivide, n, Number{"2"}}, Number{"2"}}, []string{one}},
		{Binary{Equal, Binary{Multiply, n, s}, Number{"12"}}, []string{one}},
		{Unary{IsNull, Binary{Divide, g, n}}, []string{three, four}},
		{Binary{Greater, Number{"18446744073709551615"}, n}, []string{one, two, three, four}},
		{n, []string{one, two, four}},
	} {
		check(t, &Having{Input: &Scatter{Queries: queries(1)}, Cond: c.cond}, nodes, c.want...)
	}
}

func TestHavingRefusesStrings(t *testing.T) {
	nodes := map[int]fakeNode{0: {columns: "m:text t:datetime", rows: []string{"a|2020-01-01 00:00:00"}}}
	in := &Scatter{Queries: queries(1)}
	check(t, &Having{Input: in, Cond: Binary{Equal, ColumnRef{0}, ColumnRef{0}}}, nodes, "error: can't combine column 'm'")
	check(t, &Having{Input: in, Cond: Binary{Less, ColumnRef{1}, Number{"1"}}}, nodes, "error: can't combine column 't' of type DATETIME with 1")
	check(t, &Having{Input: in, Cond: ColumnRef{0}}, nodes, "error: a truth value")
	check(t, &Having{Input: in, Cond: Unary{IsNull, ColumnRef{0}}}, nodes)
}

func TestHavingComparesWeights(t *testing.T) {
	nodes := map[int]fakeNode{0: {columns: "m:text w:bin p:bin c:bin", rows: []string{"a |A | |A", "b|B| |A", "NULL|NULL|NULL|A"}}}
	in := &Scatter{Queries: queries(1)}
	m, c := WeightRef{Weight: 1, Pad: 2}, WeightRef{Weight: 3, Pad: 2}
	check(t, &Having{Input: in, Cond: Binary{Equal, m, c}}, nodes, "a |A | |A")
	check(t, &Having{Input: in, Cond: Binary{Greater, m, c}}, nodes, "b|B| |A")
	check(t, &Having{Input: in, Cond: Binary{Equal, m, Number{"1"}}}, nodes, "error: can't combine a string with 1")
}

func TestHavingPrints(t *testing.T) {
	h := &Having{Cond: Binary{And, Binary{Greater, ColumnRef{1}, Number{"3"}}, Unary{Not, Unary{IsNull, ColumnRef{0}}}}}
	if got := h.Describe().Detail; got != "(#2 > 3) AND NOT (#1 IS NULL)" {
		t.Error(got)
	}
}
