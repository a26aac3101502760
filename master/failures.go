package master

import "ballast/rules/failure"

// What the API answers when it can't do what it was asked for.
var (
	errNotLeader = failure.Define("BL6100", 1105, "HY000", "this master does not lead", "ask the leading master; clients that know all masters find it by themselves")
	errNoMeta    = failure.Define("BL6101", 1105, "HY000", "the metadata server can't be reached", "routers go on with what they know; definitions and new routers wait until it is back")
	errDenied    = failure.Define("BL6102", 1045, "28000", "the master does not know this caller", "give the token (--token-file, BALLAST_TOKEN) or a client certificate")
	errBadCall   = failure.Define("BL6103", 1105, "HY000", "the request can't be read: %s", "use a client of the same release")
	errProtocol  = failure.Define("BL6104", 1105, "HY000", "router %s speaks protocol %d.%d, this master %d.%d", "run masters and routers of neighbouring releases; upgrade masters first")
	errGone      = failure.Define("BL6105", 1105, "HY000", "incarnation %d is over", "the router registers again by itself")
	errNoRouter  = failure.Define("BL6106", 1105, "HY000", "all %d router numbers are taken", "stop routers that are not needed")
	errBadName   = failure.Define("BL6107", 1105, "HY000", "%q is no name for a %s", "use letters, digits, - and _, at most 64")
	errSilent    = failure.Define("BL6108", 1105, "HY000", "router %s does not answer, and it is the last one", "start a router, or restart that one, and try again")

	errNodeRefused = failure.Define("BL6110", 1105, "HY000", "node %s is refused: %s", "change the server's settings or rights and add it again")
	errNodeWeak    = failure.Define("BL6111", 1105, "HY000", "node %s may lose committed transactions when its host crashes: %s", "change the settings, or accept it: --accept-nondurable")
	errNodeExists  = failure.Define("BL6112", 1105, "HY000", "node %s is there already", "choose another name")
	errNodeTwice   = failure.Define("BL6113", 1105, "HY000", "the server at %s is node %s already", "give the address of another server: each can be a node once")
	errNodeUnknown = failure.Define("BL6114", 1105, "HY000", "there is no node %s", "rulectl node list shows the names")
	errNodeHolds   = failure.Define("BL6115", 1105, "HY000", "node %s still holds %s", "take it out of their rules first")
	errNodeLast    = failure.Define("BL6116", 1105, "HY000", "node %s is the last one", "add another node first")
	errNodeDown    = failure.Define("BL6117", 1158, "08S01", "node %s can't be reached", "definitions need every node: try again when it is back")
	errNodeFull    = failure.Define("BL6118", 1105, "HY000", "node %s has %s already", "use an empty server")
	errGlobalRows  = failure.Define("BL6119", 1105, "HY000", "global table %s has rows, and a new node would lack them", "add nodes before global tables are filled")
	errNodeAccount = failure.Define("BL6120", 1105, "HY000", "node %s can't be entered: %s", "check the address, the account and its password")

	errUserExists    = failure.Define("BL6130", 1396, "HY000", "user %s is there already", "change it by rulectl user password or grant")
	errUserUnknown   = failure.Define("BL6131", 1396, "HY000", "there is no user %s", "rulectl user list shows the names")
	errUserPassword  = failure.Define("BL6132", 1396, "HY000", "a user needs a password", "only a development cluster on loopback may do without")
	errUserOperation = failure.Define("BL6133", 1105, "HY000", "%q is nothing that can be done with a user", "add, password, grant, revoke or drop")

	errNeedsMove    = failure.Define("BL6141", 1235, "42000", "table %s has rows: a new rule would need a job that moves them", "jobs come with a later release; on an empty table the rule applies at once")
	errUnknownTable = failure.Define("BL6142", 1146, "42S02", "Table '%s' doesn't exist", "")
	errBusyTable    = failure.Define("BL6144", 1205, "HY000", "table %s is in use on node %s", "try again when its transactions have ended")
)
