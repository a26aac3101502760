package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"ballast/master"
	"ballast/router"
	"ballast/router/backend"
	"ballast/sqlfront"
	"ballast/sqlfront/netloop"
)

// LogConfig says what is written to standard error.
type LogConfig struct {
	// Level is debug, info, warn or error. Default info. Reloadable.
	Level string `yaml:"level"`
	// Format is text or json. Default text.
	Format string `yaml:"format"`
}

// RouterConfig is everything a router is told.
type RouterConfig struct {
	// Name tells routers apart and stays the same over restarts: the master ends the account of an earlier router of this name. Default: the host's name.
	Name string `yaml:"name"`
	// Listen is where MySQL clients connect: host:port, or the path of a Unix socket; several are separated by commas. Default 127.0.0.1:3307.
	Listen []string `yaml:"listen"`
	// Admin is the address of metrics, health and profiles; empty switches it off. Default 127.0.0.1:7801.
	Admin string `yaml:"admin"`
	// AdminTokenFile holds the token that metrics and profiles ask of peers off this machine. Default none: loopback only.
	AdminTokenFile string `yaml:"admin_token_file"`
	// Master lists the URLs of the masters, in any order. Default http://127.0.0.1:7800.
	Master []string `yaml:"master"`
	// TokenFile holds the token for the masters' API.
	TokenFile string `yaml:"token_file"`
	// MasterCAFile is the authority that the masters' certificates must come from; empty means the system's.
	MasterCAFile string `yaml:"master_ca_file"`
	// NodeCAFile is the authority that the nodes' certificates must come from. Empty means no TLS to the nodes.
	NodeCAFile string `yaml:"node_ca_file"`
	// TLS is offered to clients.
	TLS ClientTLSConfig `yaml:"tls"`
	// Log says what is written to standard error.
	Log LogConfig `yaml:"log"`
	// IO says how clients are served: loop (event loops, on Linux) or goroutine (one goroutine per client). Default loop on Linux, goroutine
	// elsewhere.
	IO string `yaml:"io"`
	// Loops is the number of event loops. Each keeps at most one core busy and has its own share of the connections to the nodes; fewer ones wait
	// less often and cost less for each statement, more can do more at a time. Default 0: half the number of cores, at least 1.
	Loops int `yaml:"loops"`
	// Clients bounds what clients may take.
	Clients ClientsConfig `yaml:"clients"`
	// Limits bounds what a statement may take. Reloadable.
	Limits router.Limits `yaml:"limits"`
	// Nodes says how the db nodes are connected to.
	Nodes backend.Config `yaml:"nodes"`
	// PlanCache bounds the memory of cached plans, in bytes. More keeps more distinct statements parsed. Default 64 MiB.
	PlanCache int64 `yaml:"plan_cache"`
}

// ClientTLSConfig is the router's certificate.
type ClientTLSConfig struct {
	// CertFile and KeyFile are the certificate shown to clients, PEM. Both empty means no TLS.
	CertFile string `yaml:"cert_file"`
	KeyFile  string `yaml:"key_file"`
	// Require refuses clients on TCP without TLS. Default false.
	Require bool `yaml:"require"`
}

// ClientsConfig bounds connections and commands of clients.
type ClientsConfig struct {
	// MaxConnections bounds all connections; over it clients read error 1040. An idle one costs about 10 KB of
	// memory and a file descriptor. Default 10000.
	MaxConnections int `yaml:"max_connections"`
	// MaxUserConnections bounds the connections of one user; over it error 1226. Default 0: no bound.
	MaxUserConnections int `yaml:"max_user_connections"`
	// MaxConnectErrors is how many handshakes in a row may fail for one address before it is kept out for a while. Default 100; 0 switches it off.
	MaxConnectErrors int `yaml:"max_connect_errors"`
	// MaxPacket is the largest command in bytes (max_allowed_packet). More lets bigger statements and parameters
	// through; each is held in memory whole. Default 64 MiB. At most 1 GiB.
	MaxPacket int `yaml:"max_packet"`
	// MaxStatements bounds the prepared statements of all connections; over it error 1461. Each holds its text in memory. Default 16382.
	MaxStatements int `yaml:"max_statements"`
	// HandshakeTimeout bounds the login. Default 10s.
	HandshakeTimeout time.Duration `yaml:"handshake_timeout"`
	// IdleTimeout is how long a client may be silent between commands (wait_timeout). Default 8h.
	IdleTimeout time.Duration `yaml:"idle_timeout"`
	// WriteTimeout is how long one write may wait for a client that does not read. More lets such clients hold
	// a connection to a node for longer. Default 60s.
	WriteTimeout time.Duration `yaml:"write_timeout"`
	// DrainTimeout is how long statements and transactions may go on after SIGTERM; then they are cancelled. Default 30s.
	DrainTimeout time.Duration `yaml:"drain_timeout"`
}

