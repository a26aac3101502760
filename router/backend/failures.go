package backend

import "ballast/rules/failure"

// What a client may be told about a node. Facts are node names, never addresses or accounts.
var (
	errUnreachable = failure.Define("BL4001", 1429, "HY000", "db node %s can't be reached",
		"statements for other nodes go on; this node is tried again by itself several times a second")
	errStalled = failure.Define("BL4002", 1429, "HY000", "db node %s accepts connections but does not answer",
		"statements for other nodes go on; this node is tried again by itself several times a second")
	errLost = failure.Define("BL4003", 1158, "08S01", "db node %s went away before it had answered completely",
		"a write may or may not have been done: look before you repeat it")
	errLostIdle = failure.Define("BL4004", 1158, "08S01", "the connection to db node %s was lost before the statement was sent",
		"nothing was done; a transaction that was open on this node is rolled back")
	errLogin = failure.Define("BL4005", 1429, "HY000", "db node %s refused the router's login",
		"the router's account is made by the master; look at rulectl node list and at the node's error log")
	errIdentity = failure.Define("BL4006", 1429, "HY000", "the server behind db node %s is not the one that was registered",
		"its server uuid has changed: register it again, or point the node's address at the right server")
	errBusy = failure.Define("BL4007", 1040, "08004", "all %d connections to db node %s are in use, none became free within %s",
		"raise the router's nodes.max_per_node, or let fewer transactions stay open")
	errQueueFull = failure.Define("BL4018", 1040, "08004", "%d statements wait for a connection to db node %s already",
		"let fewer clients ask at a time, or raise the router's nodes.max_waiting")
	errNoNode = failure.Define("BL4008", 1105, "HY000", "there is no db node number %d",
		"the rules that the router holds may be older than the statement: try again")
	errRemoved     = failure.Define("BL4009", 1429, "HY000", "db node %s was removed or replaced", "try again: the statement is then bound to the present nodes")
	errProtocol    = failure.Define("BL4010", 1835, "HY000", "db node %s sent a malformed answer", "see the router's log for what was wrong with it")
	errInterrupted = failure.Define("BL4011", 1317, "70100", "Query execution was interrupted", "")
	errStopping    = failure.Define("BL4012", 1053, "08S01", "Server shutdown in progress", "")
	errUseless     = failure.Define("BL4013", 1105, "HY000", "the connection to db node %s can't be used any more", "a transaction that was open on this node is rolled back")
	errRowSize     = failure.Define("BL4014", 1153, "08S01", "a row from db node %s has more than the %d bytes that the router merges",
		"select less of it, or raise the router's nodes.max_row")
	errFull  = failure.Define("BL4015", 1040, "08004", "db node %s has no connection left for the router", "raise max_connections there, or lower the router's nodes.max_per_node")
	errInUse = failure.Define("BL4016", 1105, "HY000", "the connection to db node %s is still reading an answer",
		"this is a fault of the router: please report the statement")
	errArguments = failure.Define("BL4017", 1210, "HY000", "a prepared statement got %d parameters and has %d", "this is a fault of the router: please report the statement")
)
