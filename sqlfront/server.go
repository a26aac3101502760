package sqlfront

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"ballast/sqlfront/auth"
)

type verifier = auth.Verifier

// Server accepts clients and serves them until its Run's ctx ends.
type Server struct {
	cfg      Config
	front    Frontend
	metrics  *metrics
	attempts *attempts
	buffers  bufferPool
	workers  workers
	dummy    verifier
	rsaKey   func() (*auth.Key, error)

	clock      atomic.Int64 // nanoseconds, advanced by the watch
	nextLoop   atomic.Uint64
	statements atomic.Int64
	draining   atomic.Bool

	mu    sync.Mutex
	conns map[*conn]struct{}
	users map[string]int
	wait  sync.WaitGroup
}

// New checks the configuration and makes a Server; it accepts nothing before Run.
func New(cfg Config, front Frontend) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("sqlfront configuration: %w", err)
	}
	dummy, err := auth.Dummy()
	if err != nil {
		return nil, err
	}
	counts, err := newMetrics(cfg.Registerer)
	if err != nil {
		return nil, err
	}
	s := &Server{
		cfg: cfg, front: front, metrics: counts, attempts: newAttempts(cfg.MaxConnectErrors, cfg.BlockTime),
		dummy: dummy, conns: map[*conn]struct{}{}, users: map[string]int{}, rsaKey: sync.OnceValues(auth.NewKey),
	}
	if cfg.RSAKey != nil {
		s.rsaKey = func() (*auth.Key, error) { return cfg.RSAKey, nil }
	}
	s.clock.Store(time.Now().UnixNano())
	return s, nil
}

// Run serves until ctx ends, then drains: it accepts no more, tells idle clients 1053 and hangs up, lets statements and transactions under way
// finish for at most Config.DrainTimeout, cuts what is left, and returns when the last connection has ended. An error means that a
// listener failed.
func (s *Server) Run(ctx context.Context) error {
	conns, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	accepting, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	watching, stopWatch := context.WithCancel(conns)
	var watcher, acceptors sync.WaitGroup
	watcher.Go(func() { s.watch(watching) })
	for _, l := range s.cfg.Listeners {
		acceptors.Go(func() {
			if err := s.accept(accepting, conns, l); err != nil {
				stop(err)
			}
		})
	}
	<-accepting.Done()
	for _, l := range s.cfg.Listeners {
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			s.cfg.Logger.WarnContext(ctx, "closing a listener failed", logError, err)
		}
	}
	acceptors.Wait()
	s.drain(cut)
	s.workers.close()
	stopWatch()
	watcher.Wait()
	if err := context.Cause(accepting); ctx.Err() == nil {
		return err
	}
	return nil
}

// accept takes connections from l until ctx ends.
func (s *Server) accept(ctx, conns context.Context, l net.Listener) error {
	for {
		sock, err := l.Accept()
		switch {
		case err == nil:
			s.welcome(conns, sock)
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("accept on %s: %w", l.Addr(), err)
		default: // out of file descriptors, or a client that left at once
			s.cfg.Logger.WarnContext(ctx, "accept failed", logError, err)
			pause := time.NewTimer(acceptPause)
			select {
			case <-pause.C:
			case <-ctx.Done():
				pause.Stop()
			}
		}
	}
}

// acceptPause is waited after a failed accept.
const acceptPause = 50 * time.Millisecond

// drain ends all connections.
func (s *Server) drain(cut context.CancelCauseFunc) {
	s.draining.Store(true)
	open := s.snapshot()
	s.cfg.Logger.Info("draining", logOpen, len(open))
	for _, c := range open {
		switch phase(c.phase.Load()) {
		case phaseHandshake:
			c.kick(kickShutdown)
		case phaseIdle:
			if !c.inTrans.Load() {
				c.kick(kickShutdown)
			}
		case phaseRunning, phaseOver: // ends by itself: see conn.command
		}
	}
	gone := make(chan struct{})
	go func() {
		s.wait.Wait()
		close(gone)
	}()
	if within(gone, s.cfg.DrainTimeout) {
		return
	}
	cut(failShutdown.New())
	if within(gone, cutTime) {
		return
	}
	for _, c := range s.snapshot() {
		c.hangUp(kickShutdown, failShutdown.New())
	}
	<-gone
}

// cutTime is how long statements have to answer that they were cancelled before their connections are cut.
const cutTime = time.Second

// within waits for done to be closed, at most for d.
func within(done <-chan struct{}, d time.Duration) bool {
	timeout := time.NewTimer(d)
	defer timeout.Stop()
	select {
	case <-done:
		return true
	case <-timeout.C:
		return false
	}
}

func (s *Server) snapshot() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*conn, 0, len(s.conns))
	for c := range s.conns {
		all = append(all, c)
	}
	return all
}

// watch looks at every connection twice a second.
func (s *Server) watch(ctx context.Context) {
	tick := time.NewTicker(watchTick)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			now := time.Now()
			s.look(now.Sub(last))
			last = now
		}
	}
}

// look advances the server's clock and looks at every connection. More time than usual between two looks is the process's own pause (a machine
// that was stopped, or too busy), and not its clients' silence: it counts as two ticks at most.
func (s *Server) look(passed time.Duration) {
	now := s.clock.Add(int64(min(passed, 2*watchTick)))
	for _, c := range s.snapshot() {
		c.watched(now)
	}
}

const watchTick = 500 * time.Millisecond
