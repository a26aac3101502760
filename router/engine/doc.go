// Package engine runs the operators that merge the answers of several nodes into one answer.
//
// A tree of operators is built by the planner for one statement, with literals in place, and runs once. Leaves (Scatter, Ordered) send SQL to
// nodes; everything above pulls rows, one at a time, in the format that the client asked for (text or binary). A row that passes through is
// never decoded: an operator reads only the columns it needs (sort keys, partial aggregates) and copies the bytes of the rest. One goroutine
// sends to all nodes of a leaf and then waits for them in turn (gather.go).
//
// Three promises hold for each operator. It is streaming, or it counts the bytes it holds against a budget and fails with a clear error when
// that is used up. Closing its rows closes everything below, and when Run or Next fails everything below is closed as well. And what can't be
// compared exactly as the server compares it (strings without their weight, JSON, FLOAT read as text) is refused, not guessed.
//
// engine knows nothing of plans, sessions or sockets: Shards is all it needs of the outside.
package engine
