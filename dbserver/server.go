package dbserver

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"

	"ballast/dbserver/process"
)

// startTimeout and stopTimeout bound Start and Stop where the caller's context has no deadline; a server that recovers from a crash
// or writes out a large buffer needs a while.
const (
	startTimeout = 60 * time.Second
	stopTimeout  = 30 * time.Second
)

// ServerConfig describes one server.
type ServerConfig struct {
	// Install is the program to run.
	Install *Install
	// Name is for people: errors and logs use it. Default: the last part of Dir.
	Name string
	// Dir holds everything of this server: data/, its log and pid. Made by Init.
	Dir string
	// Port is the TCP port on 127.0.0.1.
	Port int
	// ServerID is the binlog's server id; it must differ between the servers of a cluster. Range 1..2^32-1.
	ServerID uint32
	// BufferPoolMB is the size of InnoDB's buffer pool. Default 64.
	BufferPoolMB int
	// PerformanceSchema switches it on; it costs about 150 MB.
	PerformanceSchema bool
	// Extra are further command line flags; they come last and so win.
	Extra []string
	// Output gets what the server writes to its log; it is closed whenever a process has ended, so it must open itself again on the next
	// Write, as a rotating log does. Default: the file server.log in Dir.
	Output io.WriteCloser
}

// Server is one server process and its data folder. Its methods may be used by several goroutines.
type Server struct {
	cfg    ServerConfig
	socket string

	mu  sync.Mutex       // serialises starting and stopping
	run *process.Process // nil before the first start
}

// New describes a server; it starts and writes nothing.
func New(cfg ServerConfig) *Server {
	if cfg.Name == "" {
		cfg.Name = filepath.Base(cfg.Dir)
	}
	if cfg.BufferPoolMB == 0 {
		cfg.BufferPoolMB = 64
	}
	if abs, err := filepath.Abs(cfg.Dir); err == nil {
		cfg.Dir = abs
	}
	return &Server{cfg: cfg, socket: socketPath(cfg.Dir)}
}

// socketPath is server.sock in the server's folder, or in the system's temporary folder where that path is too long for a socket.
func socketPath(dir string) string {
	path := filepath.Join(dir, "server.sock")
	if len(path) < 100 {
		return path
	}
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(os.TempDir(), "ballast-"+hex.EncodeToString(sum[:8])+".sock")
}

// Name gives the name for people.
func (s *Server) Name() string { return s.cfg.Name }

// Dir gives the server's folder.
func (s *Server) Dir() string { return s.cfg.Dir }

// Port gives the TCP port.
func (s *Server) Port() int { return s.cfg.Port }

// Addr gives host:port.
func (s *Server) Addr() string { return "127.0.0.1:" + strconv.Itoa(s.cfg.Port) }

// Socket gives the path of the Unix socket.
func (s *Server) Socket() string { return s.socket }

// Flavour gives the kind of server.
func (s *Server) Flavour() Flavour { return s.cfg.Install.Flavour }

func (s *Server) dataDir() string { return filepath.Join(s.cfg.Dir, "data") }

// DriverConfig gives a configuration for go-sql-driver that logs in as the administrator over TCP; the caller may change it.
func (s *Server) DriverConfig() *mysql.Config {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr = "root", "tcp", s.Addr()
	cfg.Logger = &mysql.NopLogger{}
	cfg.AllowNativePasswords = true
	return cfg
}

// Open gives a pool of administrator connections with that current database ("" for none). Nothing is connected before its first use.
func (s *Server) Open(database string) (*sql.DB, error) {
	cfg := s.DriverConfig()
	cfg.DBName = database
	return openPool(cfg)
}

func openPool(cfg *mysql.Config) (*sql.DB, error) {
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("configure a connection to %s: %w", cfg.Addr, err)
	}
	return sql.OpenDB(connector), nil
}

// Start runs the server and returns when it answers. It fails with the last words of the server's log if the process ends before
// that, and at the deadline (one minute if ctx has none); then the process is ended.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run.Alive() {
		return nil
	}
	if err := CheckPort(s.cfg.Port, s.cfg.Name); err != nil {
		return err
	}
	run, err := s.launch(s.flags())
	if err != nil {
		return err
	}
	s.run = run
	return s.awaitReady(ctx, run)
}

// launch starts the program with those flags.
func (s *Server) launch(flags []string) (*process.Process, error) {
	out := s.cfg.Output
	if out == nil {
		f, err := os.OpenFile(filepath.Join(s.cfg.Dir, "server.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, fmt.Errorf("open the server's log: %w", err)
		}
		out = f
	}
	cmd := s.cfg.Install.Command(s.cfg.Install.Program, flags...)
	cmd.Dir = s.cfg.Dir
	run, err := process.Start(cmd, out)
	if err != nil {
		return nil, errNotStarted.Wrap(err, s.Flavour().Title(), s.cfg.Name, err.Error())
	}
	return run, nil
}

// awaitReady returns once the server answers on its socket; otherwise it ends the process.
func (s *Server) awaitReady(ctx context.Context, run *process.Process) error {
	ctx, cancel := withDefaultTimeout(ctx, startTimeout)
	defer cancel()
	cfg := s.DriverConfig()
	cfg.Net, cfg.Addr = "unix", s.socket
	db, err := openPool(cfg)
	if err != nil {
		return err
	}
	defer closePool(db)
	for {
		if err = db.PingContext(ctx); err == nil {
			return nil
		}
		select {
		case <-run.Exited():
			return errNotStarted.New(s.Flavour().Title(), s.cfg.Name, run.LastWords())
		case <-ctx.Done():
			run.Kill()
			return errNotStarted.Wrap(ctx.Err(), s.Flavour().Title(), s.cfg.Name, "it did not answer in time; "+run.LastWords())
		case <-time.After(30 * time.Millisecond):
		}
	}
}

// Stop ends the server in good order and returns when the process is gone. At the deadline (half a minute if ctx has none) the
// process is killed, which is an error, though the data survives that too.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := withDefaultTimeout(ctx, stopTimeout)
	defer cancel()
	if err := s.run.Stop(ctx); err != nil {
		return fmt.Errorf("stop server %s: %w", s.cfg.Name, err)
	}
	return nil
}

// Kill ends the process at once, as a crash would, and returns when it is gone.
func (s *Server) Kill() { s.life().Kill() }

// Restart stops the server and starts it on the same data.
func (s *Server) Restart(ctx context.Context) error {
	if err := s.Stop(ctx); err != nil {
		return err
	}
	return s.Start(ctx)
}

// Pause freezes the process and returns when it stands still: connections stay open and nothing answers. Resume lets it go on.
func (s *Server) Pause() { s.life().Pause() }

// Resume undoes Pause.
func (s *Server) Resume() { s.life().Resume() }

// PID gives the process id, or 0 while none runs.
func (s *Server) PID() int { return s.life().PID() }

// Exited gives a channel that is closed when the present process has ended; it is closed already while none runs.
func (s *Server) Exited() <-chan struct{} { return s.life().Exited() }

// LastWords gives the end of what the present or last process wrote to its log.
func (s *Server) LastWords() string { return s.life().LastWords() }

// life gives the present or last process; nil before the first start.
func (s *Server) life() *process.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run
}

func withDefaultTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// closePool closes a pool whose connections have been given back; its error says nothing about what was read or written.
func closePool(db *sql.DB) {
	if err := db.Close(); err != nil {
		return
	}
}
