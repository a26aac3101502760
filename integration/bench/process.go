//go:build linux

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cpu is the processor time that a process has used, all its threads together; 0 is no process.
func cpu(pid int) (time.Duration, error) {
	if pid == 0 {
		return 0, nil
	}
	const scheduled = 2 // the clock of time on a processor, as the scheduler counts it
	var at unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &at); err != nil {
		return 0, fmt.Errorf("read the processor time of process %d: %w", pid, err)
	}
	return time.Duration(at.Nano()), nil
}

// usage is what a process has used so far: processor time, and how often its threads went to sleep.
type usage struct {
	cpu    time.Duration
	sleeps int64
}

// used reads a process's usage; 0 is no process, which uses nothing.
func used(pid int) (usage, error) {
	var u usage
	var err error
	if u.cpu, err = cpu(pid); err != nil || pid == 0 {
		return u, err
	}
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil {
		return u, err
	}
	for _, file := range threads {
		of, err := counts(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ESRCH) { // a thread may have ended
			return u, err
		}
		u.sleeps += of["voluntary_ctxt_switches"]
	}
	return u, nil
}

// since is what was used after an earlier look.
func (u usage) since(before usage) usage { return usage{u.cpu - before.cpu, u.sleeps - before.sleeps} }

// counts reads a file of lines "name: number", as the kernel writes them; other lines are left out.
func counts(file string) (map[string]int64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64); err == nil {
			out[name] = n
		}
	}
	return out, nil
}

// resident is a process's memory, in bytes.
func resident(pid int) (int64, error) {
	of, err := counts(fmt.Sprintf("/proc/%d/status", pid))
	return of["VmRSS"] << 10, err
}

// descriptors is how many descriptors a process of this program may have open: the hard limit, which Go programs raise theirs to.
func descriptors() (int, error) {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return 0, fmt.Errorf("read the limit of descriptors: %w", err)
	}
	return int(min(l.Max, 1<<30)), nil
}

// raiseDescriptors lets this process, and those it starts, have as many descriptors as the system allows. Go does it for itself when it
// starts but gives its children the old limit, which is too small for a database server.
func raiseDescriptors() error {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return fmt.Errorf("read the limit of descriptors: %w", err)
	}
	l.Cur = l.Max
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return fmt.Errorf("raise the limit of descriptors: %w", err)
	}
	return nil
}
