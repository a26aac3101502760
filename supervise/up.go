package supervise

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ballast/dbserver"
)

// readyWithin bounds how long Up waits for all roles; a first start with a prepared server takes about five seconds.
const readyWithin = 90 * time.Second

// Up brings the local cluster up, or finds it running, and prints its page. Whatever step fails, the error says which and why.
func Up(ctx context.Context, o Options) error {
	asked := o.Ports
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.path("logs"), 0o755); err != nil {
		return fmt.Errorf("make the folder of the cluster: %w", err)
	}
	// Two people who type make up at once: the second waits and then finds the cluster running.
	unlock, err := dbserver.Lock(ctx, o.path("up.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if o.Flavour, err = o.settleFlavour(); err != nil {
		return err
	}
	if o.Ports, err = o.settlePorts(asked); err != nil {
		return err
	}
	running, err := o.supervised()
	if err != nil {
		return err
	}
	if running {
		err = o.furnish(ctx)
		running = !errors.Is(err, errSupervisorGone)
	}
	if !running { // or it was just about to end
		if err := o.launch(ctx); err != nil {
			return err
		}
		err = o.furnish(ctx)
	}
	if errors.Is(err, errPassword) {
		return o.say("Ballast is up; root has a password, so the page with the sample's rows is left out\n\n  connect      host 127.0.0.1, port %d, user root, with that password", o.Ports.Router)
	}
	if err != nil {
		return err
	}
	return o.page(ctx)
}

// settleFlavour gives the flavour of the data that is there, or notes the wanted one.
func (o Options) settleFlavour() (dbserver.Flavour, error) {
	text, err := os.ReadFile(o.path("flavour"))
	if errors.Is(err, fs.ErrNotExist) {
		flavour := o.Flavour
		if flavour == "" {
			flavour = dbserver.MySQL
		}
		if err := os.WriteFile(o.path("flavour"), []byte(flavour+"\n"), 0o644); err != nil {
			return "", fmt.Errorf("note the flavour: %w", err)
		}
		return flavour, nil
	}
	if err != nil {
		return "", fmt.Errorf("read the flavour: %w", err)
	}
	have, err := dbserver.ParseFlavour(string(text))
	if err != nil {
		return "", err
	}
	if o.Flavour != "" && o.Flavour != have {
		return "", errOtherFlavour.New(o.home(), have.Title(), o.Flavour.Title())
	}
	return have, nil
}

// settlePorts gives the ports of the data that is there, whose nodes are registered by them, else the wanted ones. Nothing asked means whatever
// they are.
func (o Options) settlePorts(asked Ports) (Ports, error) {
	text, err := os.ReadFile(o.path("ports"))
	if errors.Is(err, fs.ErrNotExist) {
		return o.Ports, nil
	}
	if err != nil {
		return Ports{}, fmt.Errorf("read the ports: %w", err)
	}
	have, err := ParsePorts(strings.TrimSpace(string(text)))
	if err != nil {
		return Ports{}, err
	}
	if asked.Router != 0 && asked.String() != have.String() {
		return Ports{}, errOtherPorts.New(o.home(), have, asked)
	}
	return have, nil
}

// launch prepares what takes long or may fail, starts the supervisor and waits until the cluster is ready.
func (o Options) launch(ctx context.Context) error {
	if err := o.clearWreck(ctx); err != nil {
		return err
	}
	if err := o.checkPorts(); err != nil {
		return err
	}
	if err := os.WriteFile(o.path("ports"), []byte(o.Ports.String()+"\n"), 0o644); err != nil {
		return fmt.Errorf("note the ports: %w", err)
	}
	find := o.findOptions()
	var sayErr error
	find.Progress = func(line string) { sayErr = errors.Join(sayErr, o.say("  %s", line)) }
	install, err := dbserver.Find(ctx, find)
	if err != nil {
		return err
	}
	if _, err := install.Template(ctx, find.Progress); err != nil {
		return err
	}
	if err := errors.Join(sayErr, ensureSecret(o.tokenFile()), ensureSecret(o.path("seal.key")), o.writeConfigs(), o.clientScript(install)); err != nil {
		return err
	}
	if err := o.say("starting %s %s (%s): metadata server, %d nodes, master, router", o.Flavour.Title(), install.Version, install.Origin, len(o.Ports.Nodes)); err != nil {
		return err
	}
	ended, err := o.spawn()
	if err != nil {
		return err
	}
	if err := o.awaitReady(ctx, ended); err != nil {
		// What is half up would hold ports and confuse the next try.
		return errors.Join(err, down(context.WithoutCancel(ctx), o))
	}
	return nil
}

