package supervise

import (
	"context"
	"log/slog"
	"time"
)

// The pause before a role is started again grows from the first to the last; a role that was ready for steadyAfter begins anew.
const (
	firstPause  = 200 * time.Millisecond
	lastPause   = 10 * time.Second
	steadyAfter = 30 * time.Second
	stopWithin  = 20 * time.Second
)

// child is a running process; dbserver.Server and process.Process are children.
type child interface {
	Exited() <-chan struct{}
	Stop(ctx context.Context) error
	PID() int
	LastWords() string
}

// role is one part of the cluster.
type role struct {
	name string
	port int
	// start starts the process and returns when it answers. An error means that no process is left.
	start func(ctx context.Context) (child, error)
}

// keep runs the role until ctx ends, then stops it. It closes ready when the role answers for the first time.
func (r *role) keep(ctx context.Context, b *board, log *slog.Logger, ready chan<- struct{}) error {
	log = log.With("role", r.name)
	pause, first := firstPause, true
	for {
		if err := b.set(r.name, func(s *RoleStatus) { s.State = StateStarting }); err != nil {
			return err
		}
		began := time.Now()
		c, err := r.start(ctx)
		why := ""
		if err != nil {
			why = err.Error()
			log.WarnContext(ctx, "role did not start", "error", why)
		} else {
			log.InfoContext(ctx, "role is ready", "pid", c.PID(), "after", time.Since(began))
			if first {
				close(ready)
				first = false
			}
			if err := b.set(r.name, func(s *RoleStatus) { s.State, s.PID = StateReady, c.PID() }); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return r.stop(ctx, c, b, log)
			case <-c.Exited():
				why = "it ended: " + c.LastWords()
				log.WarnContext(ctx, "role ended", "last_words", c.LastWords())
			}
		}
		if time.Since(began) > steadyAfter {
			pause = firstPause
		}
		if err := b.set(r.name, func(s *RoleStatus) { s.State, s.PID, s.Restarts, s.LastError = StateDown, 0, s.Restarts+1, why }); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return b.set(r.name, func(s *RoleStatus) { s.State = StateStopped })
		case <-time.After(pause):
		}
		pause = min(2*pause, lastPause)
	}
}

func (r *role) stop(ctx context.Context, c child, b *board, log *slog.Logger) error {
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	if err := c.Stop(limit); err != nil {
		log.WarnContext(ctx, "role had to be killed", "error", err.Error())
	}
	return b.set(r.name, func(s *RoleStatus) { s.State, s.PID = StateStopped, 0 })
}
