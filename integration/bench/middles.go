//go:build linux

package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"

	"go.yaml.in/yaml/v3"
)

// middle is one way from a client to the rows.
type middle struct {
	name   string
	addr   string
	db     string
	pid    int // the process in the middle; 0 for none
	secure *tls.Config
	nodes  []string // addresses of all servers by way of the middle; none if the middle chooses the server
	rows   int      // in the table sbtest
	nextID atomic.Uint64
}

// addMiddle makes a middle, and starts it where nothing of it runs yet.
func (s *scene) addMiddle(name string, rows int) (*middle, error) {
	var nodes []string
	for _, n := range s.servers.Nodes {
		nodes = append(nodes, n.Addr())
	}
	m := &middle{name: name, db: plainDB, rows: rows, secure: s.cert.clients}
	switch name {
	case "direct":
		m.addr, m.nodes = nodes[0], nodes
	case "relay", "floor":
		r, err := startRelay(name, nodes)
		if err != nil {
			return nil, err
		}
		s.relays = append(s.relays, r)
		m.addr, m.nodes, m.pid = r.addrs[0], r.addrs, r.cmd.Process.Pid
	case "ballast":
		m.addr, m.db, m.pid = s.ballast.Routers[0].Addr, ballastDB, s.ballast.Routers[0].PID()
	default:
		return nil, fmt.Errorf("there is no middle %q; there are direct, relay, floor, ballast", name)
	}
	s.middles = append(s.middles, m)
	return m, nil
}

// relayProcess is this program again, as a relay.
type relayProcess struct {
	cmd   *exec.Cmd
	life  io.Closer // the relay ends when this is closed
	addrs []string  // one for each target
}

func startRelay(name string, targets []string) (*relayProcess, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r := &relayProcess{cmd: exec.Command(self, append([]string{name}, targets...)...)} //nolint:noctx // ended by close
	r.cmd.Stderr = os.Stderr
	if r.life, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for len(r.addrs) < len(targets) {
		if !lines.Scan() {
			return nil, errors.Join(fmt.Errorf("the %s says nothing", name), lines.Err(), r.close())
		}
		r.addrs = append(r.addrs, lines.Text())
	}
	return r, nil
}

func (r *relayProcess) close() error { return errors.Join(r.life.Close(), r.cmd.Wait()) }

// settings are what the router says of how it serves sockets and how many connections it may have.
type settings struct {
	IO    string         `yaml:"io"`
	Loops int            `yaml:"loops"` // 0: one per processor
	Nodes map[string]any `yaml:"nodes"`
}

func (r settings) String() string {
	parts := []string{"io=" + r.IO, fmt.Sprintf("loops=%d", r.Loops)}
	for _, key := range slices.Sorted(maps.Keys(r.Nodes)) {
		parts = append(parts, fmt.Sprintf("%s=%v", key, r.Nodes[key]))
	}
	return strings.Join(parts, " ")
}

// routerSettings asks a running router's program for its settings.
func routerSettings(ctx context.Context, pid int) (settings, error) {
	r := settings{IO: "goroutine"}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return r, err
	}
	args := strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
	out, err := exec.CommandContext(ctx, fmt.Sprintf("/proc/%d/exe", pid), append(args[1:], "--print-config")...).Output()
	if err != nil {
		return r, fmt.Errorf("ask the router for its settings: %w", err)
	}
	if err := yaml.Unmarshal(out, &r); err != nil {
		return r, fmt.Errorf("read the router's settings: %w", err)
	}
	return r, nil
}
