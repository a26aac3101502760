package engine

import "testing"

func TestCompute(t *testing.T) {
	nodes := map[int]fakeNode{0: {columns: "x:dec4 n:bigint s:dec2 f:double u:ubigint", rows: []string{"NULL|3|10.00|0.5|18446744073709551615", "1.0000|0|NULL|NULL|1"}}}
	n, s, f, u := ColumnRef{1}, ColumnRef{2}, ColumnRef{3}, ColumnRef{4}
	in := &Scatter{Queries: queries(1)}
	const restA, restB = "|3|10.00|0.5|18446744073709551615", "|0|NULL|NULL|1"
	for _, c := range []struct {
		expr Expr
		a, b string
	}{
		{Binary{Divide, s, n}, "3.3333", "NULL"},
		{Binary{Multiply, Binary{Divide, s, n}, Number{"100"}}, "333.3333", "NULL"},
		{Call{Coalesce, []Expr{s, Number{"0"}}}, "10.00", "0"},
		{Call{If, []Expr{Binary{Greater, n, Number{"1"}}, n, Unary{Minus, Number{"1"}}}}, "3", "-1"},
		{Call{NullIf, []Expr{n, Number{"0"}}}, "3", "NULL"},
		{Call{Round, []Expr{Binary{Divide, s, n}, Number{"1"}}}, "3.3", "NULL"},
		{Call{Round, []Expr{Number{"-15"}, Unary{Minus, Number{"1"}}}}, "-20", "-20"},
		{Call{Floor, []Expr{Unary{Minus, Binary{Divide, s, n}}}}, "-4", "NULL"},
		{Call{Ceiling, []Expr{Binary{Divide, s, n}}}, "4", "NULL"},
		{Call{Abs, []Expr{Binary{Subtract, n, Number{"10"}}}}, "7", "10"},
	} {
		check(t, &Compute{Input: in, Columns: []Computed{{0, c.expr}}}, nodes, c.a+restA, c.b+restB)
	}
	check(t, &Compute{Input: in, Columns: []Computed{{3, Binary{Multiply, f, Number{"3"}}}}}, nodes, "NULL|3|10.00|1.5|18446744073709551615", "1.0000|0|NULL|NULL|1")
	check(t, &Compute{Input: in, Columns: []Computed{{4, Binary{Add, u, Number{"1"}}}}}, nodes, "error: BIGINT UNSIGNED value is out of range")
	check(t, &Compute{Input: in, Columns: []Computed{{1, Binary{Add, n, Number{"1"}}}}}, nodes, "NULL|4|10.00|0.5|18446744073709551615", "1.0000|1|NULL|NULL|1")
	text := map[int]fakeNode{0: {columns: "m:text n:int", rows: []string{"a|1"}}}
	check(t, &Compute{Input: in, Columns: []Computed{{0, ColumnRef{1}}}}, text, "error: column 'm' of type VARCHAR(0) can't be computed")
	check(t, &Compute{Input: in, Columns: []Computed{{1, Call{Coalesce, []Expr{ColumnRef{0}}}}}}, text, "error: can't combine column 'm'")
}
