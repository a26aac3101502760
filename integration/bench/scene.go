//go:build linux

package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"ballast/integration/cluster"
)

// scene is everything that runs.
type scene struct {
	dir     string // of the certificate
	cert    *certificate
	servers *cluster.Servers
	ballast *cluster.Ballast
	relays  []*relayProcess
	middles []*middle
	version string
	io      string   // the router's I/O mode
	config  []string // what all middles have in common, and what each has of its own
}

// setup starts what the wanted middles need, and fills the tables.
func setup(ctx context.Context, o options, stderr io.Writer) (s *scene, err error) {
	s = &scene{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if err := raiseDescriptors(); err != nil {
		return s, err
	}
	if s.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return s, err
	}
	if s.cert, err = makeCertificate(s.dir); err != nil {
		return s, err
	}
	fmt.Fprintln(stderr, "starting servers …")
	withBallast := slices.Contains(o.middles, "ballast")
	flags := fmt.Sprintf("--max-connections=%d %s", o.mostClients()+serverSpare, s.cert.flags())
	if s.servers, err = cluster.StartFlavour(ctx, o.flavour, cluster.Shape{Nodes: 4, Metadata: withBallast, Flags: flags}); err != nil {
		return s, err
	}
	if err := s.describeServers(ctx, s.servers.Nodes[0].DB); err != nil {
		return s, err
	}
	if withBallast {
		size := cluster.Size{Direct: true, Router: fmt.Sprintf("clients: {max_connections: %d}\n", o.mostClients()+routerSpare) + s.cert.router() + o.router}
		if s.ballast, err = cluster.StartBallast(ctx, s.servers, size); err != nil {
			return s, err
		}
	}
	for i, name := range o.middles {
		m, err := s.addMiddle(name, o.rows)
		if err != nil {
			return s, err
		}
		m.nextID.Store(uint64(i+1) << 40) // those without Ballast insert into the same table
	}
	fmt.Fprintln(stderr, "filling tables …")
	if err := s.fillAll(ctx, o); err != nil {
		return s, err
	}
	return s, s.describeMiddles(ctx)
}

// serverSpare and routerSpare are connections beside those of the clients: for filling tables and looking, and for the client that comes
// while another's end is not yet noticed.
const (
	serverSpare = 1000
	routerSpare = 500
)

// describeServers reads the settings that matter for speed, for the report.
func (s *scene) describeServers(ctx context.Context, db *sql.DB) error {
	if err := db.QueryRowContext(ctx, "SELECT VERSION()").Scan(&s.version); err != nil {
		return err
	}
	var parts []string
	for _, name := range []string{
		"innodb_flush_log_at_trx_commit", "sync_binlog", "binlog_format", "innodb_doublewrite", "innodb_buffer_pool_size", "innodb_flush_method",
		"max_connections", "back_log", "table_open_cache", "thread_cache_size",
	} {
		var v string
		if err := db.QueryRowContext(ctx, "SELECT @@GLOBAL."+name).Scan(&v); err != nil {
			return err
		}
		parts = append(parts, name+"="+v)
	}
	s.config = append(s.config, "4 servers, data in "+s.servers.Dir+", all with "+strings.Join(parts, " "))
	return nil
}

// describeMiddles says what each middle has towards the servers.
func (s *scene) describeMiddles(ctx context.Context) error {
	s.config = append(s.config, "direct, relay, floor: one connection to a server per client; to each of the 4 servers for point_spread and scatter works")
	if s.ballast == nil {
		return nil
	}
	router, err := routerSettings(ctx, s.ballast.Routers[0].PID())
	if err != nil {
		return err
	}
	s.io = router.IO
	s.config = append(s.config, "ballast: 4 servers hold a quarter of the rows each, and all single rows asked for but those of point_spread are on the first, which the others use too; "+router.String())
	return nil
}

// close ends everything that was started.
func (s *scene) close() error {
	var errs []error
	for _, r := range s.relays {
		errs = append(errs, r.close())
	}
	if s.ballast != nil {
		errs = append(errs, s.ballast.Close())
	}
	if s.servers != nil {
		errs = append(errs, s.servers.Close())
	}
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}
