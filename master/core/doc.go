// Package core is what the master decides, without a clock, a network or a disk: input in, effects out.
//
//   - lease.go: when a standby may challenge, when a leader must stop.
//   - registry.go: router incarnations, what each has acked, who holds a step up.
//   - job.go, job_table.go: the life of a definition job as one table of states.
//   - draft.go: the next version of the catalog, as a delta.
//   - shape.go, fit.go: what a table looks like to rules, and whether a rule fits it.
//   - ddl_text.go: the little that must be known of a definition statement's text.
//
// Time comes in as durations of the caller's own clock, and only decides when to try: whether something may be done is always decided by
// the write of the lease (see package meta).
package core
