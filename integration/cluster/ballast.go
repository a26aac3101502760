package cluster

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
	"go.yaml.in/yaml/v3"

	"ballast/dbserver"
	"ballast/master/api"
	"ballast/master/client"
	"ballast/rules/catalog"
)

// token and sealKey are the secrets of test clusters.
const (
	token   = "a-token-for-tests-only-0123456789abcdef"
	sealKey = "a-key-for-tests-only-0123456789abcdefgh"
)

// Ballast is masters and routers of the real binary over a set of servers, which have a metadata server among them. Clients log in as
// root without a password.
type Ballast struct {
	Servers *Servers
	Masters []*Daemon
	Routers []*Daemon
	// Client speaks with whichever master leads.
	Client *client.Client
}

// Size says how many masters and routers are wanted; zeros mean one.
type Size struct {
	Masters, Routers int
	// Direct registers the nodes by their own addresses and not by their links, for measurements.
	Direct bool
	// Router holds further settings of the routers, as YAML; they win over the usual ones.
	Router string
}

// StartBallast starts masters and routers, registers the nodes (by their links) and the account root, and returns when every router
// answers. The servers must be fresh or wiped.
func StartBallast(ctx context.Context, s *Servers, size Size) (*Ballast, error) {
	if s.Metadata == nil {
		return nil, errors.New("a master needs a metadata server: ask for Shape{Metadata: true}")
	}
	b := &Ballast{Servers: s}
	if err := b.start(ctx, size); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *Ballast) start(ctx context.Context, size Size) error {
	program, err := buildProgram(ctx)
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"token": token, "seal.key": sealKey} {
		if err := os.WriteFile(filepath.Join(b.Servers.Dir, name), []byte(text+"\n"), 0o600); err != nil {
			return fmt.Errorf("write a secret: %w", err)
		}
	}
	for i := range max(size.Masters, 1) {
		if err := b.addMaster(program, i+1); err != nil {
			return err
		}
	}
	for i := range max(size.Routers, 1) {
		if err := b.addRouter(program, i+1, size.Router); err != nil {
			return err
		}
	}
	if b.Client, err = client.New(client.Config{URLs: b.masterURLs(), Token: token, Actor: "test"}); err != nil {
		return err
	}
	for _, m := range b.Masters {
		if err := m.Start(ctx); err != nil {
			return err
		}
	}
	if err := b.register(ctx, size.Direct); err != nil {
		return err
	}
	var wait sync.WaitGroup
	errs := make([]error, len(b.Routers))
	for i, r := range b.Routers {
		wait.Go(func() { errs[i] = r.Start(ctx) })
	}
	wait.Wait()
	return errors.Join(errs...)
}

func (b *Ballast) addMaster(program string, number int) error {
	port, err := dbserver.FreePort()
	if err != nil {
		return err
	}
	d := &Daemon{Name: fmt.Sprintf("master-%d", number), Addr: fmt.Sprintf("127.0.0.1:%d", port), program: program, dir: b.Servers.Dir}
	d.Admin = d.Addr
	d.ready = getOK(d.Addr + api.PathHealth)
	b.Masters = append(b.Masters, d)
	return d.configure("master", map[string]any{
		"meta": fmt.Sprintf("root@tcp(%s)/", b.Servers.Metadata.Link.Addr()), "key_file": filepath.Join(d.dir, "seal.key"), "listen": d.Addr,
		"token_file": filepath.Join(d.dir, "token"), "development": true,
	})
}

func (b *Ballast) addRouter(program string, number int, further string) error {
	port, err := dbserver.FreePort()
	if err != nil {
		return err
	}
	admin, err := dbserver.FreePort()
	if err != nil {
		return err
	}
	d := &Daemon{
		Name: fmt.Sprintf("router-%d", number), Addr: fmt.Sprintf("127.0.0.1:%d", port), Admin: fmt.Sprintf("127.0.0.1:%d", admin),
		program: program, dir: b.Servers.Dir,
	}
	d.ready = getOK(d.Admin + "/readyz")
	b.Routers = append(b.Routers, d)
	settings := map[string]any{
		"name": d.Name, "listen": []string{d.Addr}, "admin": d.Admin, "master": b.masterURLs(), "token_file": filepath.Join(d.dir, "token"),
	}
	if mode := os.Getenv("BALLAST_IO"); mode != "" {
		settings["io"] = mode
	}
	if err := yaml.Unmarshal([]byte(further), &settings); err != nil {
		return fmt.Errorf("read the further settings of the routers: %w", err)
	}
	return d.configure("router", settings)
}

