package master

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"ballast/master/core"
	"ballast/master/meta"
	"ballast/master/nodeadmin"
	"ballast/rules/catalog"
)

// node is a db node as the leader works with it.
type node struct {
	index      int
	name       string
	flavor     catalog.Flavor
	uuid       string
	nonDurable bool
	admin      *nodeadmin.Node
	kick       chan struct{}
	// retired ends the node's loop.
	retired chan struct{}

	// accounts serializes what is done with router accounts on the node.
	accounts sync.Mutex

	mu    sync.Mutex
	up    bool
	ready bool
	why   string
	have  map[uint64]bool // accounts that exist, with all rights
	// changed is closed when the state may have changed.
	changed chan struct{}
}

// nodeSet holds the nodes by index; a removed one is nil.
type nodeSet struct {
	mu sync.Mutex
	by []*node
}

func (s *nodeSet) put(index int, n *node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.by) <= index {
		s.by = append(s.by, nil)
	}
	s.by[index] = n
}

// list gives the nodes in service in the order of their index.
func (s *nodeSet) list() []*node {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.by), func(n *node) bool { return n == nil })
}

func (s *nodeSet) get(index int) *node {
	s.mu.Lock()
	defer s.mu.Unlock()
	if index < 0 || index >= len(s.by) {
		return nil
	}
	return s.by[index]
}

func (t *term) openNode(index int, n catalog.Node, a meta.Admin) (*node, error) {
	admin, err := nodeadmin.Open(nodeadmin.Config{Name: n.Name, Addr: n.Addr, User: a.User, Password: a.Password, TLS: t.m.nodeTLS})
	if err != nil {
		return nil, err
	}
	return &node{
		index: index, name: n.Name, flavor: n.Flavor, uuid: n.UUID, nonDurable: a.NonDurable, admin: admin,
		kick: make(chan struct{}, 1), retired: make(chan struct{}), have: map[uint64]bool{}, why: "not looked at yet",
		changed: make(chan struct{}),
	}, nil
}

// wake makes the node's loop look again soon.
func (n *node) wake() {
	select {
	case n.kick <- struct{}{}:
	default:
	}
}

// retire ends the node's loop; called once.
func (n *node) retire() { close(n.retired) }

func (n *node) state() (up, ready bool, why string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.up, n.ready, n.why
}

func (n *node) setState(up, ready bool, why string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.up, n.ready, n.why = up, ready, why
	close(n.changed)
	n.changed = make(chan struct{})
}

// awaitReady waits until the node has everything that this term brings to it, or answers that it is down.
func (n *node) awaitReady(ctx context.Context) error {
	n.wake()
	for {
		n.mu.Lock()
		ready, why, changed := n.ready, n.why, n.changed
		n.mu.Unlock()
		if ready {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return errNodeDown.Wrap(errors.New(why), n.name)
		}
	}
}

// watchNode keeps an eye on a node and brings to it what it lacks, as long as the term lasts.
func (t *term) watchNode(n *node) {
	t.spawn(func() {
		for first := true; ; first = false {
			t.lookAt(n, first)
			timer := time.NewTimer(time.Second)
			select {
			case <-t.ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			case <-n.kick:
				timer.Stop()
			case <-n.retired:
				timer.Stop()
				return
			}
			if up, _, _ := n.state(); !up {
				t.m.metrics.nodeUp.WithLabelValues(n.name).Set(0)
			} else {
				t.m.metrics.nodeUp.WithLabelValues(n.name).Set(1)
			}
		}
	})
}

func (t *term) lookAt(n *node, first bool) {
	ctx, cancel := context.WithTimeout(t.ctx, 3*time.Second)
	err := n.admin.Ping(ctx)
	cancel()
	wasUp, wasReady, _ := n.state()
	if err != nil {
		if t.ctx.Err() == nil && (wasUp || first) {
			t.log.WarnContext(t.ctx, "node down", logNode, n.name, logError, err)
		}
		n.setState(false, false, err.Error())
		return
	}
	if !wasUp && !first {
		t.log.InfoContext(t.ctx, "node up", logNode, n.name)
	}
	if err := t.bring(t.ctx, n, !wasReady); err != nil {
		if t.ctx.Err() == nil && (wasReady || first) {
			t.log.WarnContext(t.ctx, "node not ready", logNode, n.name, logError, err)
		}
		n.setState(true, false, err.Error())
		return
	}
	n.setState(true, true, "")
}

// bring brings accounts to a node and takes away those that are over. With whole set the node is new to this term or was away: it is also
// identified, told the epoch, and rid of sessions of older leaders.
func (t *term) bring(ctx context.Context, n *node, whole bool) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if whole {
		if err := t.identify(ctx, n); err != nil {
			return err
		}
		if err := n.admin.RaiseEpoch(ctx, t.epoch); err != nil {
			return err
		}
		for _, j := range t.jobs.list() {
			if j.inherited {
				if err := n.admin.BreakJob(ctx, j.id()); err != nil {
					return err
				}
			}
		}
	}
	n.accounts.Lock()
	defer n.accounts.Unlock()
	there := n.accountSet()
	if whole {
		var err error
		if there, err = n.admin.Accounts(ctx); err != nil {
			return err
		}
		n.setAccounts(nil)
	}
	want := map[uint64]bool{}
	for _, s := range t.registry.list(core.Pooled, core.Active) {
		want[s.ID] = true
		if n.has(s.ID) {
			continue
		}
		if err := t.giveAccount(ctx, n, s.ID); err != nil {
			return err
		}
	}
	for id := range there {
		if want[id] {
			continue
		}
		if err := n.admin.Evict(ctx, id); err != nil {
			return err
		}
		n.forget(id)
		t.log.InfoContext(ctx, "account taken away", logNode, n.name, logIncarnation, id)
	}
	return nil
}

// identify makes sure that the server at the address is the one that was registered.
func (t *term) identify(ctx context.Context, n *node) error {
	uuid, err := n.admin.Prepare(ctx, t.pub.current().ClusterUUID, n.flavor)
	if err != nil {
		return err
	}
	if uuid != n.uuid {
		return fmt.Errorf("node %s: another server answers at its address (%s, registered was %s)", n.name, uuid, n.uuid)
	}
	return nil
}

// giveAccount makes an incarnation's account on the node, with rights on every schema. The caller holds accounts.
func (t *term) giveAccount(ctx context.Context, n *node, id uint64) error {
	if err := n.admin.CreateAccount(ctx, n.flavor, id, t.registry.password(id)); err != nil {
		return err
	}
	for _, schema := range t.grants.list() {
		if err := n.admin.Grant(ctx, schema, id); err != nil {
			return err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.have[id] = true
	return nil
}

func (n *node) has(id uint64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.have[id]
}

func (n *node) forget(id uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.have, id)
}

func (n *node) accountSet() map[uint64]bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := make(map[uint64]bool, len(n.have))
	for id := range n.have {
		out[id] = true
	}
	return out
}

func (n *node) setAccounts(ids map[uint64]bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.have = map[uint64]bool{}
	for id := range ids {
		n.have[id] = true
	}
}
