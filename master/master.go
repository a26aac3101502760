package master

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"ballast/master/meta"
)

// Master is one master process: a standby, or the leader.
type Master struct {
	cfg     Config
	log     *slog.Logger
	metrics *metrics
	reg     *prometheus.Registry
	key     []byte
	token   [sha256.Size]byte
	hasAuth bool
	tls     *tls.Config
	nodeTLS *tls.Config
	self    string

	// term is the present term, nil while another master leads. leader is the leading master's address as last seen.
	term   atomic.Pointer[term]
	leader atomic.Pointer[string]
	meta   atomic.Pointer[meta.Store]
	// metaAway is true while the metadata server does not answer.
	metaAway atomic.Bool
	// listening is closed once the API can be called; addr holds its address.
	listening chan struct{}
	addr      net.Addr
}

// New checks the configuration and reads the files that it names; nothing is started or dialled.
func New(cfg Config, log *slog.Logger) (*Master, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("the master's configuration: %w", err)
	}
	m := &Master{cfg: cfg, log: log, listening: make(chan struct{}), reg: prometheus.NewRegistry()}
	m.metrics = newMetrics(m.reg)
	var err error
	if m.key, err = meta.ReadKey(cfg.KeyFile); err != nil {
		return nil, err
	}
	if cfg.MetaFile != "" {
		if m.cfg.Meta, err = readSecret(cfg.MetaFile); err != nil {
			return nil, fmt.Errorf("read meta_file: %w", err)
		}
	}
	if cfg.TokenFile != "" {
		token, err := readSecret(cfg.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("read token_file: %w", err)
		}
		m.token, m.hasAuth = sha256.Sum256([]byte(token)), true
	}
	if m.tls, err = cfg.TLS.server(); err != nil {
		return nil, err
	}
	if m.nodeTLS, err = cfg.NodeTLS.client(); err != nil {
		return nil, err
	}
	return m, nil
}

// Registry holds this master's metrics; what runs beside it may add its own.
func (m *Master) Registry() *prometheus.Registry { return m.reg }

// Listening is closed once the API answers.
func (m *Master) Listening() <-chan struct{} { return m.listening }

// Addr is the API's address, once Listening is closed.
func (m *Master) Addr() net.Addr { return m.addr }

// URL is the address under which others reach this master, once Listening is closed.
func (m *Master) URL() string { return m.self }

// Run serves until ctx ends, which is no error. It returns when everything it started has ended.
func (m *Master) Run(ctx context.Context) error {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", m.cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen for the API on %s: %w", m.cfg.Listen, err)
	}
	m.addr = l.Addr()
	m.self = m.cfg.Advertise
	if m.self == "" {
		scheme := "http://"
		if m.tls != nil {
			scheme = "https://"
		}
		m.self = scheme + m.addr.String()
	}
	if m.tls != nil {
		l = tls.NewListener(l, m.tls)
	}
	srv := &http.Server{
		Handler: m.handler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(m.log.Handler(), slog.LevelDebug), BaseContext: func(net.Listener) context.Context { return ctx },
	}
	close(m.listening)
	m.log.InfoContext(ctx, "master listening", logAddr, m.self)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return m.lead(ctx) })
	g.Go(func() error {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve the API: %w", err)
		}
		return nil
	})
	g.Go(func() error {
		<-ctx.Done()
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		if err := srv.Shutdown(stop); err != nil {
			return srv.Close()
		}
		return nil
	})
	return g.Wait()
}
