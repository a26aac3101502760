package rules

import "ballast/rules/failure"

// What a client may be told about keys.
var (
	errNoPlace = failure.Define("BL1001", 1526, "HY000", "no node holds this value of %s",
		"the rule's bounds or lists leave it out: extend the rule, or use a value inside it")
	errKeyType = failure.Define("BL1002", 1210, "HY000", "the key does not fit the balancing field %s: %s", "convert the value to the column's type")
	errKeyText = failure.Define("BL1003", 1366, "HY000", "the value of %s is not text of its character set", "send it in the column's character set")
)

// What is wrong with a rule.
var (
	errNoFields      = failure.Define("BL1010", 1488, "HY000", "a balancing strategy needs at least one field", "write BALANCE BY (field) …")
	errNoSteps       = failure.Define("BL1011", 1105, "HY000", "a balancing strategy needs at least one step", "add RANGE, MOD, LIST, HASH or RING, or IN GROUP to take the group's")
	errFieldTwice    = failure.Define("BL1012", 1517, "HY000", "the field %s is named twice", "name each balancing field once")
	errFieldCount    = failure.Define("BL1013", 1653, "HY000", "%d balancing fields, but types for %d", "name the balancing fields as the table has them")
	errFieldKind     = failure.Define("BL1014", 1659, "HY000", "the type of %s can't be a balancing field", "use an integer, DECIMAL, CHAR, VARCHAR, BINARY, VARBINARY, or a date and time column")
	errCollation     = failure.Define("BL1015", 1235, "42000", "the collation %s of %s is not supported for a balancing field", "use binary, a _bin or general_ci collation of utf8mb4, utf8mb3 or ascii, utf8mb4_0900_ai_ci, latin1_bin or latin1_swedish_ci")
	errFieldUnread   = failure.Define("BL1016", 1105, "HY000", "no step reads the field %s", "leave it out of BY, read it by a step (OF), or hash it with the others")
	errFieldIndex    = failure.Define("BL1017", 1488, "HY000", "a step reads field number %d, but there are %d", "count from 0 in the order of BY")
	errNodeUnknown   = failure.Define("BL1018", 1105, "HY000", "the node %s is not known", "see SHOW BALLAST NODES for the names")
	errNodeRemoved   = failure.Define("BL1019", 1105, "HY000", "the node %s was removed", "name a node that is in service; SHOW BALLAST NODES lists them")
	errNodeTwice     = failure.Define("BL1020", 1105, "HY000", "the node %s is named twice in ON", "to give a node several outcomes, add a LIST step that groups them")
	errNoNodes       = failure.Define("BL1021", 1105, "HY000", "there is no node to place rows on", "add one: rulectl node add NAME ADDRESS")
	errNodesTooFew   = failure.Define("BL1022", 1105, "HY000", "the steps give %s outcomes, but there are %d nodes", "add a step that groups them, for example RANGE or MOD or LIST, or name more nodes in ON")
	errUnbounded     = failure.Define("BL1024", 1105, "HY000", "%s gives too many outcomes for what follows", "put MOD or bounds behind it")
	errStepKind      = failure.Define("BL1025", 1105, "HY000", "a step of unknown kind", "use RANGE, MOD, LIST, HASH or RING")
	errRangeWidth    = failure.Define("BL1026", 1105, "HY000", "a range has neither a width nor bounds, or both", "write RANGE 10000 or RANGE (0, 100, 200)")
	errModZero       = failure.Define("BL1027", 1504, "HY000", "mod 0 is no rule", "use the number of buckets, at least 1")
	errBoundsFew     = failure.Define("BL1028", 1105, "HY000", "bounds need at least one interval", "give two bounds, MINVALUE and MAXVALUE included")
	errBoundsOrder   = failure.Define("BL1029", 1493, "HY000", "bound number %d is not above the one before it", "write the bounds in rising order, each once")
	errLiteralType   = failure.Define("BL1030", 1654, "HY000", "%s is not a value of %s", "write a number for a number, a quoted text for a string, date or time, within the column's range")
	errListEmpty     = failure.Define("BL1031", 1105, "HY000", "a list has no values", "write LIST ((v, …), …, DEFAULT)")
	errListTwice     = failure.Define("BL1032", 1495, "HY000", "list value number %d of group %d is listed before", "list each value once; values that are equal under the column's collation are one value")
	errListDefault   = failure.Define("BL1033", 1105, "HY000", "the default of a list is group %d, but there are %d groups", "the default takes one of the groups or the one behind the last")
	errGroupEmpty    = failure.Define("BL1034", 1105, "HY000", "group %d of a list has no values", "list a value or leave the group out")
	errGap           = failure.Define("BL1035", 1105, "HY000", "the outcome %s of the step before has no place in %s", "cover every outcome, or add DEFAULT")
	errRingLast      = failure.Define("BL1036", 1105, "HY000", "RING must be the last step, outside sub-strategies", "leave out what stands behind it: RING chooses the node itself")
	errRingPoints    = failure.Define("BL1037", 1105, "HY000", "a ring of %d points is too large or has none", "use between 1 and 1000 virtual nodes; weights are relative to 100")
	errBranchStep    = failure.Define("BL1038", 1105, "HY000", "%s can't carry sub-strategies", "branch at MOD, LIST or RANGE with bounds")
	errBranchIndex   = failure.Define("BL1039", 1105, "HY000", "a sub-strategy for outcome %d, but the step has %d", "number the outcomes from 0")
	errNotNumber     = failure.Define("BL1040", 1659, "HY000", "%s of %s needs a number, date or time", "put HASH before it, or use LIST or RANGE with bounds")
	errDecimalWide   = failure.Define("BL1041", 1659, "HY000", "%s has too many digits for %s", "a DECIMAL of at most 18 digits before the point, or HASH before it")
	errExceptOrder   = failure.Define("BL1042", 1493, "HY000", "EXCEPT number %d ends before it begins", "write [from, to) with from below to")
	errStepsDeep     = failure.Define("BL1043", 1105, "HY000", "the strategy is nested too deep or has too many steps", "use at most 16 levels and 64 steps in a row")
	errDiffNodes     = failure.Define("BL1044", 1105, "HY000", "the two placements do not number their nodes alike", "compile both against the same list of nodes")
	errDiffFields    = failure.Define("BL1045", 1105, "HY000", "the two strategies balance by different fields", "make a new table with the other fields and copy the rows")
	errIndexTooLarge = failure.Define("BL1046", 1105, "HY000", "the steps give more than %d outcomes", "use smaller moduli")
)

// What is wrong with a written form.
var (
	errSyntax     = failure.Define("BL1060", 1064, "42000", "BALANCE clause: %s near %s", "write BALANCE BY (field, …) step … [ON (node, …)] [IN GROUP g] [EXCEPT ([a, b) ON node, …)] [UNIQUE PER NODE (key, …)], GLOBAL, or SINGLE [ON (node)]")
	errFileForm   = failure.Define("BL1061", 1105, "HY000", "rules: %s: %s", "docs/rules.md shows what a rules file looks like")
	errFileSyntax = failure.Define("BL1062", 1105, "HY000", "rules: not readable: %s", "docs/rules.md shows what a rules file looks like")
)
