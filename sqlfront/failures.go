package sqlfront

import (
	"errors"

	"ballast/rules/failure"
	"ballast/sqlfront/wire"
)

// What the front end itself refuses. Numbers, SQLSTATEs and, where MySQL has one, the wording are MySQL's.
var (
	failUnknown          = failure.Define("BL5001", 1105, "HY000", "%s", "")
	failNoAnswer         = failure.Define("BL5002", 1105, "HY000", "the statement ended without an answer", "this is a fault in Ballast: please report it with the statement's digest from the log")
	failTooMany          = failure.Define("BL5003", 1040, "08004", "Too many connections", "")
	failTooManyOfUser    = failure.Define("BL5004", 1226, "42000", "User '%s' has exceeded the 'max_user_connections' resource (current value: %d)", "")
	failHandshake        = failure.Define("BL5005", 1043, "08S01", "Bad handshake", "")
	failCompression      = failure.Define("BL5006", 1043, "08S01", "Bad handshake: compression is not spoken here", "connect without compression")
	failDenied           = failure.Define("BL5007", 1045, "28000", "Access denied for user '%s'@'%s' (using password: %s)", "")
	failOldClient        = failure.Define("BL5008", 1251, "08004", "Client does not support authentication protocol requested by server; consider upgrading MySQL client", "")
	failInsecure         = failure.Define("BL5009", 3159, "HY000", "Connections using insecure transport are prohibited while --require_secure_transport=ON.", "")
	failHostBlocked      = failure.Define("BL5010", 1129, "HY000", "Host '%s' is blocked because of many connection errors; it may try again in %d s", "")
	failProxyHeader      = failure.Define("BL5011", 1130, "HY000", "Proxy header is not accepted from %s", "connect without the PROXY protocol")
	failUnknownCommand   = failure.Define("BL5012", 1047, "08S01", "Unknown command", "")
	failReplication      = failure.Define("BL5013", 1047, "08S01", "Unknown command", "Ballast has no binary log of its own: follow those of the nodes")
	failOutOfOrder       = failure.Define("BL5014", 1156, "08S01", "Got packets out of order", "")
	failPacketTooLarge   = failure.Define("BL5015", 1153, "08S01", "Got a packet bigger than 'max_allowed_packet' bytes", "")
	failMalformed        = failure.Define("BL5016", 1835, "HY000", "Malformed communication packet.", "")
	failStatements       = failure.Define("BL5017", 1461, "42000", "Can't create more than max_prepared_stmt_count statements (current value: %d)", "close prepared statements that are no longer needed")
	failUnknownStatement = failure.Define("BL5018", 1243, "HY000", "Unknown prepared statement handler (%d) given to %s", "")
	failNoCursor         = failure.Define("BL5019", 1421, "HY000", "The statement (%d) has no open cursor.", "")
	failLongDataArgument = failure.Define("BL5020", 1210, "HY000", "Incorrect arguments to mysqld_stmt_send_long_data", "")
	failLongDataSize     = failure.Define("BL5021", 1105, "HY000", "Parameter of prepared statement which is set through mysql_send_long_data() is longer than 'max_allowed_packet' bytes", "")
	failCursorSize       = failure.Define("BL5022", 1041, "HY000", "the rows of a cursor take more than %d bytes", "read without a cursor, or fewer rows")
	failShutdown         = failure.Define("BL5023", 1053, "08S01", "Server shutdown in progress", "")
	failIdle             = failure.Define("BL5024", 4031, "HY000", "The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior.", "")
	failHandshakeTimeout = failure.Define("BL5025", 1159, "08S01", "Got timeout reading communication packets", "")
	failTooManyParams    = failure.Define("BL5027", 1390, "HY000", "Prepared statement contains too many placeholders", "")
	failExecuteArguments = failure.Define("BL5028", 1210, "HY000", "Incorrect arguments to mysqld_stmt_execute", "")
	failPanic            = failure.Define("BL5026", 1105, "HY000", "the statement failed inside Ballast", "this is a fault in Ballast: please report it with what the log says")
	failKilled           = failure.Define("BL5029", 1317, "70100", "Query execution was interrupted", "")
)

// Fatal is an error after which the connection is closed; the client reads Err first.
type Fatal struct { //nolint:errname // reads well where it is used: &sqlfront.Fatal{Err: err}
	Err error
}

// Error gives the text of Err.
func (f *Fatal) Error() string { return f.Err.Error() }

// Unwrap gives Err.
func (f *Fatal) Unwrap() error { return f.Err }

// ClientError is what a client reads of err: a wire.ServerError in its chain unchanged, else the number and SQLSTATE of a failure.Error (or of
// anything with the same method), else 1105.
func ClientError(err error) *wire.ServerError {
	var se *wire.ServerError
	if errors.As(err, &se) {
		if se.State == "" {
			return &wire.ServerError{Number: se.Number, State: "HY000", Message: se.Message}
		}
		return se
	}
	var known interface {
		error
		MySQL() (uint16, string)
	}
	if errors.As(err, &known) {
		number, state := known.MySQL()
		return &wire.ServerError{Number: number, State: state, Message: known.Error()}
	}
	return ClientError(failUnknown.Wrap(err, err))
}
