package master

import (
	"context"
	"time"

	"ballast/master/core"
	"ballast/master/meta"
)

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