// DefaultRouterConfig gives the settings of a router that stands beside its master.
func DefaultRouterConfig() RouterConfig {
	name, err := os.Hostname()
	if err != nil {
		name = "router"
	}
	front := sqlfront.Default()
	return RouterConfig{
		Name: name, Listen: []string{"127.0.0.1:3307"}, Admin: "127.0.0.1:7801", Master: []string{"http://127.0.0.1:7800"},
		IO: defaultIO(), Log: LogConfig{Level: "info", Format: "text"}, Limits: router.DefaultLimits(), Nodes: backend.Default(),
		Clients: ClientsConfig{
			MaxConnections: front.MaxConnections, MaxUserConnections: front.MaxUserConnections, MaxConnectErrors: front.MaxConnectErrors,
			MaxPacket: front.MaxPacket, MaxStatements: front.MaxStatements, HandshakeTimeout: front.HandshakeTimeout,
			IdleTimeout: front.IdleTimeout, WriteTimeout: front.WriteTimeout, DrainTimeout: front.DrainTimeout,
		},
		PlanCache: 64 << 20,
	}
}

// Validate names all faults at once.
func (c *RouterConfig) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if c.Name == "" {
		fault("name is missing")
	}
	if len(c.Listen) == 0 {
		fault("listen names no address")
	}
	if len(c.Master) == 0 {
		fault("master names no URL")
	}
	if (c.TLS.CertFile == "") != (c.TLS.KeyFile == "") {
		fault("tls.cert_file and tls.key_file belong together")
	}
	if c.TLS.Require && c.TLS.CertFile == "" {
		fault("tls.require needs a certificate")
	}
	switch {
	case c.IO != ioLoop && c.IO != ioGoroutine:
		fault("io is %q, it must be %s or %s", c.IO, ioLoop, ioGoroutine)
	case c.IO == ioLoop && !netloop.Supported:
		fault("io: loop needs Linux")
	}
	if c.Loops < 0 || c.Loops > maxLoops {
		fault("loops is %d, it must be between 0 and %d", c.Loops, maxLoops)
	}
	if c.Admin != "" {
		if _, _, err := net.SplitHostPort(c.Admin); err != nil {
			fault("admin %q is no host:port", c.Admin)
		}
	}
	faults = append(faults, c.Limits.Validate(), c.Log.Validate())
	return errors.Join(faults...)
}

// MasterConfig is everything a master is told.
type MasterConfig struct {
	// Config is the master's own.
	master.Config `yaml:",inline"`
	// Log says what is written to standard error.
	Log LogConfig `yaml:"log"`
}

// DefaultMasterConfig gives a master's settings; the metadata server and the key file have no default.
func DefaultMasterConfig() MasterConfig {
	return MasterConfig{Config: master.Default(), Log: LogConfig{Level: "info", Format: "text"}}
}

// Validate names all faults at once.
func (c *MasterConfig) Validate() error { return errors.Join(c.Config.Validate(), c.Log.Validate()) }

// Validate refuses unknown words.
func (c LogConfig) Validate() error {
	if _, err := c.level(); err != nil {
		return err
	}
	if c.Format != "text" && c.Format != "json" {
		return fmt.Errorf("log.format is %q, want text or json", c.Format)
	}
	return nil
}

func (c LogConfig) level() (slog.Level, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(c.Level)); err != nil {
		return l, fmt.Errorf("log.level is %q, want debug, info, warn or error", c.Level)
	}
	return l, nil
}

// logger makes the log; the level can be changed later.
func (c LogConfig) logger(w io.Writer) (*slog.Logger, *slog.LevelVar, error) {
	level, err := c.level()
	if err != nil {
		return nil, nil, err
	}
	v := new(slog.LevelVar)
	v.Set(level)
	opts := &slog.HandlerOptions{Level: v}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, opts)), v, nil
	}
	return slog.New(slog.NewTextHandler(w, opts)), v, nil
}
