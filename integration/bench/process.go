//go:build linux

package main

import (
	"fmt"
	"os"
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

// resident is a process's memory, in bytes.
func resident(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for _, line := range strings.Split(string(text), "\n") {
		if v, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(v), "kB")), 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no VmRSS", pid)
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
