package plan

import (
	"ballast/router/engine"
	"ballast/rules/catalog"
)

// Env is what planning depends on beside the text itself.
type Env struct {
	Snapshot *catalog.Snapshot
	DB       string
	Flags    Flags
	// Charset is character_set_client of the session, for literals: utf8mb4, utf8mb3/utf8, latin1, ascii, binary (others are refused by SET NAMES).
	Charset string
	// Collation is collation_connection.
	Collation string
	// TimeZone is the session's time_zone, for TIMESTAMP keys; "SYSTEM" or named zones that the planner does not know make such a key unprunable.
	TimeZone string
	// Clock is the session's @@timestamp in seconds since 1970 if the session has set it, else "": NOW() is the router's time then.
	Clock string
	// QueryMemory bounds the bytes that one operator may hold while it merges rows of several nodes; 0 means engine.DefaultBudget.
	QueryMemory int64
	// Funcs gives the session's values; nil only where no statement can ask for them.
	Funcs SessionFuncs
}

// Flags are the sql_mode bits and session switches that change parsing or planning.
type Flags uint16

// The flags.
const (
	ANSIQuotes Flags = 1 << iota
	NoBackslashEscapes
	PipesAsConcat
	HighNotPrecedence
	IgnoreSpace
	// Strict is STRICT_TRANS_TABLES or STRICT_ALL_TABLES.
	Strict
	NoAutoValueOnZero
	// SafeUpdates is sql_safe_updates.
	SafeUpdates
	// FoundRows: the client asked for CLIENT_FOUND_ROWS.
	FoundRows
	OnlyFullGroupBy
)

// Verb is the class of a statement; the session acts on it.
type Verb uint8

// The verbs.
const (
	Select Verb = iota + 1
	Insert
	Replace
	Update
	Delete
	Set
	Use
	Begin
	Commit
	Rollback
	Savepoint
	RollbackTo
	Release
	Show
	Explain
	DDL
	Prepare
	Execute
	Deallocate
	Kill
	Do
	LockTables
	UnlockTables
	ShowBallast
	// Admin is ANALYZE/CHECK/OPTIMIZE TABLE, FLUSH and the like.
	Admin
	Call
	LoadData
	Other
)

// Access names a table and what the statement does to it, for the rights check.
type Access struct {
	Schema, Table string
	Need          catalog.Right
}

// Bound is a statement ready to execute under one snapshot: exactly one of Single, Root, Writes is set (none for verbs that the session handles itself).
type Bound struct {
	single Single
	insert insertWork
	bc     bindCtx

	Single *Single
	Root   engine.Node
	Writes *Writes
}

// Reset forgets the statement but keeps the buffers, unless they are large: binding the next one needs no new ones.
func (b *Bound) Reset() {
	const most = 8 << 10
	b.Single, b.Root, b.Writes, b.single = nil, nil, nil, Single{}
	w, bc := &b.insert, &b.bc
	*w = insertWork{nodes: w.nodes, ids: w.ids, sql: w.sql, lent: w.lent}
	*bc = bindCtx{tables: bc.tables, fixed: bc.fixed, text: bc.text}
	clear(bc.tables[:cap(bc.tables)])
	clear(bc.fixed[:cap(bc.fixed)])
	size := cap(bc.text) + 8*cap(w.nodes) + 8*cap(w.ids)
	for _, t := range w.sql[:cap(w.sql)] {
		size += cap(t.sql)
	}
	if size > most || cap(bc.tables)+cap(bc.fixed) > 64 {
		*w, *bc = insertWork{}, bindCtx{}
	}
}

// Single is a statement for one node.
type Single struct {
	Node int
	// Verbatim: send the client's text (or its prepared statement) as it is. Otherwise SQL is sent instead.
	Verbatim bool
	SQL      []byte
	// InsertID, when not 0, replaces the insert id of the answer and becomes LAST_INSERT_ID() (an id from the sequence).
	InsertID uint64
	// Unsafe marks answers whose node may not matter (no table): any node will do.
	AnyNode bool
}

// Writes is one logical write over several nodes; it commits nowhere unless all parts succeeded. Affected rows are added up, except for global tables (first counts).
type Writes struct {
	Parts []engine.Query
	// Global: every part is the same write on a full copy; parts run one after another in this order.
	Global bool
	// InsertID as in Single.
	InsertID uint64
	// Ignore: the write is an INSERT IGNORE, whose rows that met a duplicate were left out.
	Ignore bool
	// Timestamp, when not "", is the statement's time: every part runs under SET timestamp of this value, so that NOW(), CURRENT_TIMESTAMP
	// defaults and ON UPDATE columns are the same everywhere.
	Timestamp string
}
