package engine

import (
	"context"

	"ballast/sqlfront/wire"
)

// Shards is all that operators need of the outside: run a query on a node, get its rows as a stream.
type Shards interface {
	// Open sends sql to a node and returns its rows. It returns after the column definitions were read; an error of the server is returned as it is
	// (wire.ServerError inside). Cancelling ctx ends the stream.
	Open(ctx context.Context, q Query) (Stream, error)
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
	// Run starts the operator; rows are pulled from the result. Run opens inputs concurrently where it can. Closing the Rows cancels and closes all inputs.
	Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error)
	Inputs() []Node
	// Describe is what EXPLAIN, tests and the slow log print.
	Describe() Desc
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
)

// The operators, one per file (fields are part of the contract; add more only at the end):
//
//	Scatter{Queries []Query}                      // leaf; concatenates the nodes' rows as they come (route.go)
//	Ordered{Queries []Query}                      // leaf; one node after another, next is opened only when needed (range strategy read in order)
//	MergeSort{Input *Scatter, Keys []Key}         // k-way merge of sorted streams, duplicates kept
//	Sort{Input Node, Keys []Key, Limit int64}     // in memory, bounded (ORDER BY over merged aggregates); Limit -1 = none
//	Group{Input Node, Keys []Key, Aggs []Agg}     // input sorted by Keys: streaming; no keys: one row always (COUNT over nothing = 0)
//	Having{Input Node, Cond Expr}                 // filter over merged groups; Expr in expr.go: numbers, decimals, NULL logic, strings by equality of weight refused
//	Distinct{Input Node, Keys []Key}              // input sorted by Keys
//	Union{Inputs []Node, All bool}                // types of all branches must agree, else refused by plan
//	Limit{Input Node, Offset, Count uint64}       // closes the input as soon as it is full
//	Project{Input Node, Columns []int}            // drops hidden columns
//	Values{Columns, Rows}                         // rows made by the router itself (SHOW BALLAST, EXPLAIN)
//	Budget: bytes that Sort/Group(Distinct sets) may hold, from Config; over it a clear error.
