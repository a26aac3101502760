package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"ballast/master/client"
	"ballast/router"
	"ballast/router/backend"
	"ballast/router/plan"
	"ballast/sqlfront"
	"ballast/sqlfront/netloop"
)

// routerParts are a router's parts in the order in which they are made and started; they end in the opposite order.
type routerParts struct {
	config RouterConfig
	log    *slog.Logger
	level  *slog.LevelVar

	registry *prometheus.Registry // what /metrics shows
	admin    *router.Admin        // metrics, health, profiles: from the first moment on
	master   *client.Client       // finds the leading master; DDL goes there
	loops    []*netloop.Loop      // drive the sockets of clients and of connections to nodes
	cluster  *backend.Cluster     // connections to the db nodes
	standing *client.Router       // this incarnation: its account, the rules, ids; made once a master has answered
	router   *router.Router       // sessions
	front    *sqlfront.Server     // MySQL clients
	ready    atomic.Pointer[router.Router]
}

// buildRouter makes the parts that need no master. Nothing runs yet.
func buildRouter(config RouterConfig, log *slog.Logger, level *slog.LevelVar) (*routerParts, error) {
	p := &routerParts{config: config, log: log, level: level}

	p.registry = prometheus.NewRegistry()
	p.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	adminToken, err := readToken(config.AdminTokenFile)
	if err != nil {
		return nil, err
	}
	p.admin = &router.Admin{Addr: config.Admin, Token: adminToken, Gatherer: p.registry, Logger: log, Ready: p.isReady}

	token, err := readToken(config.TokenFile)
	if err != nil {
		return nil, err
	}
	masterTLS, err := trusting(config.MasterCAFile)
	if err != nil {
		return nil, err
	}
	p.master, err = client.New(client.Config{URLs: config.Master, Token: token, TLS: masterTLS, Actor: "router " + config.Name, Log: log})
	if err != nil {
		return nil, misuse{err}
	}

	if p.loops, err = config.makeLoops(p.registry); err != nil {
		return nil, err
	}
	nodes := config.Nodes
	nodes.Loops, nodes.Shards = p.loops, max(len(p.loops), 1)
	nodes.Logger, nodes.Registry = log, p.registry
	if nodes.TLS, err = trusting(config.NodeCAFile); err != nil {
		return nil, err
	}
	p.cluster, err = backend.New(nodes)
	return p, err
}

// run starts the parts and returns when ctx has ended and clients have been drained, or when a part has failed.
func (p *routerParts) run(ctx context.Context) error {
	// What clients' statements need outlives the front end.
	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	g, inner := errgroup.WithContext(inner)
	if p.config.Admin != "" {
		g.Go(func() error { return p.admin.Run(inner) })
	}
	for _, l := range p.loops {
		g.Go(func() error { return l.Run(inner) })
	}
	g.Go(func() error { return p.cluster.Run(inner) })
	g.Go(func() error {
		defer stop()
		serving, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(inner, cancel)() // a part that failed ends the front end, too
		return p.serve(serving, inner, g)
	})
	return g.Wait()
}

// serve registers at a master, which it waits for, and then lets clients in.
func (p *routerParts) serve(ctx, inner context.Context, g *errgroup.Group) error {
	var err error
	p.standing, err = p.master.Register(ctx, client.RouterInfo{
		Name: p.config.Name, Addr: strings.Join(p.config.Listen, ","), Version: version(), OnReplaced: p.replaced,
		Statements: func() uint64 {
			if r := p.ready.Load(); r != nil {
				return r.Statements()
			}
			return 0
		},
	})
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("register at the master: %w", err)
	}
	hostname, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("find this machine's name: %w", err)
	}
	p.router, err = router.New(router.Config{
		Catalog: p.standing, Definer: p.master, IDs: p.standing, Cluster: p.cluster,
		Planner: plan.New(plan.Config{CacheBytes: p.config.PlanCache}), Limits: p.config.Limits,
		Hostname: hostname, Port: portOf(p.config.Listen), Logger: p.log, Registerer: p.registry,
	})
	if err != nil {
		return err
	}
	if err := p.router.SetNumber(p.standing.Registration().Router); err != nil {
		return err
	}
	p.ready.Store(p.router)
	g.Go(func() error { return p.standing.Run(inner) })
	g.Go(func() error { return p.router.Watch(inner, p.credential) })

	front, err := p.config.front(ctx)
	if err != nil {
		return err
	}
	front.Logger, front.Registerer, front.Loops = p.log, p.registry, p.loops
	if p.front, err = sqlfront.New(front, p.router); err != nil {
		return err
	}
	p.log.InfoContext(ctx, "router takes clients", "listen", p.config.Listen, "router", p.standing.Registration().Router)
	return p.front.Run(ctx)
}

