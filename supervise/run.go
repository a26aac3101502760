package supervise

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"ballast/dbserver"
)

// Run is the supervisor: it runs all roles until ctx ends and returns when every process has ended. There is one per folder.
func Run(ctx context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	// Those who ask whether a supervisor runs hold the lock for a moment too.
	patience, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	unlock, err := dbserver.Lock(patience, o.path("supervisor.lock"))
	if err != nil {
		return errAlreadySupervised.Wrap(err, o.home())
	}
	defer unlock()
	if err := os.WriteFile(o.path("supervisor.pid"), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644); err != nil {
		return fmt.Errorf("write the supervisor's process id: %w", err)
	}
	out := rotated(o.logFile("supervisor"))
	log := slog.New(slog.NewTextHandler(out, nil))
	log.InfoContext(ctx, "supervisor starts", "pid", os.Getpid(), "flavour", o.Flavour)
	phases, err := o.roles(ctx)
	if err == nil {
		err = runPhases(ctx, newBoard(o.path("status.json"), o.Flavour, flatten(phases)), phases, log)
	}
	if err != nil {
		log.ErrorContext(ctx, "supervisor ends", "error", err.Error())
	} else {
		log.InfoContext(ctx, "supervisor ends")
	}
	return errors.Join(err, os.Remove(o.path("supervisor.pid")), out.Close())
}

// runPhases starts the roles of a phase at once and the next phase when all of them are ready. When ctx ends it stops the last phase
// first and each phase only when the later one is gone.
func runPhases(ctx context.Context, b *board, phases [][]*role, log *slog.Logger) error {
	if len(phases) == 0 {
		<-ctx.Done()
		return nil
	}
	// The roles of this phase outlive ctx until the later phases are gone.
	own, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var wait sync.WaitGroup
	errs := make([]error, len(phases[0]))
	ready := make([]chan struct{}, len(phases[0]))
	for i, r := range phases[0] {
		ready[i] = make(chan struct{})
		wait.Go(func() { errs[i] = r.keep(own, b, log, ready[i]) })
	}
	later := waitAll(ctx, ready)
	if later == nil {
		later = runPhases(ctx, b, phases[1:], log)
	} else {
		later = nil // ctx ended before this phase was ready: nothing later runs
	}
	stop()
	wait.Wait()
	return errors.Join(append(errs, later)...)
}

func waitAll(ctx context.Context, ready []chan struct{}) error {
	for _, c := range ready {
		select {
		case <-c:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func flatten(phases [][]*role) []*role {
	var all []*role
	for _, p := range phases {
		all = append(all, p...)
	}
	return all
}
