package rules

// This file fixes the types that other parts use; the methods stand in the files named after their subject.

// StepKind names a step of a strategy.
type StepKind uint8

// The steps a strategy composes.
const (
	StepRange StepKind = iota + 1
	StepMod
	StepList
	StepHash
	StepRing
)

// Strategy is a balancing strategy as written: the fields, the steps, the nodes. It is a value; Compile makes it executable.
type Strategy struct {
	// By lists the balancing fields in order; "PRIMARY KEY" is resolved before a strategy is stored.
	By []string
	// Steps are walked in order; the last number is an index into On.
	Steps []Step
	// On lists node names; empty means all nodes in the order of their registration.
	On []string
	// Except lists intervals of the first field that are placed by hand; the first that holds the key wins.
	Except []Exception
}

// Step is one step. Kind says which of the other fields count.
type Step struct {
	Kind StepKind
	// Field is the index into By that this step reads when it starts from a field rather than from the number of the step before
	// (the first step always reads field 0; nested sub-strategies read the next field).
	Field int
	// Width is the width of a uniform range; 0 with Bounds set.
	Width uint64
	// Bounds are the explicit bounds b0 < b1 < …: [b0,b1) gives 0, [b1,b2) gives 1 …; MinOpen/MaxOpen stand for MINVALUE and MAXVALUE at the ends.
	Bounds           []Literal
	MinOpen, MaxOpen bool
	// Mod is the divisor of StepMod.
	Mod uint64
	// Lists are the value groups of StepList: group i gives i. Default is the index that all other values get, -1 for none.
	Lists   [][]Literal
	Default int
	// VNodes is the number of virtual nodes of StepRing per unit of node weight.
	VNodes int
	// Branches holds a sub-strategy per outcome of this step (nil where the number just goes on).
	Branches map[int][]Step
}

// Literal is a value as written in a rule, before the field's type is known: a number or a quoted string, or NULL.
type Literal struct {
	Null   bool
	Quoted bool
	Text   string
}

// Exception places the keys of [From, To) of the first field on a node.
type Exception struct {
	// From and To bound the interval, half open; a nil end is open.
	From, To *Literal
	On       string
}

// Constraint is what is known of one balancing field in a statement: a union of points and intervals. The zero Constraint knows nothing (any value).
type Constraint struct {
	// Known is false when nothing is known of the field.
	Known bool
	// Points are single values (Null for IS NULL). Known with no points and no intervals means: no value at all.
	Points []Value
	// Intervals are ranges in the field's order.
	Intervals []Interval
}

// Interval is a range of non-NULL values; a nil end is open.
type Interval struct {
	Lo, Hi         *Value
	LoOpen, HiOpen bool
}
