package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Pool keeps running sets of servers for the tests of one program. Tests that use one shape take turns; they don't run in parallel.
type Pool struct {
	mu   sync.Mutex
	sets map[Shape]*Servers
}

// NewPool makes an empty pool; the first test that asks for a shape starts its servers.
func NewPool() *Pool { return &Pool{sets: map[Shape]*Servers{}} }

// Servers gives a wiped running set of that shape.
func (p *Pool) Servers(t testing.TB, shape Shape) *Servers {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if s, ok := p.sets[shape]; ok {
		if err := s.Wipe(ctx); err != nil {
			t.Fatal(err)
		}
		return s
	}
	begin := time.Now()
	s, err := StartServers(ctx, shape)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d %s servers started in %s", len(s.All()), s.Flavour.Title(), time.Since(begin).Round(10*time.Millisecond))
	p.sets[shape] = s
	return s
}

// Main runs a test program's tests and closes the pool; a process left behind makes it fail. It gives the exit code.
func (p *Pool) Main(m *testing.M) int {
	code := m.Run()
	if err := p.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

// Close ends all sets.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for shape, s := range p.sets {
		errs = append(errs, s.Close())
		delete(p.sets, shape)
	}
	return errors.Join(errs...)
}

// noProcess fails if a process is left whose command line names something in dir. It sees nothing on systems without /proc.
func noProcess(dir string) error {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return fmt.Errorf("look for left processes: %w", err)
	}
	var left []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), dir) {
			continue
		}
		pid := filepath.Base(filepath.Dir(file))
		if pid != strconv.Itoa(os.Getpid()) {
			left = append(left, pid)
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("processes left of %s: %s", dir, strings.Join(left, ", "))
	}
	return nil
}
