package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"ballast/dbserver/process"
)

// answerWithin and stopWithin bound a daemon's start and its orderly end.
const (
	answerWithin = 20 * time.Second
	stopWithin   = 15 * time.Second
)

// Daemon is one role of the real ballast binary: a master or a router.
type Daemon struct {
	// Name is master, router-1, router-2 …
	Name string
	// Addr is where it is spoken to: the API of a master, the MySQL port of a router. Admin is host:port of metrics and health.
	Addr, Admin string

	program string
	args    []string
	dir     string
	ready   func(ctx context.Context) error
	proc    *process.Process
}

// Start runs the daemon and returns when it answers. Its log is NAME.log in the cluster's folder.
func (d *Daemon) Start(ctx context.Context) error {
	if err := d.Launch(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	for {
		err := d.ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-d.proc.Exited():
			return fmt.Errorf("%s ended at once: %s", d.Name, d.proc.LastWords())
		case <-ctx.Done():
			d.proc.Kill()
			return fmt.Errorf("%s does not answer (%w); it said last: %s", d.Name, err, d.proc.LastWords())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Launch runs the daemon without waiting for its answer, for tests of a start that can't succeed yet.
func (d *Daemon) Launch() error {
	if d.proc.Alive() {
		return nil
	}
	out, err := os.OpenFile(d.LogFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open the log of %s: %w", d.Name, err)
	}
	cmd := exec.Command(d.program, d.args...) //nolint:noctx // the daemon outlives the call that starts it
	cmd.Dir = d.dir
	if d.proc, err = process.Start(cmd, out); err != nil {
		return fmt.Errorf("start %s: %w", d.Name, err)
	}
	return nil
}

// LogFile gives the path of the daemon's log.
func (d *Daemon) LogFile() string { return filepath.Join(d.dir, d.Name+".log") }

// Stop ends the daemon in good order.
func (d *Daemon) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	if err := d.proc.Stop(ctx); err != nil {
		return fmt.Errorf("stop %s: %w", d.Name, err)
	}
	return nil
}

// Restart stops and starts the daemon.
func (d *Daemon) Restart(ctx context.Context) error {
	return errors.Join(d.Stop(ctx), d.Start(ctx))
}

// Kill ends the daemon as a crash would.
func (d *Daemon) Kill() { d.proc.Kill() }

// Pause freezes the daemon; Resume lets it go on.
func (d *Daemon) Pause() { d.proc.Pause() }

// Resume undoes Pause.
func (d *Daemon) Resume() { d.proc.Resume() }

// Alive tells whether the process runs.
func (d *Daemon) Alive() bool { return d.proc.Alive() }

// PID gives the process id, or 0.
func (d *Daemon) PID() int { return d.proc.PID() }

// LastWords gives the end of what it wrote to its log.
func (d *Daemon) LastWords() string { return d.proc.LastWords() }
