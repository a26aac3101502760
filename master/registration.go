package master

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"sync"
	"time"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/meta"
	"ballast/master/nodeadmin"
)

// register begins an incarnation: an account of the pool, and one metadata transaction that makes it active and ends earlier ones of the name.
func (t *term) register(ctx context.Context, req api.RegisterRequest) (*api.RegisterReply, error) {
	if !req.Protocol.Compatible() {
		return nil, errProtocol.New(req.Name, req.Protocol.Major, req.Protocol.Minor, api.ProtocolMajor, api.ProtocolMinor)
	}
	if !validName(req.Name) {
		return nil, errBadName.New(req.Name, "router")
	}
	if account, _, _ := t.registry.plan(req.Name); account == 0 {
		if err := t.makeAccounts(ctx, 1); err != nil {
			return nil, err
		}
	}
	in, err := t.activate(ctx, req)
	if err != nil {
		return nil, err
	}
	t.log.InfoContext(ctx, "router registered", logRouter, req.Name, logIncarnation, in.ID, logAddr, req.Addr)
	t.bringAccount(ctx, in.ID)
	for _, n := range t.nodes.list() {
		n.wake()
	}
	return &api.RegisterReply{
		Incarnation: in.ID, Router: in.Router, Account: nodeadmin.AccountName(in.ID), Password: t.registry.password(in.ID), Protocol: api.Current(),
	}, nil
}

