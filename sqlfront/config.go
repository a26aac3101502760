package sqlfront

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ballast/sqlfront/auth"
	"ballast/sqlfront/netloop"
)

// Config is what a Server needs beside its Frontend. Start from Default.
type Config struct {
	// Listeners are accepted from; the server closes them. At least one. Clients on a unix socket count as secure.
	Listeners []net.Listener
	// TLS is offered to clients when set.
	TLS *tls.Config
	// RequireTLS refuses clients on TCP without TLS (error 3159). Default off.
	RequireTLS bool
	// RSAKey encrypts passwords that clients send outside TLS, which happens only for accounts without a caching_sha2_password verifier.
	// Optional: made when first asked for.
	RSAKey *auth.Key
	// Loops serve clients that have logged in without TLS; whoever made them runs them until Run has returned. With none, or for a
	// Frontend whose sessions are no Launcher, every client has a goroutine of its own.
	Loops []*netloop.Loop
	// Logger gets what operators should know. Required.
	Logger *slog.Logger
	// Registerer takes the metrics. Optional.
	Registerer prometheus.Registerer

	// MaxConnections bounds all connections; over it clients read error 1040. Each idle one costs about 7 KB here. Default 10,000.
	MaxConnections int
	// MaxUserConnections bounds the connections of one user; over it error 1226. Default 0: no bound.
	MaxUserConnections int
	// MaxConnectErrors is how many handshakes in a row may fail for one address (wrong password, bad packets, time-out) before it is kept out
	// for BlockTime with error 1129; a success sets the count back. Default 100; 0 switches it off.
	MaxConnectErrors int
	// BlockTime is how long an address is kept out. Default 30s.
	BlockTime time.Duration
	// MaxPacket is the largest command in bytes (max_allowed_packet); over it error 1153. Default 64 MiB, at most 1 GiB.
	MaxPacket int
	// MaxStatements bounds the prepared statements of all connections; over it error 1461. Default 16,382.
	MaxStatements int
	// CursorMemory is how many bytes of one cursor's rows stay in memory, CursorDisk how many more may go to a temporary file; over both
	// error 1041. Defaults 1 MiB and 1 GiB.
	CursorMemory, CursorDisk int64
	// CursorFolder is where temporary files of cursors go. Default: the system's.
	CursorFolder string

	// HandshakeTimeout is connect_timeout. Default 10s.
	HandshakeTimeout time.Duration
	// IdleTimeout is wait_timeout: how long a client may be silent between commands. A session with a method IdleTimeout() time.Duration
	// decides for itself. Default 28,800s.
	IdleTimeout time.Duration
	// WriteTimeout is net_write_timeout: how long one write may wait for a client that does not read. Default 60s.
	WriteTimeout time.Duration
	// DrainTimeout is how long running statements and open transactions may go on after shutdown began. Default 30s.
	DrainTimeout time.Duration
}

// Default is a Config with every default in place; Listeners and Logger are still to be set.
func Default() Config {
	return Config{
		MaxConnections:   10_000,
		MaxConnectErrors: 100,
		BlockTime:        30 * time.Second,
		MaxPacket:        64 << 20,
		MaxStatements:    16_382,
		CursorMemory:     1 << 20,
		CursorDisk:       1 << 30,
		HandshakeTimeout: 10 * time.Second,
		IdleTimeout:      28_800 * time.Second,
		WriteTimeout:     60 * time.Second,
		DrainTimeout:     30 * time.Second,
	}
}

// Validate tells all faults at once.
func (c *Config) Validate() error {
	var faults []error
	want := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	want(len(c.Listeners) > 0, "listeners: none")
	want(c.Logger != nil, "logger: missing")
	want(!c.RequireTLS || c.TLS != nil, "require tls: no certificate is configured")
	want(c.MaxConnections > 0, "max connections: %d is not above 0", c.MaxConnections)
	want(c.MaxUserConnections >= 0, "max user connections: %d is below 0", c.MaxUserConnections)
	want(c.MaxConnectErrors >= 0, "max connect errors: %d is below 0", c.MaxConnectErrors)
	want(c.MaxPacket >= 1<<10 && c.MaxPacket <= 1<<30, "max packet: %d is not between 1 KiB and 1 GiB", c.MaxPacket)
	want(c.MaxStatements >= 0, "max statements: %d is below 0", c.MaxStatements)
	want(c.CursorMemory >= 0 && c.CursorDisk >= 0, "cursor memory and disk: below 0")
	for name, d := range map[string]time.Duration{
		"block time": c.BlockTime, "handshake timeout": c.HandshakeTimeout, "idle timeout": c.IdleTimeout,
		"write timeout": c.WriteTimeout, "drain timeout": c.DrainTimeout,
	} {
		want(d > 0, "%s: %s is not above 0", name, d)
	}
	return errors.Join(faults...)
}
