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
	mu       sync.Mutex
	sets     map[Shape]*Servers
	ballasts map[ballastShape]*Ballast
}

type ballastShape struct {
	shape Shape
	size  Size
}

// NewPool makes an empty pool; the first test that asks for a shape starts its servers.
func NewPool() *Pool { return &Pool{sets: map[Shape]*Servers{}, ballasts: map[ballastShape]*Ballast{}} }

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

// Ballast gives a running Ballast over servers of that shape (a metadata server is added to it). It is kept for the tests that follow,
// with what earlier tests made in it: use schemas of your own and drop them. What earlier tests broke is healed first.
func (p *Pool) Ballast(t testing.TB, shape Shape, size Size) *Ballast {
	t.Helper()
	shape.Metadata = true
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	key := ballastShape{shape, size}
	p.mu.Lock()
	b, ok := p.ballasts[key]
	p.mu.Unlock()
	if ok {
		if err := b.Heal(ctx); err != nil {
			t.Fatal(err)
		}
		return b
	}
	s, err := StartServers(ctx, shape) // a set of its own: a wipe would take the metadata away
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if b, err = StartBallast(ctx, s, size); err != nil {
		t.Fatal(errors.Join(err, s.Close()))
	}
	t.Logf("Ballast started in %s", time.Since(begin).Round(10*time.Millisecond))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ballasts[key] = b
	return b
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
	for key, b := range p.ballasts {
		errs = append(errs, b.Close(), b.Servers.Close())
		delete(p.ballasts, key)
	}
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
