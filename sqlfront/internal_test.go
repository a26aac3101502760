package sqlfront

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ballast/rules/failure"
	"ballast/sqlfront/auth"
	"ballast/sqlfront/wire"
)

func TestAttempts(t *testing.T) {
	a := newAttempts(10, time.Minute)
	now := time.Unix(1000, 0).UnixNano()
	var wait time.Duration
	for i := range 10 {
		if left := a.blocked("192.0.2.1", now); left != 0 {
			t.Fatalf("blocked for %s after %d failures", left, i)
		}
		next := a.failed("192.0.2.1", now)
		if i < freeAttempts && next != 0 || i >= freeAttempts && next <= wait-10*time.Millisecond {
			t.Fatalf("failure %d waits %s after %s", i+1, next, wait)
		}
		wait = next
	}
	if left := a.blocked("192.0.2.1", now); left != time.Minute {
		t.Errorf("blocked for %s", left)
	}
	if left := a.blocked("192.0.2.2", now); left != 0 {
		t.Errorf("another address blocked for %s", left)
	}
	if left := a.blocked("192.0.2.1", now+int64(time.Minute)); left != 0 {
		t.Errorf("still blocked for %s", left)
	}
	for range 10 {
		a.failed("192.0.2.1", now)
	}
	a.succeeded("192.0.2.1")
	if left := a.blocked("192.0.2.1", now); left != 0 {
		t.Errorf("blocked for %s after a success", left)
	}
	for range 1000 {
		if wait := a.failed(localhost, now); wait != 0 {
			t.Fatalf("localhost waits %s", wait)
		}
	}
	for i := range 2 * maxAttemptHosts {
		a.failed(fmt.Sprint(i), now)
	}
	if len(a.hosts) > maxAttemptHosts {
		t.Errorf("%d addresses are remembered", len(a.hosts))
	}
}

func TestClientError(t *testing.T) {
	se := &wire.ServerError{Number: 1146, State: "42S02", Message: "no such table"}
	for _, tc := range []struct {
		err  error
		want wire.ServerError
	}{
		{fmt.Errorf("node n1: %w", se), *se},
		{&Fatal{Err: se}, *se},
		{&wire.ServerError{Number: 1040, Message: "x"}, wire.ServerError{Number: 1040, State: "HY000", Message: "x"}},
		{fmt.Errorf("bind: %w", failDenied.New("u", "h", "NO")), wire.ServerError{Number: 1045, State: "28000", Message: "Access denied for user 'u'@'h' (using password: NO)"}},
		{errors.New("100 % odd"), wire.ServerError{Number: 1105, State: "HY000", Message: "100 % odd"}},
	} {
		if got := ClientError(tc.err); *got != tc.want {
			t.Errorf("%v: client reads %v, want %v", tc.err, got, &tc.want)
		}
	}
}

func TestFailuresAreMySQLs(t *testing.T) {
	for _, k := range failure.Catalogue() {
		if strings.HasPrefix(k.ID, "BL5") && (k.Number < 1000 || len(k.State) != 5 || k.Format == "") {
			t.Errorf("%s: number %d, state %q", k.ID, k.Number, k.State)
		}
	}
}

func TestMetricsRegisterOnce(t *testing.T) {
	reg := prometheus.NewRegistry()
	if _, err := newMetrics(reg); err != nil {
		t.Fatal(err)
	}
	if _, err := newMetrics(reg); err == nil {
		t.Fatal("registered twice")
	}
}

func TestConfigTellsAllFaults(t *testing.T) {
	cfg := Config{RequireTLS: true, MaxPacket: 1}
	err := cfg.Validate()
	for _, want := range []string{"listeners", "logger", "require tls", "max connections", "max packet", "idle timeout", "drain timeout"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no fault about %s in %v", want, err)
		}
	}
}

// memory is a sink that keeps what was written.
type memory struct{ b []byte }

func (m *memory) write(p []byte) error {
	m.b = append(m.b, p...)
	return nil
}

func newReply(m *memory, deprecate bool) *Reply {
	r := &Reply{sink: m, pool: &bufferPool{}, deprecate: deprecate, status: func() wire.Status { return wire.StatusAutocommit }}
	r.begin(1, wire.Text)
	return r
}

