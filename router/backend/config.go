package backend

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ballast/sqlfront/netloop"
)

// Config says how nodes are connected to. The zero value of every field but Logger and Registry means its default.
type Config struct {
	// MaxPerNode bounds the connections to one node that are open at a time. More lets more transactions be open at once, and more statements
	// that wait for locks; each costs the node a thread and some memory. Ordinary statements share few, by themselves. Default 256.
	MaxPerNode int `yaml:"max_per_node"`
	// Shards is the number of parts that each node's pool has, one per event loop. Default 1.
	Shards int `yaml:"-"`
	// MaxWaiting bounds how many statements may wait for a connection to one node. More queues where fewer would be refused. Default 16384.
	MaxWaiting int `yaml:"max_waiting"`
	// WaitTimeout bounds that wait, for a node that is up; a node that goes down ends it at once. Default 10s.
	WaitTimeout time.Duration `yaml:"wait_timeout"`
	// ConnectTimeout bounds connecting, login included. A node that takes longer, and says nothing to anybody meanwhile, is down.
	// Default 2s.
	ConnectTimeout time.Duration `yaml:"connect_timeout"`
	// ProbeInterval is how often a node is asked whether it lives. Less notices sooner and costs a ping each. Default 500ms.
	ProbeInterval time.Duration `yaml:"probe_interval"`
	// RetryInterval is how often a node that is down is tried again. Default 250ms.
	RetryInterval time.Duration `yaml:"retry_interval"`
	// StallAfter is how long a node may owe the answer to a ping until it is down and its connections are cut. Default 2s.
	StallAfter time.Duration `yaml:"stall_after"`
	// IdleTimeout is how long an unused connection stays open. More saves logins and keeps threads on the nodes. Default 60s.
	IdleTimeout time.Duration `yaml:"idle_timeout"`
	// MaxStatements bounds the prepared statements kept per connection; the one used longest ago is closed. More saves
	// preparing anew; each counts against the node's max_prepared_stmt_count. Default 256.
	MaxStatements int `yaml:"max_statements"`
	// MaxRow bounds one row that is merged by the router, in bytes; relayed rows are not bounded. Default 64 MiB.
	MaxRow int `yaml:"max_row"`
	// Loops serve the sockets of connections without TLS, one per shard; whoever made them runs them. Without any, sockets are the
	// runtime's.
	Loops []*netloop.Loop `yaml:"-"`
	// TLS, when not nil, is demanded of every node; certificates are verified as it says. Default none.
	TLS *tls.Config `yaml:"-"`
	// Logger takes what operators should know. Required.
	Logger *slog.Logger `yaml:"-"`
	// Registry takes the metrics. Optional: without it they are counted and not shown.
	Registry prometheus.Registerer `yaml:"-"`
}

// Default gives the defaults of all fields that have one.
func Default() Config {
	return Config{
		MaxPerNode: 256, Shards: 1, MaxWaiting: 16384, WaitTimeout: 10 * time.Second, ConnectTimeout: 2 * time.Second,
		ProbeInterval: 500 * time.Millisecond, RetryInterval: 250 * time.Millisecond, StallAfter: 2 * time.Second,
		IdleTimeout: time.Minute, MaxStatements: 64, MaxRow: 64 << 20,
	}
}

// Validate names all faults at once.
func (c Config) Validate() error {
	var faults []error
	fault := func(bad bool, what string) {
		if bad {
			faults = append(faults, fmt.Errorf("backend: %s", what))
		}
	}
	fault(c.MaxPerNode < 0, "max_per_node is negative")
	fault(c.Shards < 0, "the number of shards is negative")
	fault(c.MaxWaiting < 0, "max_waiting is negative")
	fault(c.WaitTimeout < 0, "wait_timeout is negative")
	fault(c.ConnectTimeout < 0, "connect_timeout is negative")
	fault(c.ProbeInterval < 0 || c.RetryInterval < 0 || c.StallAfter < 0, "an interval is negative")
	fault(c.IdleTimeout < 0, "idle_timeout is negative")
	fault(c.MaxStatements < 0, "max_statements is negative")
	fault(c.MaxRow < 0, "max_row is negative")
	fault(c.Logger == nil, "no logger")
	return errors.Join(faults...)
}

// withDefaults fills in what is zero.
func (c Config) withDefaults() Config {
	d := Default()
	for _, f := range []struct{ v, d *int }{
		{&c.MaxPerNode, &d.MaxPerNode}, {&c.Shards, &d.Shards}, {&c.MaxWaiting, &d.MaxWaiting}, {&c.MaxStatements, &d.MaxStatements}, {&c.MaxRow, &d.MaxRow},
	} {
		if *f.v == 0 {
			*f.v = *f.d
		}
	}
	for _, f := range []struct{ v, d *time.Duration }{
		{&c.WaitTimeout, &d.WaitTimeout}, {&c.ConnectTimeout, &d.ConnectTimeout}, {&c.ProbeInterval, &d.ProbeInterval},
		{&c.RetryInterval, &d.RetryInterval}, {&c.StallAfter, &d.StallAfter}, {&c.IdleTimeout, &d.IdleTimeout},
	} {
		if *f.v == 0 {
			*f.v = *f.d
		}
	}
	return c
}
