// Package rules is the vocabulary of placement: which node a row lives on, and why.
//
// A Strategy is a rule as written. Its steps are walked over a key (the values of the balancing fields, in order); each step turns a
// value or the number of the step before into a number, and the last number is an index into the list of nodes:
//
//	range w         v → floor(v / w)                       unbounded; outside [0, nodes) at the end of a walk: no place
//	range (b0, …)   [b0, b1) → 0, [b1, b2) → 1, …           outside: no place
//	mod n           v → v mod n, never negative
//	list            the group that holds v, or the default  else: no place
//	hash            CRC32 of the value (see hash.go)        always with a step behind it that bounds it
//	ring            the owner on a consistent-hash ring     always the last step
//
// What number a value of a field is: an integer is itself, a decimal its floor, a DATE its days and a DATETIME, TIMESTAMP (in UTC) or
// TIME its seconds since 1970-01-01 (since zero for TIME), rounded down. Strings and binary values are numbers only through hash, list
// or bounds. NULL has a place only where a list names or defaults it, and under hash and ring, where it hashes to 0.
//
// Several fields: a hash or ring step that reads a field hashes it together with the fields behind it that no other step reads. A step
// behind the first may read a field of its own (OF): it refines each number so far, number × outcomes + own number. A branch (an outcome
// of range bounds, mod or list) may carry a sub-strategy, which reads the next field, or the same one again if there is no next; the outcomes are
// then numbered through, a branch taking as many numbers as its sub-strategy has outcomes.
//
// From numbers to nodes: the numbers a walk can end with must have a node each, else the rule is refused; only a range or list
// that reads an unbounded value may leave numbers without a node, and keys of such numbers are refused by name (I2). One convenience:
// where the last step is mod with more outcomes than nodes, equal runs of outcomes share a node: index = number × nodes / outcomes.
// Nodes beyond the last outcome hold no rows. A strategy without ON means all nodes of the moment: store it Pinned, or a node that joins changes it.
//
// Compile turns a Strategy into a Placement: the Go evaluator (Node), the SQL predicate of each node (Predicate), which is true for the
// same keys on MySQL and MariaDB (I1), and what a planner asks (Prune, Ordered). Diff gives the windows between two placements (I3).
// The written forms, which are equal and round-trip, are the SQL clause (ParseClause), the rules file (ParseFile) and JSON.
//
// Nothing here does I/O, reads a clock or starts a goroutine.
package rules
