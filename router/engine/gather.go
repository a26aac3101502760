package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ballast/sqlfront/wire"
)

// alone is how long one goroutine waits for the nodes in turn. After that each has a goroutine of its own, so that a node that fails is
// noticed while another takes its time.
const alone = 50 * time.Millisecond

// slowClose is how long the closing of streams may take until the rest is closed at once.
const slowClose = 2 * time.Millisecond

// gathered is the streams of several nodes for one query each, all with the same columns.
type gathered struct {
	inputs   []input
	streams  []Stream
	columns  []wire.Column
	stop     func() bool
	failed   atomic.Bool
	warnings uint16
	closed   bool
}

// input is one node's query until its rows come.
type input struct {
	query   Started
	claimed atomic.Bool // somebody waits for its rows
	err     error
}

// gather runs queries on their nodes. All are sent before the first answer is waited for. Connections are taken in the order of the nodes,
// each while those before it are kept: whoever waits for a node holds none of a later one, so that no circle of waiting can close. A node
// whose connections are all in use holds up what comes after it; what was sent before runs meanwhile.
func gather(ctx context.Context, sh Shards, queries []Query, f wire.Format) (*gathered, error) {
	if len(queries) == 0 {
		return nil, errNoNodes.New()
	}
	g := &gathered{inputs: make([]input, len(queries)), streams: make([]Stream, len(queries))}
	err := g.start(ctx, sh, queries, f)
	if err == nil {
		g.stop = context.AfterFunc(ctx, g.interrupt)
		for i := range g.inputs {
			g.inputs[i].query.Ready()
		}
	} else {
		g.fail()
	}
	if waiting := g.collect(); err == nil || cancelled(err) && waiting != nil {
		err = waiting
	}
	if err == nil {
		err = g.agree(f)
	}
	if err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

// start sends the queries.
func (g *gathered) start(ctx context.Context, sh Shards, queries []Query, f wire.Format) (err error) {
	send := func(i int) bool {
		q := queries[i]
		q.Format = f
		g.inputs[i].query, err = sh.Start(ctx, q)
		if err != nil {
			g.inputs[i].query = nil
		}
		return err == nil
	}
	if slices.IsSortedFunc(queries, byNode) {
		for i := range queries {
			if !send(i) {
				break
			}
		}
		return err
	}
	order := make([]int, len(queries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return byNode(queries[a], queries[b]) })
	for _, i := range order {
		if !send(i) {
			break
		}
	}
	return err
}

func byNode(a, b Query) int { return a.Node - b.Node }

// collect waits for the rows of all nodes.
func (g *gathered) collect() error {
	var others sync.WaitGroup
	if len(g.inputs) > 1 {
		others.Add(1)
		timer := time.AfterFunc(alone, func() {
			defer others.Done()
			for i := range g.inputs {
				if !g.inputs[i].claimed.Load() {
					others.Go(func() { g.await(i) })
				}
			}
		})
		for i := len(g.inputs) - 1; i >= 0; i-- { // what was sent last is likely to come last: the others are there by then
			g.await(i)
		}
		if timer.Stop() {
			others.Done()
		}
		others.Wait()
	} else {
		g.await(0)
	}
	var first error
	for i := range g.inputs {
		if err := g.inputs[i].err; err != nil && (first == nil || cancelled(first) && !cancelled(err)) {
			first = err
		}
	}
	return first
}

// await waits for the rows of one node, unless somebody else does.
func (g *gathered) await(i int) {
	in := &g.inputs[i]
	if in.query == nil || in.claimed.Swap(true) {
		return
	}
	if g.streams[i], in.err = in.query.Rows(); in.err != nil {
		g.streams[i] = nil
		g.fail()
	}
}

// fail ends what runs on the nodes because one of them has failed.
func (g *gathered) fail() {
	if !g.failed.Swap(true) && len(g.inputs) > 1 {
		go g.interrupt()
	}
}

// interrupt ends what runs on the nodes.
func (g *gathered) interrupt() {
	var all sync.WaitGroup
	for i := range g.inputs {
		if q := g.inputs[i].query; q != nil {
			all.Go(q.Interrupt)
		}
	}
	all.Wait()
}

// agree finds the columns that hold all nodes' values.
func (g *gathered) agree(f wire.Format) error {
	g.columns = g.streams[0].Columns()
	for _, st := range g.streams[1:] {
		if sameColumns(g.columns, st.Columns()) {
			continue
		}
		var err error
		if g.columns, err = widenAll(g.columns, st.Columns()); err != nil {
			return err
		}
	}
	for i, st := range g.streams {
		g.streams[i] = widenStream(st, g.columns, f)
	}
	return nil
}

// firstCause prefers an error that is not the cancelling of the others.
func firstCause(errs []error) error {
	var first error
	for _, err := range errs {
		if err != nil && (first == nil || cancelled(first) && !cancelled(err)) {
			first = err
		}
	}
	return first
}

// cancelled says whether an error may be the echo of a cancelled context: the context's own, or the server's word that a query was interrupted.
func cancelled(err error) bool {
	const interrupted = 1317
	var numbered interface{ MySQL() (uint16, string) }
	if errors.As(err, &numbered) {
		if n, _ := numbered.MySQL(); n == interrupted {
			return true
		}
	}
	return errors.Is(err, context.Canceled)
}

// ended counts a stream's warnings when it has given its last row.
func (g *gathered) ended(i int) error {
	g.warnings += g.streams[i].Warnings()
	err := g.streams[i].Close()
	g.streams[i] = nil
	return err
}

// close gives up what the streams still have.
func (g *gathered) close() error {
	if g.closed {
		return nil
	}
	g.closed = true
	if g.stop != nil {
		defer g.stop()
	}
	var errs []error
	began := time.Time{}
	for i, st := range g.streams {
		if st == nil {
			continue
		}
		switch now := time.Now(); {
		case began.IsZero():
			began = now
		case now.Sub(began) > slowClose:
			return errors.Join(append(errs, closeAtOnce(g.streams[i:]))...)
		}
		g.streams[i] = nil
		if err := st.Close(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// closeAtOnce closes streams side by side: each may wait a little for its end.
func closeAtOnce(streams []Stream) error {
	errs := make([]error, len(streams))
	var all sync.WaitGroup
	for i, st := range streams {
		if st != nil {
			all.Go(func() { errs[i] = st.Close() })
		}
	}
	all.Wait()
	clear(streams)
	return errors.Join(errs...)
}
