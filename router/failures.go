package router

import "ballast/rules/failure"

// The failures that a session itself answers with. Those that MySQL words too keep its number, state and words.
var (
	errAccessDB    = failure.Define("BL4101", 1044, "42000", "Access denied for user '%s'@'%s' to database '%s'", "")
	errAccessTable = failure.Define("BL4102", 1142, "42000", "%s command denied to user '%s'@'%s' for table '%s'", "")
	errNoDatabase  = failure.Define("BL4103", 1049, "42000", "Unknown database '%s'", "")
	errUserGone    = failure.Define("BL4104", 1045, "28000", "Access denied for user '%s'@'%s': the account was removed",
		"connect as a user that 'rulectl user list' shows")
	errUnsupported = failure.Define("BL4105", 1235, "42000", "This version of Ballast doesn't yet support '%s'",
		"docs/sql.md says what is supported")
	errSecondWriter = failure.Define("BL4106", 1235, "42000", "this transaction has written on node %s and can't also write on %s",
		"keep a transaction's writes on one node (one value of the balancing field), or commit first")
	errWideWrite = failure.Define("BL4107", 1235, "42000", "a write for %d nodes can't be part of a transaction",
		"run it with autocommit, where it commits everywhere or nowhere, or narrow it to one value of the balancing field")
	errHalfDone = failure.Define("BL4108", 1105, "HY000", "the write was committed on %s, and on %s its outcome is unknown or it was undone",
		"compare the rows on the nodes named; repeat the statement only where it is missing")
	errCommitLost = failure.Define("BL4109", 1105, "08S01", "the answer to COMMIT was lost on node %s: the transaction may or may not be committed",
		"read back what was written before repeating it")
	errNodeTransactionLost = failure.Define("BL4110", 1213, "40001", "the transaction was rolled back: node %s was lost",
		"run the transaction again")
	errNoSavepoint = failure.Define("BL4111", 1305, "42000", "SAVEPOINT %s does not exist", "")
	errSetGlobal   = failure.Define("BL4112", 1235, "42000", "SET %s is not passed on to the nodes",
		"global settings belong to the servers' own configuration; set the session variable, or change every node")
	errSetVariable = failure.Define("BL4113", 1231, "42000", "Variable '%s' can't be set to the value of '%s': Ballast %s", "leave the variable as it is")
	errCharset     = failure.Define("BL4114", 1235, "42000", "character_set_client '%s' is not supported",
		"use utf8mb4, utf8mb3, latin1, ascii or binary; columns may have any character set")
	errUserVariables = failure.Define("BL4115", 1038, "HY001", "the user variables of this session would need more than %d bytes",
		"set large ones to NULL when they are no longer needed")
	errNoSuchThread    = failure.Define("BL4116", 1094, "HY000", "Unknown thread id: %d", "")
	errOtherRouter     = failure.Define("BL4117", 1235, "42000", "connection %d belongs to router %d, and this is router %d", "send KILL through that router; rulectl status lists routers")
	errKillDenied      = failure.Define("BL4118", 1095, "HY000", "You are not owner of thread %d", "")
	errInterrupted     = failure.Define("BL4119", 1317, "70100", "Query execution was interrupted", "")
	errUnknownStmt     = failure.Define("BL4120", 1243, "HY000", "Unknown prepared statement handler (%s) given to %s", "")
	errWrongArgs       = failure.Define("BL4121", 1210, "HY000", "Incorrect arguments to %s", "")
	errTooLong         = failure.Define("BL4122", 1153, "08S01", "the statement has %d bytes, more than the %d that the router takes", "split it, or raise limits.max_statement_bytes")
	errNoDBSelected    = failure.Define("BL4124", 1046, "3D000", "No database selected", "")
	errOneRow          = failure.Define("BL4125", 1242, "21000", "Subquery returns more than 1 row", "")
	errOneColumn       = failure.Define("BL4126", 1241, "21000", "Operand should contain %d column(s)", "")
	errNoNode          = failure.Define("BL4127", 1105, "08S01", "no db node is known to this router", "register nodes with 'rulectl node add'")
	errNoMaster        = failure.Define("BL4128", 1105, "HY000", "the master can't be reached and %s needs it", "try again; reads and writes of rows go on meanwhile")
	errSelectLimit     = failure.Define("BL4129", 1235, "42000", "sql_select_limit can't be kept for a statement over several nodes", "use LIMIT in the statement, or SET sql_select_limit = DEFAULT")
	errShowUnknown     = failure.Define("BL4130", 1235, "42000", "SHOW BALLAST has no '%s' in this version", "it has NODES, TABLES, SCHEMAS, SESSION, SEQUENCES, USERS and VERSION")
	errTooManyStmts    = failure.Define("BL4131", 1461, "42000", "Can't create more than %d text prepared statements in a session", "DEALLOCATE PREPARE those that are done")
	errDenied          = failure.Define("BL4132", 1227, "42000", "Access denied; you need (at least one of) the %s privilege(s) for this operation", "")
	errSafeUpdates     = failure.Define("BL4134", 1231, "42000", "Variable 'sql_safe_updates' can't be set to the value of 'OFF' by this user", "the account was made with --safe-updates: give a WHERE with a key, or a LIMIT")
	errRestarted       = failure.Define("BL4135", 1053, "08S01", "this router is not registered at a master yet", "it retries by itself; connect again in a moment")
	errTooManyRows     = failure.Define("BL4137", 1038, "HY001", "an answer that the router must read whole has more than %d rows", "narrow it with WHERE or LIKE")
	errNotPreparable   = failure.Define("BL4138", 1295, "HY000", "This command is not supported in the prepared statement protocol yet", "")
	errOneStatement    = failure.Define("BL4139", 1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your server version for the right syntax to use near '%s' at line 1", "several statements in one query need CLIENT_MULTI_STATEMENTS")
	errTransactionOpen = failure.Define("BL4140", 1568, "25001", "Transaction characteristics can't be changed while a transaction is in progress", "")
	errNoGrant         = failure.Define("BL4141", 1141, "42000", "There is no such grant defined for user '%s' on host '%s'", "")
	errLockWithRows    = failure.Define("BL4142", 1235, "42000", "named locks together with rows are not supported", "call GET_LOCK and RELEASE_LOCK in statements of their own")
	errLocksLost       = failure.Define("BL4143", 1158, "08S01", "the connection that held this session's named locks was lost, and the locks with it", "take them again")
	errLockTables      = failure.Define("BL4144", 1235, "42000", "This version of Ballast doesn't yet support 'LOCK TABLES'",
		"use a transaction; dump with --single-transaction and --skip-add-locks")
	errNoTable = failure.Define("BL4145", 1146, "42S02", "Table '%s' doesn't exist", "")
)
