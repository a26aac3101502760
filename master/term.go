package master

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"ballast/master/core"
	"ballast/master/meta"
	"ballast/rules"
	"ballast/rules/catalog"
)

// term is one master's leadership under one epoch, with all that it knows.
type term struct {
	m     *Master
	log   *slog.Logger
	store *meta.Store
	epoch uint64
	pub   *publisher

	// ctx ends with the term; end ends it, saying why.
	ctx context.Context //nolint:containedctx // it is the term's own life, which no single call owns
	end context.CancelCauseFunc
	// work holds the goroutines of the term; run waits for them.
	work *errgroup.Group

	// commits serializes changes of the catalog; what stands below it changes under it only.
	commits sync.Mutex
	groups  map[string]*rules.Strategy
	planned map[catalog.Name]string

	// facts are what all nodes have in common.
	facts    atomic.Pointer[core.Facts]
	registry *registry
	nodes    nodeSet
	// grants are the schemas that router accounts have rights on: those of the catalog and those just being made.
	grants schemaSet
	jobs   jobTable
	// scratch serializes the use of the scratch database.
	scratch sync.Mutex
	raises  raisers
}

// newTerm loads everything; nothing runs yet.
func (m *Master) newTerm(ctx context.Context, store *meta.Store, epoch uint64, end context.CancelCauseFunc) (*term, error) {
	state, err := store.Load(ctx)
	if err != nil {
		return nil, err
	}
	work, workCtx := errgroup.WithContext(ctx)
	t := &term{
		m: m, log: m.log.With(logEpoch, epoch), store: store, epoch: epoch, pub: newPublisher(epoch, state.Snapshot),
		ctx: workCtx, end: end, work: work, groups: state.Groups, planned: state.Planned,
		registry: newRegistry(state.Incarnations, state.Passwords),
	}
	t.facts.Store(&state.Facts)
	t.jobs.load(state.Jobs)
	t.raises.by = map[string]*raiser{}
	t.grants.names = map[string]bool{}
	for name := range state.Snapshot.Schemas {
		t.grants.names[name] = true
	}
	for _, j := range state.Jobs {
		if j.Schema != nil {
			t.grants.names[j.Schema.Name] = true
		}
	}
	for i, n := range state.Snapshot.Nodes {
		if n.Removed {
			t.nodes.put(i, nil)
			continue
		}
		node, err := t.openNode(i, n, state.Admins[i])
		if err != nil {
			return nil, err
		}
		t.nodes.put(i, node)
	}
	return t, nil
}

// run does the term's work until it ends, and returns when all of it has stopped.
func (t *term) run() {
	for _, n := range t.nodes.list() {
		t.watchNode(n)
	}
	t.work.Go(t.keepPool)
	t.work.Go(t.endIncarnations)
	for _, j := range t.jobs.list() {
		t.resumeJob(j)
	}
	<-t.ctx.Done()
	if err := t.work.Wait(); err != nil {
		t.log.DebugContext(t.ctx, "work of the term ended", logError, err)
	}
	for _, n := range t.nodes.list() {
		if err := n.admin.Close(); err != nil {
			t.log.DebugContext(t.ctx, "node connections not closed", logNode, n.name, logError, err)
		}
	}
}

// spawn runs work of the term; it is waited for before the term is over.
func (t *term) spawn(fn func()) {
	t.work.Go(func() error { fn(); return nil })
}

// schemaSet is a set of names that several goroutines use.
type schemaSet struct {
	mu    sync.Mutex
	names map[string]bool
}

func (s *schemaSet) set(name string, in bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in {
		s.names[name] = true
	} else {
		delete(s.names, name)
	}
}

func (s *schemaSet) list() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]string, 0, len(s.names))
	for name := range s.names {
		out = append(out, name)
	}
	return out
}

// why is what a caller reads of an error: when the term ended under the call, whatever broke is its echo.
func (t *term) why(err error) error {
	if t.ctx.Err() == nil || isAnswer(err) {
		return err
	}
	if cause := context.Cause(t.ctx); isAnswer(cause) {
		return cause
	}
	return errNotLeader.Wrap(err)
}

// leading gives the present term, or the error that the API answers with.
func (m *Master) leading() (*term, error) {
	if t := m.term.Load(); t != nil {
		return t, nil
	}
	if m.meta.Load() == nil || m.metaAway.Load() {
		return nil, errNoMeta.New()
	}
	return nil, fmt.Errorf("standby: %w", errNotLeader.New())
}
