package router

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ballast/router/backend"
	"ballast/router/plan"
	"ballast/rules/catalog"
	"ballast/sqlfront"
	"ballast/sqlfront/netloop"
	"ballast/sqlfront/wire"
)

// Session is one client's connection as the router sees it. Its methods are called one after another; only Kill and
// SHOW PROCESSLIST reach in from elsewhere, through what stands at the end.
type Session struct {
	router *Router
	client sqlfront.Client
	user   string
	class  backend.Class
	multi  bool
	// shard is the part of the nodes' pools that the session takes connections from.
	shard int
	// loop serves the client; nil where a goroutine does.
	loop *netloop.Loop

	// settings are the session's variables and default database; autocommit, selectLimit and env are derived from them (deriveEnv).
	settings    *backend.Settings
	autocommit  bool
	selectLimit bool
	env         plan.Env

	txn transaction
	// locks is the connection that holds the session's named locks; nil without any.
	locks *backend.Conn
	last  outcome
	texts map[string]*textStatement

	// ended is when the statement ended that idle is about to forget.
	ended time.Time
	// current, args, bound and cmd are reused by every statement, so that an ordinary one allocates nothing.
	current statement
	args    plan.Args
	bound   plan.Bound
	cmd     []byte
	// warned collects what the nodes of a scatter statement warned of, by node.
	warnedMu sync.Mutex
	warnedBy map[int][]warning

	// idleLimit is IdleTimeout under the settings idleOf.
	idleOf    *backend.Settings
	idleLimit time.Duration
	// allowed are plans whose rights have been checked.
	allowed [4]allowed
	// flight is the statement that the loop carries out; queued is set while it waits for a connection.
	flight flight
	queued atomic.Bool
	// queueing is held while the flight joins or leaves the queue.
	queueing sync.Mutex
	// held are the connections that work for the session.
	held   holding
	killed atomic.Bool
	// For SHOW PROCESSLIST: the plan that runs (nil when idle), since when (Unix nanoseconds), under which settings.
	running atomic.Pointer[plan.Plan]
	since   atomic.Int64
	shown   atomic.Pointer[backend.Settings]
}

// Open begins a session.
func (r *Router) Open(ctx context.Context, c sqlfront.Client) (sqlfront.Session, error) {
	s := &Session{router: r, client: c, shard: c.Loop, loop: r.cluster.Loop(c.Loop), class: backend.ClassOf(c.Capabilities)}
	s.held.init()
	if err := s.begins(ctx, c); err != nil {
		return nil, err
	}
	r.roster.add(s)
	r.metrics.sessions.Inc()
	// ctx is the client's: it ends when the client vanishes or is disconnected, and with it what runs on the nodes.
	context.AfterFunc(ctx, s.abandon)
	return s, nil
}

// begins gives the session the state of a new connection.
func (s *Session) begins(ctx context.Context, c sqlfront.Client) error {
	snap := s.router.catalog.Current()
	if snap == nil {
		return errRestarted.New()
	}
	s.client, s.user = c, c.User
	s.follow(snap)
	if snap.Users[c.User] == nil {
		return errUserGone.New(c.User, s.host())
	}
	facts, err := s.router.facts.get(ctx, liveNodes(snap))
	if err != nil {
		return err
	}
	settings := s.router.cluster.Settings()
	if co := facts.handshake(c.Collation); !safeCharset(co.charset) {
		return errCharset.New(co.charset)
	} else if co.name != "utf8mb4_general_ci" {
		settings = settings.With("collation_connection", quoteString(co.name))
		if co.charset != "utf8mb4" {
			settings = settings.With("character_set_client", quoteString(co.charset)).With("character_set_results", quoteString(co.charset))
		}
	}
	if c.Capabilities.Has(wire.ClientIgnoreSpace) {
		mode := strings.TrimPrefix(facts.defaults["sql_mode"]+",IGNORE_SPACE", ",")
		settings = settings.With("sql_mode", quoteString(mode))
	}
	if snap.Users[c.User].SafeUpdates {
		settings = settings.With("sql_safe_updates", "1")
	}
	s.txn.clear()
	s.last = outcome{}
	s.env.Funcs = s
	s.texts = nil
	s.multi = c.Capabilities.Has(wire.ClientMultiStatements)
	s.settings = settings
	s.autocommit = facts.defaults["autocommit"] != "0"
	s.deriveEnv()
	if c.DB != "" {
		if err := s.InitDB(ctx, c.DB); err != nil {
			return err
		}
	}
	s.idle()
	return nil
}

