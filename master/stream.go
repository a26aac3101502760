package master

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"ballast/master/api"
	"ballast/master/core"
)

// heartbeat is how often a stream says that it is alive; stalled is how long one frame may take to be written.
const (
	heartbeat = time.Second
	stalled   = 10 * time.Second
)

func pathIncarnation(r *http.Request) (uint64, error) {
	n, err := strconv.ParseUint(r.PathValue("incarnation"), 10, 64)
	if err != nil {
		return 0, errBadCall.New("the incarnation is a number")
	}
	return n, nil
}

// stream is a router's stream: what it lacks, then everything new, and a heartbeat each second. It ends with the incarnation, with the
// term, or with the router.
func (m *Master) stream(w http.ResponseWriter, r *http.Request) {
	t, err := m.leading()
	if err != nil {
		m.refuse(w, r, err)
		return
	}
	id, err := pathIncarnation(r)
	if err == nil {
		if s, ok := t.registry.get(id); !ok || s.State != core.Active {
			err = errGone.New(id)
		}
	}
	if err != nil {
		m.refuse(w, r, err)
		return
	}
	t.registry.stream(id, 1)
	defer t.registry.stream(id, -1)
	m.metrics.streams.Inc()
	defer m.metrics.streams.Dec()
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	if err := t.feed(w, r, id); err != nil {
		m.log.DebugContext(r.Context(), "stream broke", logIncarnation, id, logError, err)
	}
}

func (t *term) feed(w http.ResponseWriter, r *http.Request, id uint64) error {
	control := http.NewResponseController(w)
	out := json.NewEncoder(w)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	write := func(f api.Frame) error {
		f.Incarnation = id
		if err := control.SetWriteDeadline(time.Now().Add(stalled)); err != nil {
			return err
		}
		if err := out.Encode(f); err != nil {
			return err
		}
		return control.Flush()
	}
	// The same router may resume: it says what it has, if that was of this very term.
	sequence := uint64(0)
	if epoch, err := strconv.ParseUint(r.URL.Query().Get("epoch"), 10, 64); err == nil && epoch == t.epoch {
		if n, err := strconv.ParseUint(r.URL.Query().Get("sequence"), 10, 64); err == nil {
			sequence = n // otherwise 0, which asks for a snapshot
		}
	}
	for {
		frames, changed := t.pub.since(sequence)
		for _, f := range frames {
			if err := write(f); err != nil {
				return err
			}
			sequence = f.Sequence
		}
		if len(frames) > 0 {
			continue
		}
		select {
		case <-changed:
		case <-beat.C:
			if s, ok := t.registry.get(id); !ok || s.State != core.Active {
				return errGone.New(id)
			}
			if err := write(api.Frame{Epoch: t.epoch, Sequence: sequence}); err != nil {
				return err
			}
		case <-r.Context().Done():
			return r.Context().Err()
		case <-t.ctx.Done():
			return t.ctx.Err()
		}
	}
}

// ack records what a router has taken over.
func (t *term) ack(r *http.Request, a api.Ack) error {
	id, err := pathIncarnation(r)
	if err != nil {
		return err
	}
	if a.Epoch > t.epoch {
		return errNotLeader.New()
	}
	if !t.registry.ack(id, core.Position{Epoch: a.Epoch, Sequence: a.Sequence}, a.Version, a.Statements) {
		return errGone.New(id)
	}
	return nil
}
