package sqlfront

// The keys of this package's log entries.
const (
	logAddr       = "addr"
	logUser       = "user"
	logConnection = "connection"
	logReason     = "reason"
	logError      = "error"
	logStack      = "stack"
	logOpen       = "open_connections"
)