// InitDB selects the default database.
func (s *Session) InitDB(_ context.Context, db string) error {
	s.takeSnapshot()
	u := s.currentUser()
	if u == nil {
		return errUserGone.New(s.user, s.host())
	}
	name, known := s.schemaNamed(db)
	if !known {
		if !canUse(u, db) {
			return errAccessDB.New(s.user, s.host(), db)
		}
		return errNoDatabase.New(db)
	}
	if !canUse(u, name) {
		return errAccessDB.New(s.user, s.host(), db)
	}
	s.settings = s.settings.WithDB(name)
	s.deriveEnv()
	s.last.rowCount = 0
	return nil
}

// schemaNamed finds a database by the name a client gave it.
func (s *Session) schemaNamed(db string) (string, bool) {
	if systemSchema(db) {
		return strings.ToLower(db), true
	}
	if s.env.Snapshot.LowerCaseNames != 0 {
		db = strings.ToLower(db)
	}
	_, ok := s.env.Snapshot.Schemas[db]
	return db, ok
}

// takeSnapshot gives the statement that begins its version of the rules, and its bounds.
func (s *Session) takeSnapshot() {
	s.env.QueryMemory = s.router.limits().QueryMemory
	if snap := s.router.catalog.Current(); snap != nil && snap != s.env.Snapshot {
		s.follow(snap)
	}
}

// follow makes a version of the rules the session's.
func (s *Session) follow(snap *catalog.Snapshot) {
	s.env.Snapshot = snap
	clear(s.allowed[:])
}

// Reset is COM_RESET_CONNECTION: as if the client had connected anew, default database included.
func (s *Session) Reset(ctx context.Context) error {
	s.rollback(ctx)
	s.dropLocks()
	c := s.client
	c.DB = s.settings.DB()
	return s.begins(ctx, c)
}

// ChangeUser makes the session another user's.
func (s *Session) ChangeUser(ctx context.Context, c sqlfront.Client) error {
	s.rollback(ctx)
	s.dropLocks()
	c.ID = s.client.ID
	return s.begins(ctx, c)
}

// Ping answers COM_PING; a session that was killed is closed by it.
func (s *Session) Ping(context.Context) error { return s.checkKilled() }

func (s *Session) checkKilled() error {
	if s.killed.Load() {
		return fatal(errInterrupted.New())
	}
	return nil
}

// Status is the status word of answers that no node gave.
func (s *Session) Status() wire.Status {
	var st wire.Status
	if s.autocommit {
		st |= wire.StatusAutocommit
	}
	if s.txn.explicit {
		st |= wire.StatusInTrans
	}
	for _, b := range s.txn.branches {
		if b.inTrans {
			st |= wire.StatusInTrans
		}
	}
	if s.env.Flags&plan.NoBackslashEscapes != 0 {
		st |= wire.StatusNoBackslashEscapes
	}
	return st
}

// IdleTimeout is how long the client may be silent: wait_timeout, or interactive_timeout for a client that said so; 0 where the session
// did not set it.
func (s *Session) IdleTimeout() time.Duration {
	if s.idleOf != s.settings {
		s.idleOf, s.idleLimit = s.settings, s.idleTimeout()
	}
	return s.idleLimit
}

func (s *Session) idleTimeout() time.Duration {
	name := "wait_timeout"
	if s.client.Capabilities.Has(wire.ClientInteractive) {
		name = "interactive_timeout"
	}
	v, ok := s.settings.Get(name)
	if !ok {
		return 0
	}
	seconds, _ := leadingNumber(v)
	return time.Duration(min(seconds, maxIdleSeconds)) * time.Second
}

// maxIdleSeconds is a year, the most that a server takes.
const maxIdleSeconds = 31_536_000

// SetMultiStatements is COM_SET_OPTION.
func (s *Session) SetMultiStatements(on bool) { s.multi = on }

// Close rolls back and gives every connection back.
func (s *Session) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	s.rollback(ctx)
	s.dropLocks()
	for _, k := range s.held.all() { // of a statement that panicked
		s.discard(k)
	}
	s.router.roster.remove(s)
	s.router.metrics.sessions.Dec()
}

// closeTimeout bounds the rollback of a session that ends.
const closeTimeout = 3 * time.Second

// fatal marks an error after which the client's connection is closed.
func fatal(err error) error { return &sqlfront.Fatal{Err: err} }

func isFatal(err error) bool {
	var f *sqlfront.Fatal
	return errors.As(err, &f)
}