func (t *term) activate(ctx context.Context, req api.RegisterRequest) (core.Incarnation, error) {
	t.commits.Lock()
	defer t.commits.Unlock()
	account, number, ends := t.registry.plan(req.Name)
	if number == 0 {
		return core.Incarnation{}, errNoRouter.New(core.MaxRouter)
	}
	if account == 0 {
		return core.Incarnation{}, errors.New("the pool of router accounts is empty")
	}
	in := core.Incarnation{
		ID: account, State: core.Active, Name: req.Name, Router: number, Addr: req.Addr, Build: req.Version, Registered: time.Now().UTC().Truncate(time.Microsecond),
	}
	if err := t.transact(ctx, func(ctx context.Context, tx *meta.Tx) error {
		if err := tx.Activate(ctx, in); err != nil {
			return err
		}
		for _, old := range ends {
			if err := tx.SetIncarnation(ctx, old.ID, core.Ending); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return core.Incarnation{}, err
	}
	for _, old := range ends {
		old.State = core.Ending
		t.registry.put(old, "")
	}
	t.registry.put(in, "")
	return in, nil
}

// bringAccount makes sure that the account is on every node that can be reached now; the others get it when they return.
func (t *term) bringAccount(ctx context.Context, id uint64) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	var all sync.WaitGroup
	for _, n := range t.nodes.list() {
		if up, _, _ := n.state(); !up || n.has(id) {
			continue
		}
		all.Add(1)
		go func() {
			defer all.Done()
			n.accounts.Lock()
			defer n.accounts.Unlock()
			if n.has(id) {
				return
			}
			if err := t.giveAccount(ctx, n, id); err != nil {
				t.log.WarnContext(ctx, "account not made, tried again later", logNode, n.name, logIncarnation, id, logError, err)
			}
		}()
	}
	all.Wait()
}

// makeAccounts adds to the pool; the nodes get them at once where they can be reached.
func (t *term) makeAccounts(ctx context.Context, count int) error {
	for range count {
		password := newPassword()
		in := core.Incarnation{State: core.Pooled}
		if err := t.transact(ctx, func(ctx context.Context, tx *meta.Tx) (err error) {
			in.ID, err = tx.NewAccount(ctx, password)
			return err
		}); err != nil {
			return err
		}
		t.registry.put(in, password)
		t.bringAccount(ctx, in.ID)
	}
	return nil
}

// newPassword has 160 bits, and no character that a server might take for anything else.
func newPassword() string {
	var b [20]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return "Bb1-" + base32.StdEncoding.EncodeToString(b[:])
}

// keepPool fills the pool of accounts up.
func (t *term) keepPool() error {
	for {
		changed := t.registry.changes()
		if missing := t.m.cfg.AccountPool - len(t.registry.list(core.Pooled)); missing > 0 {
			if err := t.makeAccounts(t.ctx, missing); err != nil {
				t.log.WarnContext(t.ctx, "pool of accounts not filled", logError, err)
				if !sleep(t.ctx, beat) {
					return nil
				}
				continue
			}
			continue
		}
		select {
		case <-changed:
		case <-t.ctx.Done():
			return nil
		}
	}
}

// endIncarnations writes off incarnations once no node has their account any more. A node that is down keeps them ending until it returns.
func (t *term) endIncarnations() error {
	lonely := map[uint64]time.Time{}
	for {
		t.endForgotten(lonely)
		for _, s := range t.registry.list(core.Ending) {
			gone := true
			for _, n := range t.nodes.list() {
				_, ready, _ := n.state()
				gone = gone && ready && !n.has(s.ID)
			}
			if !gone {
				continue
			}
			if err := t.setIncarnation(t.ctx, s.Incarnation, core.Ended); err != nil {
				t.log.WarnContext(t.ctx, "incarnation not ended", logIncarnation, s.ID, logError, err)
			}
		}
		if !sleep(t.ctx, beat) {
			return nil
		}
	}
}

// forgottenAfter is how long a router may be without a stream, and without a session on any node, before its incarnation is ended.
const forgottenAfter = 10 * time.Minute

// endForgotten begins to end incarnations of routers that died and never came back. One that still has a session on a node may be alive, cut
// off from the master, and serving: it stays.
func (t *term) endForgotten(lonely map[uint64]time.Time) {
	now := time.Now()
	for _, s := range t.registry.list(core.Active) {
		since, known := lonely[s.ID]
		switch {
		case s.Streams > 0:
			delete(lonely, s.ID)
			continue
		case !known:
			lonely[s.ID] = now
			continue
		case now.Sub(since) < forgottenAfter:
			continue
		}
		lonely[s.ID] = now // looked at again later, if it stays
		if t.hasSessions(s.ID) {
			continue
		}
		if err := t.setIncarnation(t.ctx, s.Incarnation, core.Ending); err != nil {
			t.log.WarnContext(t.ctx, "incarnation not ended", logIncarnation, s.ID, logError, err)
			continue
		}
		t.log.InfoContext(t.ctx, "forgotten router ended", logRouter, s.Name, logIncarnation, s.ID)
		for _, n := range t.nodes.list() {
			n.wake()
		}
	}
}

// hasSessions says whether an account may be in use on any node; a node that can't be asked counts as yes.
func (t *term) hasSessions(id uint64) bool {
	ctx, cancel := context.WithTimeout(t.ctx, 5*time.Second)
	defer cancel()
	for _, n := range t.nodes.list() {
		if count, err := n.admin.Sessions(ctx, id); err != nil || count > 0 {
			return true
		}
	}
	return false
}

func (t *term) setIncarnation(ctx context.Context, in core.Incarnation, state core.IncarnationState) error {
	if err := t.transact(ctx, func(ctx context.Context, tx *meta.Tx) error { return tx.SetIncarnation(ctx, in.ID, state) }); err != nil {
		return err
	}
	in.State = state
	t.registry.put(in, "")
	return nil
}

// leave ends an incarnation that says good-bye.
func (t *term) leave(ctx context.Context, id uint64) error {
	s, ok := t.registry.get(id)
	if !ok || s.State != core.Active {
		return errGone.New(id)
	}
	if err := t.setIncarnation(ctx, s.Incarnation, core.Ending); err != nil {
		return err
	}
	for _, n := range t.nodes.list() {
		n.wake()
	}
	return nil
}

// evict ends incarnations that do not ack, so that a step need not wait for them: the registry says so first, then their accounts go and
// their sessions are seen gone on every node. The last one is not evicted while it still holds its stream.
func (t *term) evict(ctx context.Context, lagging []core.Standing) error {
	for _, s := range lagging {
		if len(t.registry.list(core.Active)) == 1 && s.Streams > 0 {
			return errSilent.New(s.Name)
		}
		if err := t.setIncarnation(ctx, s.Incarnation, core.Ending); err != nil {
			return err
		}
		t.log.WarnContext(ctx, "router evicted", logRouter, s.Name, logIncarnation, s.ID)
		for _, n := range t.nodes.list() {
			n.accounts.Lock()
			err := n.admin.Evict(ctx, s.ID)
			if err == nil {
				n.forget(s.ID)
			}
			n.accounts.Unlock()
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func validName(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !(c == '-' || c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return false
		}
	}
	return true
}
