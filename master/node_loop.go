package master

import (
	"context"
	"fmt"
	"time"

	"ballast/master/core"
)

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
