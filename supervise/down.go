package supervise

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ballast/dbserver"
)

// downWithin bounds the orderly end of all roles; after it processes are killed.
const downWithin = 60 * time.Second

// Down stops the cluster and returns when every process is gone; the data stays. It is not an error if none runs.
func Down(ctx context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	if _, err := os.Stat(o.home()); err != nil {
		return o.say("there is no cluster in %s", o.Dir)
	}
	unlock, err := dbserver.Lock(ctx, o.path("up.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if err := down(ctx, o); err != nil {
		return err
	}
	return o.say("stopped; the data is kept in %s (make clean removes it)", o.home())
}

// Clean stops the cluster and removes its data, logs and token.
func Clean(ctx context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	if _, err := os.Stat(o.home()); err != nil {
		return o.say("there is nothing to remove in %s", o.Dir)
	}
	unlock, err := dbserver.Lock(ctx, o.path("up.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if err := down(ctx, o); err != nil {
		return err
	}
	if err := os.RemoveAll(o.home()); err != nil {
		return fmt.Errorf("remove the cluster's folder: %w", err)
	}
	return o.say("removed %s", o.home())
}

// down ends the supervisor, which ends its roles; what is left after that is ended one by one.
func down(ctx context.Context, o Options) error {
	if err := o.endSupervisor(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		left := o.leftovers()
		if len(left) == 0 {
			return nil
		}
		for _, pid := range left {
			// It may end by itself meanwhile.
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return errNotStopped.Wrap(err, fmt.Sprint(left))
			}
		}
		select {
		case <-ctx.Done():
			return errNotStopped.Wrap(ctx.Err(), fmt.Sprint(left))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (o Options) endSupervisor(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, downWithin)
	defer cancel()
	signal := syscall.SIGTERM
	for {
		running, err := o.supervised()
		if err != nil || !running {
			return err
		}
		pid, err := o.supervisorPID()
		if err != nil {
			return err
		}
		if pid > 0 && signal != 0 {
			if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
				return errNotStopped.Wrap(err, fmt.Sprint(pid))
			}
			signal = 0 // once is enough
		}
		select {
		case <-ctx.Done():
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return errNotStopped.Wrap(err, fmt.Sprint(pid))
			}
			return nil
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// supervisorPID reads the supervisor's process id; 0 while it has not written it.
func (o Options) supervisorPID() (int, error) {
	text, err := os.ReadFile(o.path("supervisor.pid"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the supervisor's process id: %w", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("read the supervisor's process id: %w", err)
	}
	return pid, nil
}

// leftovers lists processes that work in the cluster's folder. The kernel ends a supervisor's children with it, so that there are
// some only for a moment, or where there is no such kernel.
func (o Options) leftovers() []int {
	// The pattern is constant, so Glob can't fail.
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return nil
	}
	var pids []int
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !belongs(string(text), o.home()) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// belongs tells by a command line whether a process is one of the cluster's: a server with its data folder there, or a role
// with its configuration there.
func belongs(cmdline, home string) bool {
	for arg := range strings.SplitSeq(cmdline, "\x00") {
		if strings.HasPrefix(arg, "--datadir="+home+"/") || strings.HasPrefix(arg, "--config="+home+"/") {
			return true
		}
	}
	return false
}
