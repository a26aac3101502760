package master

// The keys of this package's log lines.
const (
	logError       = "error"
	logEpoch       = "epoch"
	logLeader      = "leader"
	logVersion     = "version"
	logNode        = "node"
	logRouter      = "router"
	logIncarnation = "incarnation"
	logJob         = "job"
	logKind        = "kind"
	logObject      = "object"
	logState       = "state"
	logAddr        = "addr"
	logTook        = "took"
	logWhat        = "what"
)
