package api

import (
	"time"

	"ballast/rules"
	"ballast/rules/catalog"
)

// DDLKind names a definition statement that the master carries out on all nodes.
type DDLKind string

// The kinds.
const (
	CreateDatabase DDLKind = "create database"
	AlterDatabase  DDLKind = "alter database"
	DropDatabase   DDLKind = "drop database"
	CreateTable    DDLKind = "create table"
	AlterTable     DDLKind = "alter table"
	DropTable      DDLKind = "drop table"
	TruncateTable  DDLKind = "truncate table"
	RenameTable    DDLKind = "rename table"
	CreateIndex    DDLKind = "create index"
	DropIndex      DDLKind = "drop index"
)

// DDLRequest is one definition statement. The answer comes when it is done everywhere, or has failed.
type DDLRequest struct {
	Kind DDLKind `json:"kind"`
	// Schema is the session's current schema, which unqualified names in SQL mean; may be empty.
	Schema string `json:"schema"`
	// SQL is the client's text in UTF-8, with Ballast's own clause already taken off.
	SQL string `json:"sql"`
	// Tables are the tables that the statement defines, qualified: one for most kinds, several for DROP and RENAME. For the kinds about databases
	// the one entry has only Schema set.
	Tables []catalog.Name `json:"tables"`
	// To are the new names of a RENAME, in the order of Tables (also for ALTER TABLE … RENAME, one entry).
	To []catalog.Name `json:"to,omitempty"`
	// Like is the source of CREATE TABLE … LIKE.
	Like *catalog.Name `json:"like,omitempty"`
	// Clause is Ballast's own clause, if the statement had one.
	Clause      *rules.Clause `json:"clause,omitempty"`
	IfNotExists bool          `json:"if_not_exists,omitempty"`
	IfExists    bool          `json:"if_exists,omitempty"`
	// Session holds the client's session settings that matter to definitions, as variable name → SQL literal: sql_mode, collation_connection,
	// foreign_key_checks, default_storage_engine, explicit_defaults_for_timestamp, time_zone, innodb_strict_mode, sql_require_primary_key.
	// Others are ignored.
	Session map[string]string `json:"session,omitempty"`
	// User is the client account, for the audit log.
	User string `json:"user,omitempty"`
}

// DDLReply is the end of a definition statement that succeeded.
type DDLReply struct {
	Job     uint64          `json:"job"`
	Version catalog.Version `json:"version"`
	// Affected is the affected-rows figure that MySQL would answer.
	Affected uint64 `json:"affected"`
	// Notes are the statement's warnings, in order.
	Notes []Note `json:"notes,omitempty"`
}

// Note is one row of SHOW WARNINGS.
type Note struct {
	// Level is Note, Warning or Error.
	Level   string `json:"level"`
	Number  uint16 `json:"number"`
	Message string `json:"message"`
}

// DDLJob is a row of the list of definition jobs.
type DDLJob struct {
	ID    uint64  `json:"id"`
	Kind  DDLKind `json:"kind"`
	State string  `json:"state"`
	Table string  `json:"table"`
	// Done lists the nodes that have been changed, Error what stands in the way.
	Done    []string  `json:"done,omitempty"`
	Error   string    `json:"error,omitempty"`
	User    string    `json:"user,omitempty"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
}
