// Package plan turns the text of a statement into a plan: which nodes it concerns, and what each of them is asked. It is pure: it opens no
// connection and waits for nothing but sequences.
//
// A statement passes through these hands, one file or a few each:
//
//   - lexer.go (and its siblings) takes the text apart, once per statement and without allocating: the normalized text, in which every
//     literal is a ?, and the literals themselves, called slots. Rows of a VALUES list that look alike are folded into one.
//   - cache.go keeps plans by the digest of the normalized text; cache_evict.go says which have to go. A plan fits as long as the shapes of
//     its tables do; where rows are is looked up when the plan is bound, so moving rows empties no cache.
//   - build.go parses, on a miss, the normalized text, so that the tree has slots in place of literals; a text that the parser reads only with
//     its literals gets a plan of its own, kept by the exact text. reword.go knows the forms that the parser wants.
//   - session_funcs.go puts the session's own values in place of LAST_INSERT_ID() and its like; resolve.go finds the tables, scope.go the
//     columns; statement.go hands over by kind: select.go (and its siblings), insert.go, update_delete.go, ddl.go, command.go.
//   - condition.go compiles what WHERE and ON say of the balancing fields, constraint.go evaluates it at bind time, with coerce.go for the
//     server's rules of comparing a column with a constant; store.go does the same for values that are stored. Both lean to one side:
//     whatever is not certain concerns all nodes, or is refused. integration/pruning holds them against real servers.
//   - cached.go is the short way of a statement whose plan is in the cache: it never waits, so an event loop may take it.
//   - bind.go binds a plan to the values of one execution under one snapshot. A statement of one node is Single, and verbatim wherever its
//     text needs no change; several nodes make a tree of operators (Root) or one logical write (Writes). Texts of ours come from templates.
//
// A Plan is immutable and shared by sessions. An Args, and a Bound, belong to one session and are reused from statement to statement.
package plan