func TestReplyIsAnAnswer(t *testing.T) {
	for _, deprecate := range []bool{true, false} {
		m := &memory{}
		r := newReply(m, deprecate)
		r.More(true)
		if err := errors.Join(
			r.Columns(make([]wire.Column, 300)), r.Row([]byte{1, 'x'}), r.Row(make([]byte, 3*replyBuffer)), r.Row(make([]byte, wire.MaxPayload)),
			r.EOF(wire.StatusAutocommit, 2),
		); err != nil {
			t.Fatal(err)
		}
		r.More(false)
		if err := errors.Join(r.OK(wire.OK{Affected: 1, Status: wire.StatusMoreResults}), r.Flush()); err != nil {
			t.Fatal(err)
		}
		tr := wire.Tracker{DeprecateEOF: deprecate}
		tr.Reset()
		n, done, err := tr.Feed(m.b)
		if err != nil || !done || n != len(m.b) || tr.Rows != 3 || tr.Results != 2 || tr.OK.Affected != 1 {
			t.Fatalf("settled %d of %d, %v, %v: %+v", n, len(m.b), done, err, tr)
		}
	}
}

// TestRelaySeesTheEnd relays answers of several results in pieces: nothing may follow the last, everything may follow the others.
func TestRelaySeesTheEnd(t *testing.T) {
	for _, deprecate := range []bool{true, false} {
		m := &memory{}
		r := newReply(m, deprecate)
		for i := range 3 {
			r.More(i < 2)
			if err := errors.Join(r.Columns(make([]wire.Column, 2)), r.Row([]byte{1, 'x', 0xfb}), r.EOF(0, 0), r.OK(wire.OK{Affected: 1 << 40, InsertID: 300})); i < 2 && err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Flush(); !errors.Is(err, errOver) {
			t.Fatalf("an OK after the answer: %v", err)
		}
		answer := append([]byte(nil), m.b...)
		answer = append(answer, r.buf...)
		for cut := range answer {
			n, done, err := feed(answer[:cut], deprecate)
			if err != nil || done {
				t.Fatal(n, done, err)
			}
			again := newReply(&memory{}, deprecate)
			if err := errors.Join(again.Relay(append([]byte(nil), answer[:n]...)), again.Relay(append([]byte(nil), answer[n:]...))); err != nil || !again.over {
				t.Fatalf("cut at %d: %v, over %v", cut, err, again.over)
			}
			if err := again.Relay(answer[:10]); !errors.Is(err, errOver) {
				t.Fatalf("an answer after the answer: %v", err)
			}
		}
	}
}

func feed(b []byte, deprecate bool) (int, bool, error) {
	tr := wire.Tracker{DeprecateEOF: deprecate}
	tr.Reset()
	return tr.Feed(b)
}

func TestReplyAfterACutRelay(t *testing.T) {
	m := &memory{}
	r := newReply(m, true)
	if err := r.Relay([]byte{9, 0, 0, 1, 'a'}); err != nil {
		t.Fatal(err)
	}
	if err := r.Err(errors.New("x")); !errors.Is(err, errPartial) {
		t.Fatalf("an error inside a packet: %v", err)
	}
	if err := r.Flush(); !errors.Is(err, errPartial) {
		t.Fatalf("flush: %v", err)
	}
	r.begin(1, wire.Text)
	if err := r.Relay([]byte{1, 0}); !errors.Is(err, errPartial) {
		t.Fatalf("a cut header: %v", err)
	}
}

// FuzzHandshake lets a client send anything: it may not panic, nor get in without the password.
func FuzzHandshake(f *testing.F) {
	good := wire.HandshakeResponse{Capabilities: 0xffffffff &^ (wire.ClientCompress | wire.ClientZstdCompression), User: "app", Auth: make([]byte, 32), Plugin: auth.CachingSHA2}
	f.Add(good.Append(nil), []byte{2}, []byte("x\x00"))
	secret := auth.NewVerifier("a password that nobody guesses")
	f.Fuzz(func(t *testing.T, first, second, third []byte) {
		h := handshake{version: "9", id: 1, tls: true, key: auth.NewKey, account: func(string) (auth.Verifier, bool) { return secret, true }}
		if _, err := h.greet(nil); err != nil {
			t.Fatal(err)
		}
		for _, p := range [][]byte{first, second, third} {
			_, next, fail := h.step(append([]byte(nil), p...))
			if next == handshakeDone || (next == handshakeFailed) != (fail != nil) {
				t.Fatalf("step %d, error %v", next, fail)
			}
			if next != handshakeRead && next != handshakeTLS {
				return
			}
		}
	})
}
