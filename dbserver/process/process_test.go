package process

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// sink is a log that can be read while it is written and knows whether it was closed.
type sink struct {
	mu     sync.Mutex
	text   bytes.Buffer
	lines  chan struct{}
	closed bool
}

func newSink() *sink { return &sink{lines: make(chan struct{}, 100)} }

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines <- struct{}{}
	return s.text.Write(p)
}

func (s *sink) Close() error { s.closed = true; return nil }

func start(t *testing.T, script string) (*Process, *sink) {
	t.Helper()
	out := newSink()
	p, err := Start(exec.Command("sh", "-c", script), out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p, out
}

func TestLastWordsPreferErrors(t *testing.T) {
	p, out := start(t, "echo begin; echo '[ERROR] no room'; echo end; exit 3")
	<-p.Exited()
	if got := p.LastWords(); got != "[ERROR] no room" {
		t.Errorf("got %q", got)
	}
	if !out.closed || out.text.String() != "begin\n[ERROR] no room\nend\n" {
		t.Errorf("log %q, closed %t", out.text.String(), out.closed)
	}
	if p.Alive() || p.PID() != 0 {
		t.Error("an ended process is alive")
	}
	quiet, _ := start(t, "exit 3")
	<-quiet.Exited()
	if got := quiet.LastWords(); got != "exit status 3" {
		t.Errorf("got %q", got)
	}
}

func TestStopLetsItFinish(t *testing.T) {
	p, out := start(t, "trap 'echo bye; exit 0' TERM; echo ready; while :; do read x || sleep 0.01; done")
	<-out.lines
	p.Pause()
	if err := p.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.text.String(), "bye") {
		t.Errorf("log %q", out.text.String())
	}
}

func TestStopKillsWhatDoesNotEnd(t *testing.T) {
	p, out := start(t, "trap '' TERM; echo ready; while :; do sleep 0.01; done")
	<-out.lines
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := p.Stop(ctx); err == nil {
		t.Error("no error though the process had to be killed")
	}
	if p.Alive() {
		t.Error("it is alive")
	}
}

func TestAbsentProcess(t *testing.T) {
	var p *Process
	<-p.Exited()
	p.Kill()
	if p.Alive() || p.PID() != 0 || p.LastWords() != "" {
		t.Error("an absent process is alive")
	}
	out := newSink()
	if _, err := Start(exec.Command("/no/such/program"), out); err == nil || !out.closed {
		t.Errorf("error %v, log closed %t", err, out.closed)
	}
}
