package master

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/meta"
	"ballast/rules/catalog"
)

// why says who wants a change and for what reason, for the audit log.
type why struct{ who, reason string }

// change is one change of the catalog.
type change struct {
	// what goes to the audit log: one line, no literals, no passwords.
	what string
	by   why
	// draft collects the new version; store writes what is no part of the catalog, in the same transaction. Either may be nil.
	draft func(*core.Draft) error
	store func(context.Context, *meta.Tx) error
	// after runs once it is committed, before anything is published, still under the lock.
	after func()
}

// commit makes the next version: one metadata transaction that begins with the write of the lease, then publishing. It gives where in the
// stream the new version stands, so that acks can be waited for.
func (t *term) commit(ctx context.Context, c change) (catalog.Version, core.Position, error) {
	t.commits.Lock()
	defer t.commits.Unlock()
	base := t.pub.current()
	d := core.NewDraft(base, t.epoch)
	if c.draft != nil {
		if err := c.draft(d); err != nil {
			return catalog.Version{}, core.Position{}, err
		}
	}
	next := d.Delta().Apply(base)
	empty := t.emptyGroups(next)
	if err := t.transact(ctx, func(ctx context.Context, tx *meta.Tx) error {
		if c.store != nil {
			if err := c.store(ctx, tx); err != nil {
				return err
			}
		}
		if err := tx.Write(ctx, d.Delta()); err != nil {
			return err
		}
		for _, g := range empty {
			if err := tx.DropGroup(ctx, g); err != nil {
				return err
			}
		}
		return tx.Audit(ctx, api.AuditEntry{Who: c.by.who, What: c.what, Why: c.by.reason, Version: next.Version})
	}); err != nil {
		return catalog.Version{}, core.Position{}, fmt.Errorf("commit %q: %w", c.what, err)
	}
	for _, table := range d.Delta().Tables {
		if table.Group != "" && table.Strategy != nil {
			t.groups[table.Group] = table.Strategy
		}
	}
	for _, g := range empty {
		delete(t.groups, g)
	}
	if c.after != nil {
		c.after()
	}
	position := t.pub.publish(d.Delta(), next)
	t.log.InfoContext(ctx, "version committed", logVersion, next.Version.String(), logWhat, c.what)
	return next.Version, position, nil
}

// emptyGroups lists the balance groups that have no table left in the next version.
func (t *term) emptyGroups(next *catalog.Snapshot) []string {
	used := map[string]bool{}
	for _, table := range next.Tables {
		used[table.Group] = true
	}
	var out []string
	for g := range t.groups {
		if !used[g] {
			out = append(out, g)
		}
	}
	return out
}

// transact runs a metadata transaction of this term. A client that goes away does not break it off; a lost outcome, or a later leader, ends
// the term.
func (t *term) transact(ctx context.Context, fn func(context.Context, *meta.Tx) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 8*time.Second)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)() //nolint:contextcheck // the term's end ends it, too
	began := time.Now()
	err := t.store.Do(ctx, t.epoch, func(tx *meta.Tx) error { return fn(ctx, tx) })
	t.m.metrics.metaSeconds.Observe(time.Since(began).Seconds())
	if errors.Is(err, meta.ErrDeposed) || errors.Is(err, meta.ErrUnknown) {
		t.end(err)
		return errNotLeader.Wrap(err)
	}
	if err != nil && !isAnswer(err) {
		return errNoMeta.Wrap(err)
	}
	return err
}

// streamGrace is how long a step that is safe without a router's ack waits for one that holds no stream just now.
const streamGrace = 1500 * time.Millisecond

// waitAcks waits until every router of the moment has taken over what was published at the position, at most the configured time. It gives
// those that have not. Unless all is set, a router that holds no stream is waited for only a moment: it may have died long ago.
func (t *term) waitAcks(ctx context.Context, p core.Position, all bool) []core.Standing {
	limit, grace := time.NewTimer(t.m.cfg.AckWait), time.NewTimer(streamGrace)
	defer limit.Stop()
	defer grace.Stop()
	set := t.registry.active()
	for {
		lagging, changed := t.registry.lagging(p, set)
		if len(lagging) == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-grace.C:
			if all {
				continue
			}
			for _, s := range lagging {
				if s.Streams == 0 {
					delete(set, s.ID)
				}
			}
		case <-limit.C:
			return lagging
		case <-ctx.Done():
			return lagging
		case <-t.ctx.Done():
			return lagging
		}
	}
}
