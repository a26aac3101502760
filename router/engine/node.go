package engine

import (
	"context"
	"slices"

	"ballast/sqlfront/wire"
)

// Shards is all that operators need of the outside: run a query on a node, get its rows as a stream.
type Shards interface {
	// Start sends a query to a node without waiting for its answer, so that one goroutine can have several nodes work at once. ctx is looked at
	// before anything is sent; what has been sent is ended by Started.Interrupt. Operators start queries in the order of the nodes: those that
	// wait for connections then can't wait for each other in a circle.
	Start(ctx context.Context, q Query) (Started, error)
}

// Started is a query that was sent to a node. Ready and then Rows must be called, each once; an error of either is told by Rows.
type Started interface {
	// Ready sends what had to wait for an answer of the node.
	Ready()
	// Rows waits until the column definitions have come. An error of the server is returned as it is (wire.ServerError inside). After an error
	// there is nothing to close.
	Rows() (Stream, error)
	// Interrupt ends what the node still does for the query; it returns once the node was told. Safe from any goroutine, at any time.
	Interrupt()
}

// Query is one statement for one node, literals in place.
type Query struct {
	Node int
	SQL  []byte
	// Format asks for text or binary rows; binary is prepared and executed without parameters, so that FLOAT keeps its bits.
	Format wire.Format
}

// Stream is the rows of one node. Not safe for concurrent use.
type Stream interface {
	Columns() []wire.Column
	// Next returns the payload of the next row packet, valid until the following call; io.EOF after the last.
	Next() ([]byte, error)
	// Warnings is the count of the final packet, known after io.EOF.
	Warnings() uint16
	// Close gives up the rest; the connection is drained or dropped, never returned dirty.
	Close() error
}

// Node is an operator. A tree of them answers one scatter statement; plan builds it at bind time with literals in place.
type Node interface {
	// Run starts the operator; rows are pulled from the result. All nodes of an input work at the same time. Closing the Rows closes all inputs;
	// cancelling ctx ends what runs on the nodes.
	Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error)
	Inputs() []Node
	// Describe is what EXPLAIN, tests and the slow log print.
	Describe() Desc
}

// Nodes appends the nodes that the leaves of a tree read, each once.
func Nodes(n Node, have []int) []int {
	var queries []Query
	switch n := n.(type) {
	case *Scatter:
		queries = n.Queries
	case *Ordered:
		queries = n.Queries
	case *MergeSort:
		queries = n.Input.Queries
	case *Group:
		return Nodes(n.Input, have)
	case *Limit:
		return Nodes(n.Input, have)
	case *Project:
		return Nodes(n.Input, have)
	default:
		for _, in := range n.Inputs() {
			have = Nodes(in, have)
		}
	}
	for i := range queries {
		if node := queries[i].Node; !slices.Contains(have, node) {
			have = append(have, node)
		}
	}
	return have
}

// Rows is the output of an operator; same contract as Stream.
type Rows = Stream

// Desc describes an operator for people.
type Desc struct {
	// Name is the operator, for instance "MergeSort"; Detail its facts, for instance "id DESC"; Nodes the node indexes of a leaf, SQL what is sent there.
	Name, Detail string
	Nodes        []int
	SQL          string
}

// Key is one sort or group key over the input's columns.
type Key struct {
	// Column is the index of the value in the input row.
	Column int
	// Weight is the index of a hidden WEIGHT_STRING column that orders strings as the server does; -1 where there is none. When >= 0 and the value column's
	// type turns out to be a string type, the weight bytes are compared; else the value is compared by its type.
	Weight int
	Desc   bool
	// Pad is the index of a hidden column that holds the weight of one space when the strings' collation pads, and is empty when it does not;
	// 0 where there is none (a hidden column is never the first).
	Pad int
}

// Agg is one aggregate to merge.
type Agg struct {
	Func AggFunc
	// Out is the index in the output row (and of the column definition of the input that has its right name and type).
	Out int
	// Arg holds the input columns of the partial values: COUNT: [count]; SUM: [sum]; MIN/MAX: [value]; AVG: [sum, count];
	// the DISTINCT variants: the distinct argument columns themselves (the input is then grouped by them too).
	Arg []int
	// ArgWeight holds for each Arg the hidden weight column or -1 (MIN/MAX and DISTINCT over strings).
	ArgWeight []int
	// ArgPad holds for each Arg the hidden pad column (see Key.Pad) or 0; nil means none.
	ArgPad []int
}

// AggFunc names an aggregate.
type AggFunc uint8

// The aggregates that merge. First takes the value of the first row of a group (for grouped and functionally dependent columns).
const (
	First AggFunc = iota
	Count
	Sum
	Min
	Max
	Avg
	CountDistinct
	SumDistinct
	AvgDistinct
	// BitAnd, BitOr and BitXor merge unsigned integers: [value].
	BitAnd
	BitOr
	BitXor
)

// The operators, one per file:
//
//	Scatter    leaf: concatenates the nodes' rows as they come
//	Ordered    leaf: one node after another, the next is opened only when needed (a range strategy read in order)
//	MergeSort  k-way merge of a Scatter's sorted streams, duplicates kept
//	Sort       in memory, bounded (ORDER BY over merged aggregates)
//	Group      merges partial aggregates; with keys its input is sorted by them, without keys it gives exactly one row
//	Having     filters merged groups by an Expr
//	Distinct   drops repeated rows
//	Union      the rows of several inputs whose types agree
//	Uniform    fails unless a column has the same value in all rows
//	Compute    replaces columns by expressions over merged groups
//	Limit      skips and counts; closes its input as soon as it is full
//	Project    drops hidden columns
//	Values     rows made by the router itself (SHOW BALLAST, EXPLAIN)
//
// Sort, Group and Distinct count the bytes they hold against their Budget; 0 means DefaultBudget.

// DefaultBudget is how many bytes one operator may hold when its Budget is not set.
const DefaultBudget int64 = 64 << 20
