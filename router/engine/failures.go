package engine

import "ballast/rules/failure"

// What the operators can refuse or run into. The planner tries to refuse earlier; these catch what only the answers' column types tell.
var (
	errMemory = failure.Define("BL3001", 1038, "HY001", "out of memory for merging rows: the statement needs more than %d bytes in the router",
		"make the answer smaller (WHERE, fewer groups), or raise the router's limits.query_memory")
	errBadRow = failure.Define("BL3002", 1105, "HY000", "a node sent a row that does not fit its column definitions",
		"check that no proxy sits between router and node")
	errColumnsDiffer = failure.Define("BL3003", 1105, "HY000", "the nodes' answers differ in their columns: %s",
		"compare the table's definition on all nodes, and finish DDL jobs that stopped half-way")
	errNoOrder = failure.Define("BL3004", 1235, "42000", "rows of several nodes can't be merged by column '%s' of type %s",
		"sort or group by another expression, for instance a CAST, or keep the statement on one node")
	errCompare = failure.Define("BL3005", 1235, "42000", "over several nodes an expression can't combine %s with %s",
		"compare numbers with numbers, or keep the statement on one node by its balancing field")
	errAggregate = failure.Define("BL3006", 1235, "42000", "%s over a column of type %s can't be merged over several nodes",
		"CAST the argument to a number, or keep the statement on one node by its balancing field")
	errUnsorted = failure.Define("BL3007", 1105, "HY000", "a node's rows are not in the order that merging needs (column '%s')",
		"strings longer than max_sort_length can't be ordered over several nodes; sort by a prefix of them")
	errUnionTypes = failure.Define("BL3008", 1235, "42000", "column %d of a UNION over several nodes has type %s in one SELECT and %s in another",
		"CAST the columns to one type in every SELECT")
	errNoNodes    = failure.Define("BL3010", 1105, "HY000", "no node to read from", "SHOW BALLAST NODES lists the nodes; add one by rulectl node add")
	errUnionWidth = failure.Define("BL3011", 1222, "21000", "The used SELECT statements have a different number of columns", "")
	errExpression = failure.Define("BL3012", 1235, "42000", "column '%s' of type %s can't be computed from aggregates over several nodes",
		"select the aggregates alone and compute in the application, or keep the statement on one node by its balancing field")
	errCollations = failure.Define("BL3013", 1235, "42000", "the SELECTs of a UNION over several nodes give strings under collations %s and %s",
		"write COLLATE behind the column in each SELECT")
	errRange = failure.Define("BL3009", 1690, "22003", "%s value is out of range in '%s'", "")
)
