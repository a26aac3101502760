package supervise

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// fakeChild ends when it is stopped or when the test ends it.
type fakeChild struct {
	done    chan struct{}
	stopped func()
}

func (c *fakeChild) Exited() <-chan struct{} { return c.done }
func (c *fakeChild) PID() int                { return 42 }
func (c *fakeChild) LastWords() string       { return "out of memory" }
func (c *fakeChild) Stop(context.Context) error {
	c.stopped()
	close(c.done)
	return nil
}

// story records what happened in order.
type story struct {
	mu     sync.Mutex
	events []string
}

func (s *story) add(event string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, event)
}

func (s *story) told() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events)
}

func (s *story) role(name string, started chan<- *fakeChild) *role {
	return &role{name: name, port: 1, start: func(context.Context) (child, error) {
		s.add("start " + name)
		c := &fakeChild{done: make(chan struct{}), stopped: func() { s.add("stop " + name) }}
		if started != nil {
			started <- c
		}
		return c, nil
	}}
}

func TestRolesStartInOrderAndStopInReverse(t *testing.T) {
	var s story
	last := make(chan *fakeChild, 1)
	phases := [][]*role{{s.role("node", nil)}, {s.role("master", nil)}, {s.role("router", last)}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	b := newBoard(filepath.Join(t.TempDir(), "status.json"), "mysql", flatten(phases))
	go func() { done <- runPhases(ctx, b, phases, slog.New(slog.DiscardHandler)) }()
	<-last
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	want := []string{"start node", "start master", "start router", "stop router", "stop master", "stop node"}
	if got := s.told(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, r := range b.status.Roles {
		if r.State != StateStopped || r.PID != 0 {
			t.Errorf("%s is %s with process %d", r.Name, r.State, r.PID)
		}
	}
}

func TestADeadRoleIsStartedAgain(t *testing.T) {
	var s story
	started := make(chan *fakeChild, 1)
	r := s.role("node", started)
	ctx, cancel := context.WithCancel(t.Context())
	b := newBoard(filepath.Join(t.TempDir(), "status.json"), "mysql", []*role{r})
	done := make(chan error)
	go func() { done <- r.keep(ctx, b, slog.New(slog.DiscardHandler), make(chan struct{})) }()
	first := <-started
	close(first.done)
	begin := time.Now()
	<-started
	if pause := time.Since(begin); pause < firstPause {
		t.Errorf("started again after %s", pause)
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := b.status.Roles[0]; got.Restarts != 1 || got.LastError != "it ended: out of memory" {
		t.Errorf("got %+v", got)
	}
}

func TestARoleThatDoesNotStartHoldsUpTheNext(t *testing.T) {
	var s story
	tried := make(chan struct{}, 10)
	broken := &role{name: "node", start: func(context.Context) (child, error) {
		tried <- struct{}{}
		return nil, errors.New("no room")
	}}
	phases := [][]*role{{broken}, {s.role("master", nil)}}
	ctx, cancel := context.WithCancel(t.Context())
	b := newBoard(filepath.Join(t.TempDir(), "status.json"), "mysql", flatten(phases))
	done := make(chan error)
	go func() { done <- runPhases(ctx, b, phases, slog.New(slog.DiscardHandler)) }()
	<-tried
	<-tried
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if len(s.told()) != 0 {
		t.Errorf("the next role was started: %v", s.told())
	}
	if got := b.status.Roles[0]; got.LastError != "no room" || got.State != StateStopped {
		t.Errorf("got %+v", got)
	}
}
