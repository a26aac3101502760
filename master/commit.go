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
func (t *term) commit(c change) (catalog.Version, core.Position, error) {
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
	if err := t.transact(func(ctx context.Context, tx *meta.Tx) error {
		if c.store != nil {
			if err := c.store(ctx, tx); err != nil {
				return err
			}
		}
		if err := tx.Write(ctx, d.Delta()); err != nil {
			return err
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
	if c.after != nil {
		c.after()
	}
	position := t.pub.publish(d.Delta(), next)
	t.log.InfoContext(t.ctx, "version committed", logVersion, next.Version.String(), logWhat, c.what)
	return next.Version, position, nil
}

// transact runs a metadata transaction of this term. A client that goes away does not break it off; a lost outcome, or a later leader, ends
// the term.
func (t *term) transact(fn func(context.Context, *meta.Tx) error) error {
	ctx, cancel := context.WithTimeout(t.ctx, 8*time.Second)
	defer cancel()
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

// waitAcks waits until every router of the moment has taken over what was published at the position, at most the configured time. It gives
// those that have not.
func (t *term) waitAcks(ctx context.Context, p core.Position) []core.Standing {
	limit := time.NewTimer(t.m.cfg.AckWait)
	defer limit.Stop()
	set := t.registry.active()
	for {
		lagging, changed := t.registry.lagging(p, set)
		if len(lagging) == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-limit.C:
			return lagging
		case <-ctx.Done():
			return lagging
		case <-t.ctx.Done():
			return lagging
		}
	}
}
