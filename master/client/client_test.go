package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ballast/master/api"
	"ballast/rules/catalog"
	"ballast/rules/failure"
)

// fake is a master that a test plays.
func fake(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

func refuse(t *testing.T, w http.ResponseWriter, status int, f api.Failure) {
	t.Helper()
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(f); err != nil {
		t.Error(err)
	}
}

func reply(t *testing.T, w http.ResponseWriter, v any) {
	t.Helper()
	if err := json.NewEncoder(w).Encode(v); err != nil {
		t.Error(err)
	}
}

func newTestClient(t *testing.T, urls ...string) *Client {
	t.Helper()
	c, err := New(Config{URLs: urls, Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

func TestTheLeaderIsFound(t *testing.T) {
	var asked atomic.Int32
	leader := fake(t, func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); reply(t, w, api.Status{Epoch: 7}) })
	standby := fake(t, func(w http.ResponseWriter, _ *http.Request) {
		refuse(t, w, http.StatusMisdirectedRequest, api.Failure{Number: 1105, Message: "standby", Leader: leader})
	})
	// The client knows a dead master and a standby only; the standby says who leads.
	c := newTestClient(t, "http://127.0.0.1:1", standby)
	for range 2 {
		s, err := c.Status(t.Context())
		if err != nil || s.Epoch != 7 {
			t.Fatalf("status %+v, error %v", s, err)
		}
	}
	if asked.Load() != 2 || c.candidates()[0] != leader {
		t.Errorf("asked the leader %d times, first to ask is %s", asked.Load(), c.candidates()[0])
	}
}

func TestFailuresComeAsTheyWere(t *testing.T) {
	url := fake(t, func(w http.ResponseWriter, _ *http.Request) {
		refuse(t, w, http.StatusUnprocessableEntity, api.Failure{Number: 1062, State: "23000", Message: "Duplicate entry"})
	})
	_, err := newTestClient(t, url).DDL(t.Context(), api.DDLRequest{})
	var f *failure.Error
	if !errors.As(err, &f) || f.Kind.Number != 1062 || f.Kind.State != "23000" || f.Error() != "Duplicate entry" {
		t.Errorf("a node's error came as %v", err)
	}
}

// TestNoMasterIsSaidSoon: without a master a call ends within seconds, and names who was asked.
func TestNoMasterIsSaidSoon(t *testing.T) {
	began := time.Now()
	_, err := newTestClient(t, "http://127.0.0.1:1").Status(t.Context())
	if err == nil || failureID(err) != errNoMaster.ID || !strings.Contains(err.Error(), "127.0.0.1:1") || time.Since(began) > 4*time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
}

func TestADefinitionIsSentOnce(t *testing.T) {
	var sent atomic.Int32
	drops := func(w http.ResponseWriter, _ *http.Request) {
		sent.Add(1)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	c := newTestClient(t, fake(t, drops), fake(t, drops))
	if _, err := c.DDL(t.Context(), api.DDLRequest{}); failureID(err) != errLostMaster.ID || sent.Load() != 1 {
		t.Errorf("sent %d times, error %v", sent.Load(), err)
	}
	sent.Store(0)
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := c.Block(short, api.BlockRequest{}); err == nil || sent.Load() < 2 {
		t.Errorf("a repeatable call was sent %d times, error %v", sent.Load(), err)
	}
}

func TestARouterNeverGoesBack(t *testing.T) {
	url := fake(t, func(w http.ResponseWriter, _ *http.Request) { reply(t, w, struct{}{}) })
	r := &Router{c: newTestClient(t, url), changed: make(chan struct{})}
	r.ids = newIDs(r)
	r.reg.Store(&Registration{Incarnation: 1})
	version := func(epoch, n uint64) catalog.Version { return catalog.Version{Epoch: epoch, N: n} }
	take := func(f api.Frame) error { return r.take(t.Context(), &f) }
	if err := take(api.Frame{Epoch: 2, Sequence: 5, Snapshot: &catalog.Snapshot{ClusterUUID: "c", Version: version(2, 9)}}); err != nil {
		t.Fatal(err)
	}
	changed := r.Changed()
	if err := take(api.Frame{Epoch: 2, Sequence: 6, Delta: &api.Delta{Version: version(2, 10)}}); err != nil || r.Current().Version != version(2, 10) {
		t.Errorf("after a delta %s, error %v", r.Current().Version, err)
	}
	select {
	case <-changed:
	default:
		t.Error("nobody was told")
	}
	if err := take(api.Frame{Epoch: 1, Sequence: 99, Snapshot: &catalog.Snapshot{ClusterUUID: "c", Version: version(1, 50)}}); err == nil {
		t.Error("an older leader was listened to")
	}
	if err := take(api.Frame{Epoch: 3, Sequence: 1, Snapshot: &catalog.Snapshot{ClusterUUID: "c", Version: version(2, 3)}}); err != nil || r.Current().Version != version(2, 10) {
		t.Errorf("an older version became current: %s, error %v", r.Current().Version, err)
	}
	if err := take(api.Frame{Epoch: 3, Sequence: 2, Snapshot: &catalog.Snapshot{ClusterUUID: "other", Version: version(9, 9)}}); err == nil {
		t.Error("another cluster's snapshot was taken")
	}
}

func TestIDs(t *testing.T) {
	var next atomic.Uint64
	next.Store(1)
	url := fake(t, func(w http.ResponseWriter, q *http.Request) {
		switch q.URL.Path {
		case api.PathBlock:
			var b api.BlockRequest
			if err := json.NewDecoder(q.Body).Decode(&b); err != nil {
				t.Error(err)
			}
			last := next.Add(b.Size) - 1
			reply(t, w, api.BlockReply{First: last - b.Size + 1, Last: last})
		case api.PathRaise:
			var b api.RaiseRequest
			if err := json.NewDecoder(q.Body).Decode(&b); err != nil {
				t.Error(err)
			}
			before := next.Load()
			if b.Value >= before {
				next.Store(b.Value + 1)
			}
			reply(t, w, api.RaiseReply{From: min(before, b.Value), Safe: b.Value})
		}
	})
	r := &Router{c: newTestClient(t, url), changed: make(chan struct{})}
	r.ids = newIDs(r)
	r.reg.Store(&Registration{Incarnation: 1})
	t.Cleanup(r.fetches.Wait)
	var last uint64
	for i := range 5000 {
		n := uint64(1 + i%7)
		first, err := r.NextIDs(t.Context(), "s", n)
		if err != nil || first <= last {
			t.Fatalf("%d ids begin with %d, the last one was %d, error %v", n, first, last, err)
		}
		last = first + n - 1
	}
	if err := r.RaiseID(t.Context(), "s", last+1); err != nil { // within our own block, or just behind it
		t.Fatal(err)
	}
	first, err := r.NextIDs(t.Context(), "s", 1)
	if err != nil || first <= last+1 {
		t.Errorf("after an explicit %d comes %d, error %v", last+1, first, err)
	}
	r.ids.giveUp("s")
	if after, err := r.NextIDs(t.Context(), "s", 1); err != nil || after <= first {
		t.Errorf("after giving up comes %d, error %v", after, err)
	}
}
