//go:build linux

package main

import (
	"context"
	"fmt"
	"time"
)

// memory is what clients that do nothing cost the router.
type memory struct {
	// Clients is the number of connections. Before, With and After are the router's resident bytes without them, with them and after
	// they have gone.
	Clients int   `json:"clients"`
	Before  int64 `json:"before_bytes"`
	With    int64 `json:"with_bytes"`
	After   int64 `json:"after_bytes"`
}

// settle is how long the router's memory is watched for once clients have come or gone: it gives memory back bit by bit.
const settle = 5 * time.Second

// idle measures the router with many clients that have done one query each and now do nothing.
func (s *scene) idle(ctx context.Context, clients int) (m *memory, err error) {
	if s.ballast == nil || clients == 0 {
		return nil, nil
	}
	m = &memory{Clients: clients}
	pid := s.ballast.Routers[0].PID()
	router := &middle{name: "ballast", addr: s.ballast.Routers[0].Addr, db: ballastDB, pid: pid, rows: 1000}
	if m.Before, err = resident(pid); err != nil {
		return nil, err
	}
	l, err := newLoad()
	if err != nil {
		return nil, err
	}
	closed := false
	defer func() {
		if !closed {
			l.close()
		}
	}()
	err = l.openAll(ctx, clients, func(t *task, i int) error {
		c, err := router.login(t, false)
		if err != nil {
			return err
		}
		defer c.close()
		c.seed = uint64(i) + 1
		if _, err := pointStep(c); err != nil {
			return err
		}
		return t.awaitStart()
	})
	if err != nil {
		return nil, fmt.Errorf("idle client %d of %d: %w", l.open+1, clients, err)
	}
	if m.With, err = watch(ctx, pid); err != nil {
		return nil, err
	}
	l.close()
	closed = true
	m.After, err = watch(ctx, pid)
	return m, err
}

// watch gives the memory of a process after a while.
func watch(ctx context.Context, pid int) (int64, error) {
	select {
	case <-time.After(settle):
		return resident(pid)
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
