package sqlfront

import (
	"log/slog"
	"net"
	"testing"
	"time"
)

// A process that was stopped for a while does not take that for its clients' silence.
func TestPauseIsNotSilence(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	cfg := Default()
	cfg.Listeners, cfg.Logger = []net.Listener{ln}, slog.New(slog.DiscardHandler)
	s, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := net.Pipe()
	defer theirs.Close()
	defer ours.Close()
	c := &conn{srv: s, sock: ours, out: ours, cancel: func(error) {}}
	c.enter(phaseHandshake)
	s.conns[c] = struct{}{}

	s.look(time.Hour)
	if k := kick(c.kicked.Load()); k != kickNone {
		t.Fatalf("it is made to leave after a pause: %s", kickReasons[k])
	}
	for range cfg.HandshakeTimeout/watchTick + 1 {
		s.look(watchTick)
	}
	if k := kick(c.kicked.Load()); k != kickHandshake {
		t.Errorf("it may stay without a word: %q", kickReasons[k])
	}
}
