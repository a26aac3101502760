package router

import (
	"context"
	"errors"
	"sync"

	"ballast/router/backend"
	"ballast/rules/catalog"
	"ballast/sqlfront"
)

// holding is the set of connections that work for a session. A connection may be given back only when nobody is interrupting it any more,
// or the interruption could hit another session's statement. The zero value is ready but for init.
type holding struct {
	mu      sync.Mutex
	settled sync.Cond // an interruption has ended
	conns   []held
}

type held struct {
	conn  *backend.Conn
	kills int // interruptions under way
}

func (h *holding) init() { h.settled.L = &h.mu }

func (h *holding) add(k *backend.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.conns = append(h.conns, held{conn: k})
}

// all gives the connections that are held now.
func (h *holding) all() []*backend.Conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []*backend.Conn
	for i := range h.conns {
		out = append(out, h.conns[i].conn)
	}
	return out
}

// undisturbed says that nobody is interrupting a connection: remove will not wait.
func (h *holding) undisturbed(k *backend.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.find(k)
	return at < 0 || h.conns[at].kills == 0
}

func (h *holding) find(k *backend.Conn) int {
	for i := range h.conns {
		if h.conns[i].conn == k {
			return i
		}
	}
	return -1
}

// tryRemove takes a connection out unless somebody is interrupting it.
func (h *holding) tryRemove(k *backend.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.find(k)
	if at < 0 || h.conns[at].kills > 0 {
		return false
	}
	h.cut(at)
	return true
}

// cut takes out the connection at a place; the caller holds mu.
func (h *holding) cut(at int) {
	last := len(h.conns) - 1
	h.conns[at], h.conns[last] = h.conns[last], held{}
	h.conns = h.conns[:last]
}

// remove takes a connection out, once interruptions of it, and of no other, have ended.
func (h *holding) remove(k *backend.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.find(k)
	for at >= 0 && h.conns[at].kills > 0 {
		h.settled.Wait()
		at = h.find(k)
	}
	if at >= 0 {
		h.cut(at)
	}
}

// each runs a kind of interruption on all connections at once and waits for it.
func (h *holding) each(interrupt func(*backend.Conn) error) error {
	h.mu.Lock()
	conns := make([]*backend.Conn, len(h.conns))
	for i := range h.conns {
		h.conns[i].kills++
		conns[i] = h.conns[i].conn
	}
	h.mu.Unlock()
	errs := make([]error, len(conns))
	var wg sync.WaitGroup
	for i, k := range conns {
		wg.Go(func() {
			errs[i] = interrupt(k)
			h.mu.Lock()
			defer h.mu.Unlock()
			h.conns[h.find(k)].kills--
			h.settled.Broadcast()
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// giveBack returns a connection to the pool, discard closes it.
func (s *Session) giveBack(k *backend.Conn) {
	s.held.remove(k)
	k.Release()
}

func (s *Session) discard(k *backend.Conn) {
	s.held.remove(k)
	k.Discard()
}

// interrupt ends what the session's connections run now.
func (s *Session) interrupt(ctx context.Context) error {
	return s.held.each(func(k *backend.Conn) error { return k.KillQuery(ctx) })
}

// abandon ends what runs on the nodes for a client that is gone; where nothing runs it does nothing.
func (s *Session) abandon() {
	s.leaveQueue()
	err := s.held.each(func(k *backend.Conn) error {
		k.Interrupt(context.Background())
		return nil
	})
	if err != nil {
		s.router.log.Debug("end the statements of a client that is gone", logError, err)
	}
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
	target.leaveQueue()
	return target.interrupt(ctx)
}
