package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"ballast/master/api"
)

// first reads the stream up to the first snapshot.
func (r *Router) first(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err := r.stream(ctx, func() bool { return r.Current() != nil })
	if err == nil && r.Current() == nil {
		return errors.New("the master's stream ended before its snapshot")
	}
	return err
}

// stream reads one stream until it ends or enough says so. A stream that is silent for some seconds is broken off.
func (r *Router) stream(ctx context.Context, enough func() bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	id := strconv.FormatUint(r.Registration().Incarnation, 10)
	path := api.PathRouters + "/" + id + api.PathStream
	r.mu.Lock()
	if r.Current() != nil {
		path += "?epoch=" + strconv.FormatUint(r.position.Epoch, 10) + "&sequence=" + strconv.FormatUint(r.position.Sequence, 10)
	}
	r.mu.Unlock()
	silence := time.AfterFunc(15*time.Second, cancel)
	defer silence.Stop()
	resp, err := r.c.open(ctx, http.MethodGet, path, nil, false)
	if err != nil {
		return err
	}
	defer func() {
		if err := resp.Body.Close(); err != nil {
			r.c.log.DebugContext(ctx, "stream not closed", "error", err)
		}
	}()
	lines := json.NewDecoder(resp.Body)
	for {
		var f api.Frame
		if err := lines.Decode(&f); err != nil {
			return err
		}
		silence.Reset(4 * time.Second)
		if err := r.take(ctx, &f); err != nil {
			return err
		}
		if enough() {
			return nil
		}
	}
}

// take works one frame in. A frame of an older epoch than one seen before is an old leader's: its stream is left.
func (r *Router) take(ctx context.Context, f *api.Frame) error {
	r.mu.Lock()
	seen := r.position
	r.lastHeard = time.Now()
	r.mu.Unlock()
	if f.Epoch < seen.Epoch {
		return errors.New("an older leader is speaking")
	}
	if err := r.swap(ctx, f); err != nil {
		return err
	}
	if f.GiveUp != nil {
		r.ids.giveUp(f.GiveUp.Sequence)
	}
	p := api.Position{Epoch: f.Epoch, Sequence: f.Sequence}
	if seen == p {
		return nil // a heartbeat
	}
	// The position moves on only once its ack was heard: otherwise the next stream begins here again.
	if err := r.ack(ctx, p); err != nil {
		return err
	}
	r.mu.Lock()
	r.position = p
	r.mu.Unlock()
	return nil
}

// swap makes the frame's version the current one, unless it is older.
func (r *Router) swap(ctx context.Context, f *api.Frame) error {
	old := r.Current()
	next := f.Snapshot
	if f.Delta != nil {
		if old == nil {
			return errors.New("a delta came before the snapshot")
		}
		next = f.Delta.Apply(old)
	}
	if next == nil || next == old {
		return nil
	}
	if old != nil && (next.ClusterUUID != old.ClusterUUID || !old.Version.Less(next.Version)) {
		if next.ClusterUUID != old.ClusterUUID {
			return fmt.Errorf("the master belongs to cluster %s, this router to %s", next.ClusterUUID, old.ClusterUUID)
		}
		return nil
	}
	if err := next.CompileFrom(old); err != nil {
		r.c.log.ErrorContext(ctx, "version not usable", "version", next.Version.String(), "error", err)
		return fmt.Errorf("use version %s: %w", next.Version, err)
	}
	r.snapshot.Store(next)
	r.ids.keepOnly(next)
	r.mu.Lock()
	close(r.changed)
	r.changed = make(chan struct{})
	r.mu.Unlock()
	if r.info.OnSnapshot != nil {
		r.info.OnSnapshot(ctx, next)
	}
	return nil
}

func (r *Router) ack(ctx context.Context, p api.Position) error {
	a := api.Ack{Epoch: p.Epoch, Sequence: p.Sequence}
	if s := r.Current(); s != nil {
		a.Version = s.Version
	}
	if r.info.Statements != nil {
		a.Statements = r.info.Statements()
	}
	path := api.PathRouters + "/" + strconv.FormatUint(r.Registration().Incarnation, 10) + api.PathAck
	return r.c.call(ctx, 3*time.Second, http.MethodPost, path, a, nil)
}

// report sends traffic counters, with the last position, every few seconds.
func (r *Router) report(ctx context.Context) {
	for pause(ctx, 5*time.Second) {
		if r.info.Statements == nil || !r.Connected() {
			continue
		}
		r.mu.Lock()
		p := r.position
		r.mu.Unlock()
		if err := r.ack(ctx, p); err != nil {
			r.c.log.DebugContext(ctx, "traffic not reported", "error", err)
		}
	}
}

// pause waits, and answers false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
