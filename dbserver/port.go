package dbserver

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// CheckPort fails if the TCP port on 127.0.0.1 can't be listened on; the error names who wanted it and, where the system tells, the
// program that has it.
func CheckPort(port int, wantedBy string) error {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))) //nolint:noctx // a local listen does not wait
	if err == nil {
		return l.Close()
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("listen on port %d for %s: %w", port, wantedBy, err)
	}
	owner := ""
	if pid, name := portOwner(port); pid != 0 {
		owner = fmt.Sprintf(" by %s (process %d)", name, pid)
	}
	return errPortTaken.Wrap(err, port, wantedBy, owner)
}

// Free ports come from below the range from which systems take ports for outgoing connections, which would otherwise get in between.
const (
	firstFreePort = 15000
	lastFreePort  = 31999
)

// FreePort gives a TCP port of 127.0.0.1 that nothing listens on, and that no other call gives out, in whatever process, while this
// process lives: tests that start many servers side by side do not step on one another.
func FreePort() (int, error) {
	base, err := FastTempDir()
	if err != nil {
		return 0, err
	}
	dir := filepath.Join(base, "ports")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	for range 1000 {
		port := firstFreePort + rand.IntN(lastFreePort-firstFreePort+1)
		fd, err := reserve(filepath.Join(dir, strconv.Itoa(port)))
		if err != nil {
			continue // another process has it
		}
		if CheckPort(port, "a test") == nil {
			return port, nil
		}
		if err := syscall.Close(fd); err != nil {
			return 0, fmt.Errorf("find a free port: %w", err)
		}
	}
	return 0, errors.New("find a free port: none of a thousand is free")
}

// reserve locks a file until this process ends; the descriptor is left open for that.
func reserve(path string) (fd int, err error) {
	fd, err = syscall.Open(path, syscall.O_CREAT|syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return 0, err
	}
	if err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return 0, errors.Join(err, syscall.Close(fd))
	}
	return fd, nil
}

// portOwner finds the process that listens on a port, by Linux's /proc; 0 where that can't be told (another system, another user).
func portOwner(port int) (pid int, name string) {
	inodes := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for inode := range listeningInodes(string(text), port) {
			inodes["socket:["+inode+"]"] = true
		}
	}
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil || len(inodes) == 0 {
		return 0, ""
	}
	for _, link := range links {
		target, err := os.Readlink(link)
		if err != nil || !inodes[target] {
			continue
		}
		dir := filepath.Dir(filepath.Dir(link))
		if pid, err = strconv.Atoi(filepath.Base(dir)); err != nil {
			continue
		}
		return pid, processName(dir)
	}
	return 0, ""
}

// listeningInodes reads a table of /proc/net: the sockets that listen on the port.
func listeningInodes(table string, port int) map[string]bool {
	const listening = "0A"
	inodes := map[string]bool{}
	lines := bufio.NewScanner(strings.NewReader(table))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) > 9 && fields[3] == listening && strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", port)) {
			inodes[fields[9]] = true
		}
	}
	return inodes
}

// processName gives the program's file name; of a program run through a loader, that program's.
func processName(proc string) string {
	text, err := os.ReadFile(filepath.Join(proc, "cmdline"))
	if err != nil {
		return "a program"
	}
	args := strings.Split(string(text), "\x00")
	if strings.HasPrefix(filepath.Base(args[0]), "ld-linux") && len(args) > 3 {
		return filepath.Base(args[3])
	}
	return filepath.Base(args[0])
}