// clearWreck waits for the end of what a killed supervisor left: its children die with it, but not in the same moment, and a dying
// process has its ports until the last. A supervisor that ended in good order has taken its pid file away.
func (o Options) clearWreck(ctx context.Context) error {
	if _, err := os.Stat(o.path("supervisor.pid")); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := down(ctx, o); err != nil {
		return err
	}
	const enough = 5 * time.Second
	for began := time.Now(); o.checkPorts() != nil && time.Since(began) < enough; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil // what is in the way still is somebody else's, and is named next
}

// checkPorts names every port that is taken, with its owner.
func (o Options) checkPorts() error {
	errs := []error{
		dbserver.CheckPort(o.Ports.Router, "the router"), dbserver.CheckPort(o.Ports.RouterAdmin, "the router's admin page"),
		dbserver.CheckPort(o.Ports.Master, "the master"), dbserver.CheckPort(o.Ports.Metadata, "the metadata server"),
	}
	for i, port := range o.Ports.Nodes {
		errs = append(errs, dbserver.CheckPort(port, "node "+nodeName(i)))
	}
	return errors.Join(errs...)
}

// ensureSecret makes a file of random text, readable by its owner only: the token of the master's API, the key of the metadata's seal.
func ensureSecret(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.WriteFile(path, []byte(rand.Text()+rand.Text()+"\n"), 0o600); err != nil {
		return fmt.Errorf("make a secret: %w", err)
	}
	return nil
}

// spawn starts the supervisor as a process of its own session, which outlives this one and its terminal. The channel is closed
// should it end while this process still runs.
func (o Options) spawn() (<-chan struct{}, error) {
	args := []string{"supervise", "--dir", o.Dir, "--server", o.Flavour.String(), "--ports", o.Ports.String()}
	cmd := exec.Command(o.Program, args...) //nolint:noctx // the process outlives the call
	cmd.Dir = o.home()
	out, err := os.OpenFile(o.path("logs", "supervisor.out"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the supervisor's log: %w", err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := errors.Join(removeIfThere(o.path("status.json")), cmd.Start(), out.Close()); err != nil {
		return nil, fmt.Errorf("start the supervisor: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := cmd.Wait(); err != nil {
			return // its own log tells why
		}
	}()
	return ended, nil
}

// awaitReady returns when all roles are ready. It gives up when the supervisor ends, when a role fails for the third time, or too late.
func (o Options) awaitReady(ctx context.Context, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for {
		status, running, err := Status(o)
		if err != nil {
			return err
		}
		if running && status.ready() {
			return nil
		}
		for _, r := range status.Roles {
			if r.State == StateDown && r.Restarts >= 3 {
				return errRoleDown.New(r.Name, r.LastError, o.logFile(r.Name))
			}
		}
		select {
		case <-ended:
			return errSupervisor.New(o.lastLine("supervisor.out"))
		case <-ctx.Done():
			return o.notReady(status, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (o Options) notReady(status ClusterStatus, cause error) error {
	for _, r := range status.Roles {
		if r.State != StateReady {
			return errRoleDown.Wrap(cause, r.Name, "it is "+string(r.State)+" "+r.LastError, o.logFile(r.Name))
		}
	}
	return errSupervisor.Wrap(cause, "it wrote no status")
}

func (o Options) lastLine(log string) string {
	text, err := os.ReadFile(o.path("logs", log))
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
