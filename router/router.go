// Package router answers SQL statements of MySQL clients from the nodes that hold the rows.
//
// A statement passes through four hands: the session takes it off the wire (session.go, query.go, prepared.go), the planner finds out what
// it means and which nodes it concerns (package plan), connections carry it there (package backend), and operators make one answer of
// several (package engine). Most statements concern one node: their text goes there as it is and the answer's packets are relayed without
// being decoded (run_single.go). Reads of several nodes run as a tree of operators (run_tree.go), writes for several nodes commit
// everywhere or nowhere (writes.go).
//
// A session behaves as one server's would. Its variables, user variables included, are a value (backend.Settings) that any pooled
// connection can take on, so a session keeps a connection only inside a transaction (txn.go). SET runs on a node and is read back
// (set.go); what only the session knows (LAST_INSERT_ID, ROW_COUNT, warnings) is kept here and put into statements as literals
// (session_values.go). SHOW and information_schema show one logical server (show.go); DDL goes to the master (ddl.go).
//
// Invariants: a statement is planned, bound and executed under one snapshot of the rules (I6). An answer is right or refused (I5): what
// can't be kept across nodes is an error with a number and a hint, never a partial answer. Nothing shared by all sessions is locked on
// the way of a statement whose plan is cached.
package router

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ballast/router/backend"
	"ballast/router/plan"
	"ballast/rules/catalog"
	"ballast/sqlfront"
)

// Config is what a router is made of.
type Config struct {
	Catalog Catalog
	Definer Definer
	IDs     IDs
	Cluster *backend.Cluster
	Planner *plan.Planner
	Limits  Limits
	// Hostname and Port are what @@hostname and @@port answer.
	Hostname   string
	Port       int
	Logger     *slog.Logger
	Registerer prometheus.Registerer
}

// Router is the front end's other half: it knows accounts and opens sessions. Safe for concurrent use.
type Router struct {
	cfg          Config
	catalog      Catalog
	cluster      *backend.Cluster
	planner      *plan.Planner
	sequences    sequences
	facts        *factsOnce
	roster       *roster
	metrics      *metrics
	digests      *digestLog
	log          *slog.Logger
	lim          atomic.Pointer[Limits]
	settingsSeen settingsSeen
	known        knownPlans
	started      time.Time
	statements   atomic.Uint64
}

// New checks the configuration and makes a router; it starts nothing.
func New(cfg Config) (*Router, error) {
	if err := cfg.Limits.Validate(); err != nil {
		return nil, err
	}
	m, err := newMetrics(cfg.Registerer)
	if err != nil {
		return nil, err
	}
	r := &Router{
		cfg: cfg, catalog: cfg.Catalog, cluster: cfg.Cluster, planner: cfg.Planner,
		sequences: sequences{cfg.IDs}, facts: &factsOnce{cluster: cfg.Cluster},
		roster: newRoster(), metrics: m, digests: &digestLog{log: cfg.Logger}, log: cfg.Logger, started: time.Now(),
	}
	r.SetLimits(cfg.Limits)
	return r, nil
}

// SetNumber tells the router its number in the cluster (1 to 4095), which goes into the connection ids from now on.
func (r *Router) SetNumber(n int) error {
	if n < 1 || n > maxRouter {
		return fmt.Errorf("router number %d is not between 1 and %d", n, maxRouter)
	}
	r.roster.router.Store(uint32(n))
	return nil
}

// SetLimits replaces the limits; statements that run keep the old ones.
func (r *Router) SetLimits(l Limits) { r.lim.Store(&l) }

func (r *Router) limits() *Limits { return r.lim.Load() }

// Statements counts the statements answered since the start.
func (r *Router) Statements() uint64 { return r.statements.Load() }

// Ready says why statements can't be answered yet; nil when they can.
func (r *Router) Ready() error {
	snap := r.catalog.Current()
	if snap == nil {
		return errRestarted.New()
	}
	for _, n := range liveNodes(snap) {
		if r.cluster.Up(n) {
			return nil
		}
	}
	return errNoNode.New()
}

// Account implements sqlfront.Frontend: verifiers come from the snapshot.
func (r *Router) Account(user string, _ net.Addr) (sqlfront.Account, bool) {
	snap := r.catalog.Current()
	if snap == nil {
		return sqlfront.Account{}, false
	}
	u := snap.Users[user]
	if u == nil {
		return sqlfront.Account{}, false
	}
	return sqlfront.Account{Native: u.Native, CachingSHA2: u.CachingSHA2}, true
}

// ServerVersion is the nodes' version with "-ballast" behind it.
func (r *Router) ServerVersion() string {
	if snap := r.catalog.Current(); snap != nil {
		for i := range snap.Nodes {
			if !snap.Nodes[i].Removed && snap.Nodes[i].ServerVersion != "" {
				return snap.Nodes[i].ServerVersion + "-ballast"
			}
		}
	}
	return "8.4.0-ballast"
}

// ConnectionID gives the next connection's id.
func (r *Router) ConnectionID() uint32 { return r.roster.next() }

// Statistics is the line that COM_STATISTICS answers.
func (r *Router) Statistics() string {
	up := int64(time.Since(r.started) / time.Second)
	nodes := 0
	if snap := r.catalog.Current(); snap != nil {
		nodes = len(liveNodes(snap))
	}
	return fmt.Sprintf("Uptime: %d  Threads: %d  Nodes: %d  Plans: %d", up, r.roster.count(), nodes, r.planner.Stats().Plans)
}

// nodeDefault gives a variable's global value on the nodes, for sessions that did not set it.
func (r *Router) nodeDefault(name string) string {
	if f := r.facts.known.Load(); f != nil {
		return f.defaults[name]
	}
	return ""
}

func (r *Router) defaultAutocommit() bool { return r.nodeDefault("autocommit") != "0" }

// Watch keeps the connections' targets in step with the rules until ctx ends. Credential gives the router's own account on the nodes.
func (r *Router) Watch(ctx context.Context, credential func() backend.Credential) error {
	var seen *catalog.Snapshot
	for {
		changed := r.catalog.Changed()
		if snap := r.catalog.Current(); snap != nil && snap != seen {
			r.cluster.Update(snap.Nodes, credential())
			seen = snap
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}