// replaced takes over a new incarnation's account after the old one was ended.
func (p *routerParts) replaced(r client.Registration) {
	p.log.Warn("this router's incarnation was ended; it goes on as a new one", "incarnation", r.Incarnation, "router", r.Router)
	router := p.ready.Load()
	if router == nil {
		return
	}
	if err := router.SetNumber(r.Router); err != nil {
		p.log.Error("new incarnation", "error", err)
	}
	if snap := p.standing.Current(); snap != nil {
		p.cluster.Update(snap.Nodes, backend.Credential{User: r.Account, Password: r.Password})
	}
}

func (p *routerParts) credential() backend.Credential {
	r := p.standing.Registration()
	return backend.Credential{User: r.Account, Password: r.Password}
}

// isReady says why clients can't be served yet.
func (p *routerParts) isReady() error {
	if r := p.ready.Load(); r != nil {
		return r.Ready()
	}
	return errors.New("waiting for a master")
}

// front makes the front end's configuration and opens its listeners.
func (c *RouterConfig) front(ctx context.Context) (sqlfront.Config, error) {
	f := sqlfront.Default()
	b := c.Clients
	f.MaxConnections, f.MaxUserConnections, f.MaxConnectErrors = b.MaxConnections, b.MaxUserConnections, b.MaxConnectErrors
	f.MaxPacket, f.MaxStatements, f.HandshakeTimeout = b.MaxPacket, b.MaxStatements, b.HandshakeTimeout
	f.IdleTimeout, f.WriteTimeout, f.DrainTimeout = b.IdleTimeout, b.WriteTimeout, b.DrainTimeout
	f.RequireTLS = c.TLS.Require
	var err error
	if f.TLS, err = c.TLS.server(); err != nil {
		return f, err
	}
	f.Listeners, err = listen(ctx, c.Listen)
	return f, err
}

// reload takes over the settings that may change while the router runs.
func (p *routerParts) reload(config RouterConfig) error {
	if err := config.Validate(); err != nil {
		return err
	}
	level, err := config.Log.level()
	if err != nil {
		return err
	}
	p.level.Set(level)
	if r := p.ready.Load(); r != nil {
		r.SetLimits(config.Limits)
	}
	return nil
}

// listen opens every address; a port that is taken is named.
func listen(ctx context.Context, addrs []string) ([]net.Listener, error) {
	var lc net.ListenConfig
	var out []net.Listener
	for _, a := range addrs {
		network := "tcp"
		if strings.HasPrefix(a, "/") || strings.HasPrefix(a, ".") {
			network = "unix"
		}
		l, err := lc.Listen(ctx, network, a)
		if err != nil {
			errs := []error{fmt.Errorf("listen for clients on %s: %w", a, err)}
			for _, open := range out {
				errs = append(errs, open.Close())
			}
			return nil, errors.Join(errs...)
		}
		out = append(out, l)
	}
	return out, nil
}

// portOf is the first TCP port that clients connect to.
func portOf(addrs []string) int {
	for _, a := range addrs {
		if _, port, err := net.SplitHostPort(a); err == nil {
			if n, err := strconv.Atoi(port); err == nil {
				return n
			}
		}
	}
	return 0
}

// server reads the certificate that clients see.
func (c ClientTLSConfig) server() (*tls.Config, error) {
	if c.CertFile == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("read the certificate for clients: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}, nil
}

// trusting makes TLS settings that trust one authority; nil without a file.
func trusting(caFile string) (*tls.Config, error) {
	if caFile == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("read the authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", caFile)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

// readToken reads a secret from a file; "" without a file.
func readToken(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read a token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("the token file %s is empty", file)
	}
	return token, nil
}
