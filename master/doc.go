// Package master is the memory of a cluster: it keeps the metadata, leads when the lease is its own, and tells the routers.
//
// A Master is a standby until it takes the lease (standby.go); from then on a term runs (term.go) until another master takes over or the
// metadata can't be reached for a while. Everything of a term lives in that one value, so nothing survives a change of leader by mistake:
//
//   - commit.go: the only way to a new version of the catalog: one metadata transaction, then publishing
//   - publisher.go, stream.go: what routers are told, and their acks
//   - registration.go, incarnation_end.go: router incarnations, from their account to its end
//   - node_loop.go: one loop per node that brings to it what it lacks
//   - ddl.go: definition jobs, tried out (ddl_trial.go, ddl_table.go, ddl_alter.go, ddl_database.go), run (ddl_run.go, ddl_node.go, ddl_fence.go),
//     published or taken back (ddl_publish.go, ddl_undo.go)
//   - rule_change.go, apply.go: new rules for tables
//   - the handlers beside them: nodes, users, sequences, rules, checks, status
//
// What is decided without I/O is decided in master/core.
package master
