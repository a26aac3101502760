package sqlfront

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"ballast/sqlfront/auth"
	"ballast/sqlfront/wire"
)

// outcome says how a connection goes on after a command.
type outcome uint8

const (
	outcomeNext   outcome = iota // answered: wait for the next command
	outcomeSilent                // the same, for commands that have no answer
	outcomeMore                  // COM_CHANGE_USER wants another payload
	outcomeQuit                  // the client leaves
	outcomeClose                 // flush and close: after an error that ends the connection
)

// commands runs one client's commands on its Session and answers through reply. It knows no socket: payloads in, packets out.
type commands struct {
	front   Frontend
	cfg     *Config
	metrics *metrics
	held    *atomic.Int64 // prepared statements of the whole server
	session Session
	// launcher is the session, if it can begin commands on a loop.
	launcher Launcher
	client   Client
	reply    *Reply

	statements map[uint32]*statement
	latest     *statement // the one used last
	prepared   *statement // the one that COM_STMT_PREPARE made last, unless that failed or it is closed
	lastID     uint32
	idle       func() time.Duration // the session's idle time-out; may be nil

	host    string
	key     func() (*auth.Key, error)
	account func(user string) (auth.Verifier, bool)
	// A COM_CHANGE_USER under way.
	login      *auth.Login
	change     wire.ChangeUser
	scramble   [wire.ScrambleSize]byte // of the handshake
	changeUser func(from, to string) error
}

// run executes one command. The reply has begun.
func (c *commands) run(ctx context.Context, payload []byte) outcome {
	if len(payload) == 0 {
		return c.refuse(failUnknownCommand.New())
	}
	cmd, body := wire.Command(payload[0]), payload[1:]
	c.metrics.command(cmd)
	switch cmd {
	case wire.ComQuery:
		return c.answered(ctx, c.session.Query(ctx, body, c.reply))
	case wire.ComStmtExecute:
		return c.execute(ctx, body)
	case wire.ComStmtPrepare:
		return c.prepare(ctx, body)
	case wire.ComStmtClose:
		return c.closeStatement(body)
	case wire.ComStmtReset:
		return c.resetStatement(body)
	case wire.ComStmtSendLongData:
		return c.longData(body)
	case wire.ComStmtFetch:
		return c.fetch(body)
	case wire.ComPing:
		if err := c.session.Ping(ctx); err != nil {
			return c.end(&Fatal{Err: err})
		}
		return c.ok()
	case wire.ComInitDB:
		return c.done(c.session.InitDB(ctx, string(body)))
	case wire.ComQuit:
		return outcomeQuit
	case wire.ComFieldList:
		return c.fieldList(ctx, body)
	case wire.ComStatistics:
		return c.end(c.reply.payload([]byte(c.front.Statistics())))
	case wire.ComProcessInfo:
		return c.answered(ctx, c.session.Query(ctx, []byte("SHOW PROCESSLIST"), c.reply))
	case wire.ComProcessKill:
		return c.kill(ctx, body)
	case wire.ComSetOption:
		return c.setOption(body)
	case wire.ComResetConnection:
		c.closeStatements()
		return c.done(c.session.Reset(ctx))
	case wire.ComChangeUser:
		return c.startChange(ctx, body)
	case wire.ComBinlogDump, wire.ComBinlogDumpGTID, wire.ComRegisterSlave, wire.ComTableDump, wire.ComConnectOut:
		return c.refuse(failReplication.New())
	default:
		return c.refuse(failUnknownCommand.New())
	}
}

// answered ends a command whose session wrote the answer, or gave an error to write.
func (c *commands) answered(ctx context.Context, err error) outcome {
	if err == nil && !c.reply.Answered() {
		err = failNoAnswer.New()
	}
	if err != nil && ctx.Err() != nil { // killed, or the server is going down: say that
		if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
			err = &Fatal{Err: cause}
		}
	}
	return c.end(err)
}

// done ends a command that is answered by OK or an error.
func (c *commands) done(err error) outcome {
	if err != nil {
		return c.end(err)
	}
	return c.ok()
}

func (c *commands) ok() outcome {
	return c.end(c.reply.OK(wire.OK{Status: c.session.Status()}))
}

// refuse answers an error and goes on.
func (c *commands) refuse(err error) outcome { return c.end(err) }

// end writes err, if there is one. An error that comes when the whole answer is written already can't be told any more: the connection ends, since
// what the session would do next is not known.
func (c *commands) end(err error) outcome {
	if err == nil {
		return outcomeNext
	}
	if c.reply.over {
		c.cfg.Logger.Warn("error after the answer", logConnection, c.client.ID, logUser, c.client.User, logError, err)
		return outcomeClose
	}
	if werr := c.reply.Err(err); werr != nil {
		return outcomeClose
	}
	var fatal *Fatal
	if errors.As(err, &fatal) {
		return outcomeClose
	}
	return outcomeNext
}

// malformed is what a client reads for a body that can't be decoded; the connection is closed after it.
func malformed(err error) error { return &Fatal{Err: failMalformed.Wrap(err)} }

func (c *commands) fieldList(ctx context.Context, body []byte) outcome {
	var m wire.FieldList
	if err := m.Decode(body); err != nil {
		return c.end(malformed(err))
	}
	columns, err := c.session.FieldList(ctx, m.Table, m.Wildcard)
	if err != nil {
		return c.end(err)
	}
	var one []byte
	for i := range columns {
		one = columns[i].AppendFieldList(one[:0])
		if err := c.reply.payload(one); err != nil {
			return outcomeClose
		}
	}
	return c.end(c.reply.EOF(c.session.Status(), 0))
}

func (c *commands) kill(ctx context.Context, body []byte) outcome {
	var m wire.ProcessKill
	if err := m.Decode(body); err != nil {
		return c.end(malformed(err))
	}
	return c.done(c.front.Kill(ctx, c.client, m.ID, true))
}

func (c *commands) setOption(body []byte) outcome {
	var m wire.SetOption
	if err := m.Decode(body); err != nil {
		return c.end(malformed(err))
	}
	switch m.Option {
	case wire.OptionMultiStatementsOn:
		c.session.SetMultiStatements(true)
	case wire.OptionMultiStatementsOff:
		c.session.SetMultiStatements(false)
	default:
		return c.refuse(failUnknownCommand.New())
	}
	return c.end(c.reply.EOF(c.session.Status(), 0))
}

// close frees everything.
func (c *commands) close() {
	c.closeStatements()
	c.session.Close()
}

// launch begins a command on the loop; false means that it must be run.
func (c *commands) launch(ctx context.Context, packet []byte) bool {
	payload := packet[wire.HeaderSize:]
	cmd := wire.Command(payload[0])
	ok := false
	switch cmd {
	case wire.ComQuery:
		ok = c.launcher.LaunchQuery(ctx, packet, c.reply)
	case wire.ComStmtExecute:
		ok = c.launchExecute(ctx, payload[1:])
	default:
	}
	if ok {
		c.metrics.command(cmd)
	}
	return ok
}