func (b *Ballast) masterURLs() []string {
	var urls []string
	for _, m := range b.Masters {
		urls = append(urls, "http://"+m.Addr)
	}
	return urls
}

// configure writes the daemon's settings and its command line.
func (d *Daemon) configure(role string, settings map[string]any) error {
	text, err := yaml.Marshal(settings)
	if err != nil {
		return fmt.Errorf("write the settings of %s: %w", d.Name, err)
	}
	file := filepath.Join(d.dir, d.Name+".yaml")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return fmt.Errorf("write the settings of %s: %w", d.Name, err)
	}
	d.args = []string{role, "--config=" + file}
	return nil
}

// register makes the nodes and the account root known, once a master leads.
func (b *Ballast) register(ctx context.Context, direct bool) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	for {
		_, err := b.Client.Status(ctx)
		if err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no master leads: %w; it said last: %s", err, b.Masters[0].LastWords())
		case <-time.After(20 * time.Millisecond):
		}
	}
	for _, n := range b.Servers.Nodes {
		request := api.AddNodeRequest{Name: n.Name(), Addr: n.Link.Addr(), User: "root"}
		if direct {
			request.Addr = n.Addr()
		}
		if _, err := b.Client.AddNode(ctx, request); err != nil {
			return fmt.Errorf("register node %s: %w", n.Name(), err)
		}
	}
	root := api.UserRequest{Op: "add", Name: "root", Schema: "*", Rights: catalog.Read | catalog.Write | catalog.DDL | catalog.Admin}
	if err := b.Client.ChangeUser(ctx, root); err != nil {
		return fmt.Errorf("make the account root: %w", err)
	}
	return nil
}

// DriverConfig gives a configuration for go-sql-driver that logs in to the i-th router; the caller may change it.
func (b *Ballast) DriverConfig(i int) *mysql.Config {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr = "root", "tcp", b.Routers[i].Addr
	cfg.Logger = &mysql.NopLogger{}
	return cfg
}

// Open gives a pool of connections to the first router.
func (b *Ballast) Open(database string) (*sql.DB, error) {
	cfg := b.DriverConfig(0)
	cfg.DBName = database
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, fmt.Errorf("configure a connection to the router: %w", err)
	}
	return sql.OpenDB(connector), nil
}

// TokenFile gives the path of the file with the API's token, for rulectl.
func (b *Ballast) TokenFile() string { return filepath.Join(b.Servers.Dir, "token") }

// Heal makes everything run again after a test's faults: links open, servers and daemons up.
func (b *Ballast) Heal(ctx context.Context) error {
	for _, n := range b.Servers.All() {
		n.Resume()
		n.Link.Set(Open)
		if err := n.Start(ctx); err != nil {
			return err
		}
	}
	for _, d := range append(append([]*Daemon{}, b.Masters...), b.Routers...) {
		d.Resume()
		if err := d.Start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close kills masters and routers; the servers stay.
func (b *Ballast) Close() error {
	var errs []error
	for _, d := range append(append([]*Daemon{}, b.Routers...), b.Masters...) {
		d.Kill()
		errs = append(errs, d.races())
	}
	if b.Client != nil {
		b.Client.CloseIdle()
	}
	return errors.Join(errs...)
}

// getOK succeeds when the address answers 200.
func getOK(address string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		if err := resp.Body.Close(); err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answers %s", address, resp.Status)
		}
		return nil
	}
}

// buildProgram builds the ballast binary from this checkout into the checkout's cache; Go's own build cache makes that quick.
func buildProgram(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "ballast").Output()
	if err != nil {
		return "", fmt.Errorf("find the checkout: %w", err)
	}
	root := strings.TrimSpace(string(out))
	program := filepath.Join(root, ".cache", "test-bin", "ballast")
	if raceDetector() {
		program += "-race"
	}
	unlock, err := dbserver.Lock(ctx, program+".lock") // other test programs build too
	if err != nil {
		return "", err
	}
	defer unlock()
	args := []string{"build", "-o", program}
	if raceDetector() {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/ballast")...)
	cmd.Dir = root
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build ballast: %w\n%s", err, text)
	}
	return program, nil
}
