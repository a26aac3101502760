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
