package master

import (
	"context"
	"errors"
	"time"

	"ballast/master/core"
	"ballast/master/meta"
)

// beat is how often a leader advances the lease and a standby looks at it.
const beat = 500 * time.Millisecond

// lead is the life of a master: connect to the metadata, wait for the lease, lead until the term ends, again.
func (m *Master) lead(ctx context.Context) error {
	store, err := m.connect(ctx)
	if err != nil || store == nil {
		return err
	}
	m.meta.Store(store)
	begin := time.Now()
	leadership := core.NewLeadership(m.self, core.LeaseTimes{Still: m.cfg.LeaseStill, Doubt: 3 * time.Second})
	for ctx.Err() == nil {
		epoch, err := m.takeLease(ctx, store, leadership, begin)
		if err != nil || epoch == 0 {
			break // only ctx ends it
		}
		m.serveTerm(ctx, store, leadership, begin, epoch)
		leadership.Deposed()
	}
	return store.Close()
}

// connect opens the metadata, however long it takes. A fault that time does not heal is an error.
func (m *Master) connect(ctx context.Context) (*meta.Store, error) {
	for said := false; ; {
		store, err := meta.Open(ctx, meta.Config{DSN: m.cfg.Meta, Key: m.key})
		if err == nil {
			return store, nil
		}
		if ctx.Err() != nil {
			return nil, nil
		}
		if fatal(err) {
			return nil, err
		}
		if !said {
			m.log.WarnContext(ctx, "waiting for the metadata server", logError, err)
			said = true
		}
		if !sleep(ctx, beat) {
			return nil, nil
		}
	}
}

// fatal says whether an error of Open needs a person.
func fatal(err error) bool { return meta.Refused(err) }

// metaAnswers notes whether the metadata server does.
func (m *Master) metaAnswers(yes bool) {
	m.metaAway.Store(!yes)
	up := 0.0
	if yes {
		up = 1
	}
	m.metrics.metaUp.Set(up)
}

// takeLease waits until the lease is this master's and gives the epoch; 0 when ctx ended.
func (m *Master) takeLease(ctx context.Context, store *meta.Store, l *core.Leadership, begin time.Time) (uint64, error) {
	for {
		now := time.Since(begin)
		lease, err := store.Lease(ctx)
		if err == nil {
			leader := lease.Holder
			m.leader.Store(&leader)
			m.metaAnswers(true)
			if l.Observe(now, lease) {
				epoch, err := store.TakeOver(ctx, lease, m.self)
				if err == nil {
					l.Won(time.Since(begin), epoch)
					m.leader.Store(&m.self)
					return epoch, nil
				}
				if !errors.Is(err, meta.ErrDeposed) {
					m.log.WarnContext(ctx, "lease not taken", logError, err)
				}
			}
		} else if ctx.Err() == nil {
			m.metaAnswers(false)
			m.log.DebugContext(ctx, "metadata server not reached", logError, err)
		}
		if !sleep(ctx, beat/2) {
			return 0, nil
		}
	}
}

// serveTerm runs one term and keeps its lease alive.
func (m *Master) serveTerm(ctx context.Context, store *meta.Store, l *core.Leadership, begin time.Time, epoch uint64) {
	started := time.Now()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	t, err := m.newTerm(ctx, store, epoch, end)
	if err != nil {
		m.log.ErrorContext(ctx, "term not begun", logEpoch, epoch, logError, err)
		sleep(ctx, beat)
		return
	}
	m.term.Store(t)
	m.metrics.leading.Set(1)
	m.log.InfoContext(ctx, "leading", logEpoch, epoch, logVersion, t.pub.current().Version.String(), logTook, time.Since(started).Round(time.Millisecond).String())
	done := make(chan struct{})
	go func() { //nolint:contextcheck // run works under the term's own context
		defer close(done)
		t.run()
	}()
	cause := m.keepLease(ctx, store, l, begin, epoch)
	m.term.CompareAndSwap(t, nil)
	m.metrics.leading.Set(0)
	end(cause)
	<-done
	m.log.InfoContext(context.WithoutCancel(ctx), "term ended", logEpoch, epoch, logError, cause.Error())
	if errors.Is(cause, errStopping) {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if err := store.Resign(last, epoch); err != nil {
			m.log.WarnContext(last, "lease not given up", logError, err)
		}
	}
}

var errStopping = errors.New("this master is stopping")

// keepLease advances the lease until the term ends, and says why it did.
func (m *Master) keepLease(ctx context.Context, store *meta.Store, l *core.Leadership, begin time.Time, epoch uint64) error {
	for {
		if !sleep(ctx, beat) {
			if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
				return cause
			}
			return errStopping
		}
		try, cancel := context.WithTimeout(ctx, 2*time.Second)
		err := store.KeepAlive(try, epoch)
		cancel()
		switch {
		case err == nil:
			l.Renewed(time.Since(begin))
			m.metaAnswers(true)
		case errors.Is(err, meta.ErrDeposed):
			return err
		default:
			m.metaAnswers(false)
			l.Missed(time.Since(begin))
			if l.Role() == core.Doubtful {
				return errNoMeta.Wrap(err)
			}
		}
	}
}

// sleep waits, and answers false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
