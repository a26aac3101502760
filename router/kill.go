package router

import (
	"context"
	"errors"
	"sync"

	"ballast/router/backend"
	"ballast/rules/catalog"
	"ballast/sqlfront"
)

// hold notes that a connection works for the session, so that KILL finds it.
func (s *Session) hold(k *backend.Conn) {
	s.busyMu.Lock()
	defer s.busyMu.Unlock()
	s.held = append(s.held, k)
}

// unhold is called before a connection may serve anybody else; a KILL on its way is waited for.
func (s *Session) unhold(k *backend.Conn) {
	s.busyMu.Lock()
	defer s.busyMu.Unlock()
	for i, b := range s.held {
		if b == k {
			last := len(s.held) - 1
			s.held[i], s.held[last] = s.held[last], nil
			s.held = s.held[:last]
			return
		}
	}
}

// giveBack returns a connection to the pool, discard closes it.
func (s *Session) giveBack(k *backend.Conn) {
	s.unhold(k)
	k.Release()
}

func (s *Session) discard(k *backend.Conn) {
	s.unhold(k)
	k.Discard()
}

// interrupt ends what the session's connections run now.
func (s *Session) interrupt(ctx context.Context) error {
	s.busyMu.Lock()
	defer s.busyMu.Unlock()
	errs := make([]error, len(s.held))
	var wg sync.WaitGroup
	for i, k := range s.held {
		wg.Go(func() { errs[i] = k.KillQuery(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// abandon ends what runs on the nodes for a client that is gone; where nothing runs it does nothing.
func (s *Session) abandon() {
	s.busyMu.Lock()
	defer s.busyMu.Unlock()
	var wg sync.WaitGroup
	for _, k := range s.held {
		wg.Go(func() { k.Interrupt(context.Background()) })
	}
	wg.Wait()
}

// Kill ends a session's statement, or the session, for KILL and COM_PROCESS_KILL. A user may kill his own sessions; those of others
// need the admin right everywhere.
func (r *Router) Kill(ctx context.Context, by sqlfront.Client, id uint32, connection bool) error {
	target := r.roster.find(id)
	if target == nil {
		if number := int(r.roster.router.Load()); routerOf(id) != number && routerOf(id) != 0 {
			return errOtherRouter.New(id, routerOf(id), number)
		}
		return errNoSuchThread.New(id)
	}
	if target.user != by.User {
		snap := r.catalog.Current()
		if snap == nil || snap.Users[by.User] == nil || !snap.Users[by.User].Can("*", catalog.Admin) {
			return errKillDenied.New(id)
		}
	}
	if connection {
		target.killed.Store(true)
	}
	if connection && target.client.Disconnect != nil {
		target.client.Disconnect()
		return nil
	}
	return target.interrupt(ctx)
}
