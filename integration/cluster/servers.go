package cluster

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"ballast/dbserver"
)

// Shape says which servers a test wants.
type Shape struct {
	// Nodes is the number of db nodes. Default 4.
	Nodes int
	// Metadata asks for a metadata server.
	Metadata bool
	// Plain asks for one plain server, the reference of differential tests.
	Plain bool
	// PerformanceSchema switches it on, on all servers.
	PerformanceSchema bool
	// Flags are further command line flags of all servers, separated by spaces; they win over the usual ones.
	Flags string
}

// Node is a running server with its link.
type Node struct {
	*dbserver.Server
	// Link is how Ballast reaches the server.
	Link *Link
	// DB is a pool of administrator connections that goes around the link.
	DB *sql.DB
}

// Servers is a running set. Metadata and Plain are nil if they were not asked for.
type Servers struct {
	Flavour  dbserver.Flavour
	Install  *dbserver.Install
	Dir      string
	Nodes    []*Node
	Metadata *Node
	Plain    *Node
}

// Flavour gives the flavour that the environment's BALLAST_SERVER asks for; MySQL if it says nothing.
func Flavour() (dbserver.Flavour, error) { return dbserver.ParseFlavour(os.Getenv("BALLAST_SERVER")) }

// StartServers starts a set; Close ends it. Most tests take a set from a Pool instead.
func StartServers(ctx context.Context, shape Shape) (*Servers, error) {
	flavour, err := Flavour()
	if err != nil {
		return nil, err
	}
	return StartFlavour(ctx, flavour, shape)
}

