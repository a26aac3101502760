package engine

import "strings"

// Expr is a condition over merged rows (HAVING). It knows numbers, dates compared with dates, and three-valued logic; strings are refused when
// the columns' types are known, because only the server can compare them. Parts without aggregates are not rewritten into Exprs: the planner lets
// the nodes compute them as hidden columns and refers to them by ColumnRef.
type Expr interface {
	// bind checks types and gives the evaluator.
	bind(s shape) (bound, error)
	// String is what Describe prints.
	String() string
}

// ColumnRef is the value of an input column.
type ColumnRef struct{ Index int }

// WeightRef is a string, given by the column with its weight; Pad is the column with the weight of a space, 0 for none (see Key). Strings compare
// with each other only, and only under the collation that made both weights.
type WeightRef struct{ Weight, Pad int }

// Number is a numeric constant as SQL writes it: an integer, a decimal, or with an exponent a float.
type Number struct{ Text string }

// NullConst is NULL.
type NullConst struct{}

// Unary is an operator with one operand.
type Unary struct {
	Op UnaryOp
	X  Expr
}

// Binary is an operator with two operands.
type Binary struct {
	Op   BinaryOp
	L, R Expr
}

// UnaryOp names an operator with one operand.
type UnaryOp uint8

// The unary operators. IsTrue and IsFalse are never NULL; Not is.
const (
	Not UnaryOp = iota + 1
	Minus
	IsNull
	IsTrue
	IsFalse
)

// BinaryOp names an operator with two operands.
type BinaryOp uint8

// The binary operators. BETWEEN and IN are written with these by the planner.
const (
	And BinaryOp = iota + 1
	Or
	Xor
	Equal
	NullSafeEqual
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
	Add
	Subtract
	Multiply
	// Divide cuts the quotient off at a whole number of words of nine digits: MariaDB's /, and AVG on both servers.
	Divide
	IntDivide
	Modulo
	// DivideRounded rounds the quotient to four digits more than the left side's type has: MySQL's /.
	DivideRounded
	// DivideWide is Divide with the left side's digits filled up to whole words first: MySQL's AVG(DISTINCT).
	DivideWide
)

var binarySigns = map[BinaryOp]string{And: "AND", Or: "OR", Xor: "XOR", Equal: "=", NullSafeEqual: "<=>", NotEqual: "<>", Less: "<", LessEqual: "<=",
	Greater: ">", GreaterEqual: ">=", Add: "+", Subtract: "-", Multiply: "*", Divide: "/", IntDivide: "DIV", Modulo: "%", DivideRounded: "/", DivideWide: "/"}

// Call is a function of numbers.
type Call struct {
	Func CallFunc
	Args []Expr
}

// CallFunc names a function.
type CallFunc uint8

// The functions. If takes a condition and two values; Round takes the number of digits as its second argument, a Number.
const (
	Coalesce CallFunc = iota + 1
	NullIf
	If
	Round
	Floor
	Ceiling
	Abs
)

func (f CallFunc) String() string {
	return [...]string{"?", "COALESCE", "NULLIF", "IF", "ROUND", "FLOOR", "CEILING", "ABS"}[f]
}

func (c Call) String() string {
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = a.String()
	}
	return c.Func.String() + "(" + strings.Join(args, ", ") + ")"
}

func (c ColumnRef) String() string { return columnNumber(c.Index) }
func (w WeightRef) String() string { return columnNumber(w.Weight) }
func (n Number) String() string    { return n.Text }
func (NullConst) String() string   { return "NULL" }

func (u Unary) String() string {
	x := u.X.String()
	switch u.Op {
	case Not:
		return "NOT (" + x + ")"
	case Minus:
		return "-" + x
	case IsNull:
		return x + " IS NULL"
	case IsTrue:
		return x + " IS TRUE"
	case IsFalse:
		return x + " IS FALSE"
	}
	return "?"
}

func (b Binary) String() string {
	side := func(e Expr) string {
		if inner, ok := e.(Binary); ok && inner.Op != b.Op {
			return "(" + e.String() + ")"
		}
		return e.String()
	}
	return strings.Join([]string{side(b.L), binarySigns[b.Op], side(b.R)}, " ")
}
