package sqlfront

import (
	"context"
	"net"

	"ballast/sqlfront/wire"
)

// Frontend is what the server needs of whoever answers statements. Package router implements it without being known here.
type Frontend interface {
	// Account finds a user's verifiers; ok is false for an unknown user (the handshake then still runs to its end, and fails as a wrong password does).
	Account(user string, client net.Addr) (a Account, ok bool)
	// Open begins a session for a client that proved its password. An error is answered in place of the final OK.
	Open(ctx context.Context, c Client) (Session, error)
	// ServerVersion is announced in the greeting, for instance "9.7.4-ballast".
	ServerVersion() string
	// ConnectionID gives the next connection id: the router's number in the high bits, never 0.
	ConnectionID() uint32
	// Kill ends a connection's running statement, or the connection with it; an unknown id is an error. Used for COM_PROCESS_KILL.
	Kill(ctx context.Context, by Client, id uint32, connection bool) error
	// Statistics is the line that COM_STATISTICS answers.
	Statistics() string
}

// Account is a user's verifiers: never a clear password.
type Account struct {
	// Native is SHA1(SHA1(password)), CachingSHA2 is SHA256(SHA256(password)); both nil means an empty password.
	Native, CachingSHA2 []byte
}

// Client is a connection after its handshake.
type Client struct {
	ID           uint32
	User, DB     string
	Addr         net.Addr
	Capabilities wire.Capability // as negotiated
	Collation    uint16          // id the client asked for in the handshake
	Attributes   map[string]string
	TLS          bool
	// Loop is the place, in Config.Loops, of the loop that serves the client; 0 without loops.
	Loop int
	// Disconnect ends the connection from any goroutine, at once: a running statement's ctx is cancelled, an idle client is hung up on. It
	// returns before the Session is closed. For KILL CONNECTION.
	Disconnect func()
}

// Session answers one client's commands. Calls never overlap, except Interrupt. A call answers through r exactly once per statement (result set, OK or error);
// an error returned instead is written as an ERR packet by the server; a *Fatal error closes the connection after it.
type Session interface {
	// Query runs COM_QUERY's text, which may hold several statements when the client negotiated CLIENT_MULTI_STATEMENTS (or switched it on by COM_SET_OPTION).
	Query(ctx context.Context, sql []byte, r *Reply) error
	// Prepare plans a statement; the server keeps ids, long data and parameter types, and hands them to Execute.
	Prepare(ctx context.Context, sql []byte) (Prepared, error)
	// InitDB is COM_INIT_DB.
	InitDB(ctx context.Context, db string) error
	// FieldList answers COM_FIELD_LIST with column definitions.
	FieldList(ctx context.Context, table, wildcard string) ([]wire.Column, error)
	// Reset is COM_RESET_CONNECTION: rolls back, forgets all state.
	Reset(ctx context.Context) error
	// ChangeUser is Reset for a client that has just proved another password.
	ChangeUser(ctx context.Context, c Client) error
	// Ping answers COM_PING; an error closes.
	Ping(ctx context.Context) error
	// Status is the server status word that the next OK or EOF made by the server itself must carry.
	Status() wire.Status
	// SetMultiStatements is COM_SET_OPTION.
	SetMultiStatements(on bool)
	// Close rolls back and frees everything. Called exactly once, also after a lost client.
	Close()
}

// Launcher is a Session that can begin commands on an event loop. All of a session's calls still come one after another: while a launched
// command is under way nothing else is called, except Resume.
type Launcher interface {
	Session
	// LaunchQuery begins COM_QUERY without ever blocking; packet is the whole packet, header included, valid until the command's end. False
	// means that nothing was done: the same command is then run by Query, on a goroutine. True means that the command's end will be told by
	// Reply.Finish, Reply.Block or Reply.Repeat, in this call or later, on the same loop.
	LaunchQuery(ctx context.Context, packet []byte, r *Reply) bool
	// Resume says that a reply that was full has room again.
	Resume()
}

// PreparedLauncher is a Prepared of a Launcher that can be executed in the same way.
type PreparedLauncher interface {
	// Launch is Execute, under the terms of Launcher.LaunchQuery.
	Launch(ctx context.Context, args []wire.Param, r *Reply) bool
}

// Prepared is one prepared statement of a session.
type Prepared interface {
	// Params is the number of parameters (at most 65,535); Columns the result's columns (nil if none or unknown).
	Params() int
	Columns() []wire.Column
	// Execute runs it. Args has Params entries. Rows are answered in the binary format. With cursor set the server buffers the rows and serves COM_STMT_FETCH itself.
	Execute(ctx context.Context, args []wire.Param, r *Reply) error
	Close()
}