// StartFlavour is StartServers with a flavour that does not come from the environment.
func StartFlavour(ctx context.Context, flavour dbserver.Flavour, shape Shape) (*Servers, error) {
	install, err := dbserver.Find(ctx, dbserver.FindOptions{Flavour: flavour, Progress: progress})
	if err != nil {
		return nil, err
	}
	if _, err := install.Template(ctx, progress); err != nil {
		return nil, err
	}
	dir, err := makeDir()
	if err != nil {
		return nil, err
	}
	if shape.Nodes == 0 {
		shape.Nodes = 4
	}
	s := &Servers{Flavour: flavour, Install: install, Dir: dir}
	var all []**Node
	var names []string
	s.Nodes = make([]*Node, shape.Nodes)
	for i := range s.Nodes {
		all, names = append(all, &s.Nodes[i]), append(names, fmt.Sprintf("n%d", i))
	}
	if shape.Metadata {
		all, names = append(all, &s.Metadata), append(names, "metadata")
	}
	if shape.Plain {
		all, names = append(all, &s.Plain), append(names, "plain")
	}
	var wait sync.WaitGroup
	errs := make([]error, len(all))
	for i, place := range all {
		wait.Go(func() { *place, errs[i] = startNode(ctx, install, shape, filepath.Join(dir, names[i]), uint32(i+1)) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// progress shows long steps of a test run (a download) on standard error.
func progress(line string) { fmt.Fprintln(os.Stderr, line) }

func startNode(ctx context.Context, install *dbserver.Install, shape Shape, dir string, id uint32) (*Node, error) {
	const tries = 3 // a free port may be taken by another program before the server has it
	var err error
	for range tries {
		var port int
		if port, err = dbserver.FreePort(); err != nil {
			return nil, err
		}
		srv := dbserver.New(dbserver.ServerConfig{
			Install: install, Dir: dir, Port: port, ServerID: id, PerformanceSchema: shape.PerformanceSchema, Extra: strings.Fields(shape.Flags),
		})
		if err = srv.Init(ctx); err != nil {
			return nil, err
		}
		if err = srv.Start(ctx); err == nil {
			return newNode(srv)
		}
	}
	return nil, err
}

func newNode(srv *dbserver.Server) (*Node, error) {
	n := &Node{Server: srv}
	var err error
	if n.Link, err = NewLink(srv.Addr()); err != nil {
		return nil, errors.Join(err, n.close())
	}
	if n.DB, err = srv.Open(""); err != nil {
		return nil, errors.Join(err, n.close())
	}
	return n, nil
}

func (n *Node) close() error {
	var errs []error
	if n.DB != nil {
		errs = append(errs, n.DB.Close())
	}
	if n.Link != nil {
		errs = append(errs, n.Link.Close())
	}
	n.Kill()
	return errors.Join(errs...)
}

// All lists every server of the set.
func (s *Servers) All() []*Node {
	var all []*Node
	for _, n := range append(append([]*Node{}, s.Nodes...), s.Metadata, s.Plain) {
		if n != nil {
			all = append(all, n)
		}
	}
	return all
}

// Close kills all servers, removes their data, and fails if a process is left.
func (s *Servers) Close() error {
	var errs []error
	for _, n := range s.All() {
		errs = append(errs, n.close())
	}
	errs = append(errs, noProcess(s.Dir), os.RemoveAll(s.Dir))
	return errors.Join(errs...)
}

// Wipe brings all servers back to the state in which they started, as far as tests can change it: running, reachable, without
// schemas and accounts of their own.
func (s *Servers) Wipe(ctx context.Context) error {
	var wait sync.WaitGroup
	all := s.All()
	errs := make([]error, len(all))
	for i, n := range all {
		wait.Go(func() { errs[i] = n.wipe(ctx) })
	}
	wait.Wait()
	return errors.Join(errs...)
}

func (n *Node) wipe(ctx context.Context) error {
	n.Resume()
	n.Link.Set(Cut)
	if err := n.Start(ctx); err != nil {
		return err
	}
	if err := endForeignBranches(ctx, n.DB); err != nil {
		return fmt.Errorf("wipe %s: %w", n.Name(), err)
	}
	schemas, err := column(ctx, n.DB, `SELECT schema_name FROM information_schema.schemata
		WHERE schema_name NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')`)
	if err != nil {
		return fmt.Errorf("wipe %s: %w", n.Name(), err)
	}
	for _, schema := range schemas {
		if _, err := n.DB.ExecContext(ctx, "DROP DATABASE IF EXISTS "+quoteName(schema)); err != nil {
			return fmt.Errorf("wipe %s: %w", n.Name(), err)
		}
	}
	accounts, err := column(ctx, n.DB, `SELECT CONCAT(QUOTE(user), '@', QUOTE(host)) FROM mysql.user
		WHERE user NOT LIKE 'mysql.%' AND user NOT LIKE 'mariadb.%' AND NOT (user = 'root' AND host IN ('localhost', '127.%'))`)
	if err != nil {
		return fmt.Errorf("wipe %s: %w", n.Name(), err)
	}
	for _, account := range accounts {
		if _, err := n.DB.ExecContext(ctx, "DROP USER "+account); err != nil {
			return fmt.Errorf("wipe %s: %w", n.Name(), err)
		}
	}
	n.Link.Set(Open)
	return nil
}

// endForeignBranches kills other sessions, whose locks would hold up what follows, and rolls back prepared transactions.
func endForeignBranches(ctx context.Context, db *sql.DB) error {
	sessions, err := column(ctx, db, "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND user NOT IN ('system user', 'event_scheduler')")
	if err != nil {
		return err
	}
	for _, id := range sessions {
		// A session may end by itself first.
		if _, err := db.ExecContext(ctx, "KILL "+id); err != nil && !isNumber(err, 1094) {
			return err
		}
	}
	rows, err := db.QueryContext(ctx, "XA RECOVER CONVERT XID")
	if err != nil {
		rows, err = db.QueryContext(ctx, "XA RECOVER FORMAT='SQL'") // MariaDB's word for it
	}
	if err != nil {
		return err
	}
	defer func() { quiet(rows.Close()) }()
	var branches []string
	for rows.Next() {
		var format, gtridLen, bqualLen int
		var data string
		if err := rows.Scan(&format, &gtridLen, &bqualLen, &data); err != nil {
			return err
		}
		if hex, ok := strings.CutPrefix(data, "0x"); ok {
			data = fmt.Sprintf("X'%s',X'%s',%d", hex[:2*gtridLen], hex[2*gtridLen:], format)
		}
		branches = append(branches, data)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, branch := range branches {
		if _, err := db.ExecContext(ctx, "XA ROLLBACK "+branch); err != nil {
			return err
		}
	}
	return nil
}

// makeDir makes the folder of a set, named after this process; folders of processes that are gone are removed on the way.
func makeDir() (string, error) {
	base, err := dbserver.FastTempDir()
	if err != nil {
		return "", err
	}
	old, err := filepath.Glob(filepath.Join(base, "cluster-*"))
	if err != nil {
		return "", fmt.Errorf("look for old folders: %w", err)
	}
	for _, dir := range old {
		var pid int
		if _, err := fmt.Sscanf(filepath.Base(dir), "cluster-%d-", &pid); err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			if err := os.RemoveAll(dir); err != nil {
				return "", fmt.Errorf("remove an old folder: %w", err)
			}
		}
	}
	dir, err := os.MkdirTemp(base, fmt.Sprintf("cluster-%d-", os.Getpid()))
	if err != nil {
		return "", fmt.Errorf("make the folder of a cluster: %w", err)
	}
	return dir, nil
}
