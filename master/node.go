package master

import (
	"context"
	"errors"
	"slices"
	"sync"

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
