package backend

import (
	"container/heap"
	"math/rand/v2"
	"testing"
	"time"
)

const (
	us = int64(time.Microsecond)
	ms = int64(time.Millisecond)
)

// nodeModel is a node with some cores, that works on statements in the order in which they come. A statement takes some time on a core, and
// some on the way, or waiting for what is not the node's load.
type nodeModel struct {
	cores int
	// kinds of statements, by weight
	mix []statementModel
}

type statementModel struct {
	weight      float64
	work, aside int64
}

// run is a closed loop: every client sends its next statement when it has the answer to the last.
type run struct {
	rnd      *rand.Rand
	now      int64
	lim      limiter
	node     nodeModel
	clients  int
	max      int
	waiting  int
	busy     []*flightModel // in the order of their beginning, without the stuck
	stuck    int
	queue    []*flightModel // on the node, for a core
	working  int
	events   events
	done     int
	nextTick int64
	most     int // under way at once
}

type flightModel struct {
	began int64
	kind  statementModel
	stuck bool
	at    int64
	what  int // 0 arrives at the node, 1 leaves the core, 2 answered, 3 tick
}

type events []*flightModel

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(*flightModel)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

func newRun(node nodeModel, clients, most int) *run {
	r := &run{rnd: rand.New(rand.NewPCG(1, 2)), node: node, clients: clients, max: most, lim: newLimiter(most, 2), waiting: clients}
	r.schedule(&flightModel{at: tickEvery.Nanoseconds(), what: 3})
	return r
}

func (r *run) schedule(f *flightModel) { heap.Push(&r.events, f) }

func (r *run) allowed() int { return r.lim.allowed(r.stuck) }

func (r *run) admit() {
	for r.waiting > 0 && len(r.busy) < r.allowed() && len(r.busy)+r.stuck < r.max {
		r.waiting--
		f := &flightModel{began: r.now, kind: r.pick()}
		r.busy = append(r.busy, f)
		f.at = r.now + r.vary(f.kind.aside/2)
		r.schedule(f)
	}
	if r.waiting > 0 && len(r.busy) >= r.allowed() {
		r.lim.short = true
	}
	r.most = max(r.most, len(r.busy)+r.stuck)
}

func (r *run) pick() statementModel {
	x := r.rnd.Float64()
	for _, k := range r.node.mix {
		if x -= k.weight; x < 0 {
			return k
		}
	}
	return r.node.mix[0]
}

func (r *run) vary(d int64) int64 {
	return int64(float64(d) * (0.7 + 0.6*r.rnd.Float64()))
}

func (r *run) work() {
	for r.working < r.node.cores && len(r.queue) > 0 {
		f := r.queue[0]
		r.queue = r.queue[1:]
		r.working++
		d := r.vary(f.kind.work)
		f.at, f.what = r.now+d, 1
		r.schedule(f)
	}
}

// until runs the loop up to a time and says how many statements were done a second.
func (r *run) until(end int64) float64 {
	begin := r.now
	r.done, r.most = 0, 0
	r.admit()
	for r.events[0].at < end {
		f := heap.Pop(&r.events).(*flightModel)
		r.now = f.at
		switch f.what {
		case 0:
			r.queue = append(r.queue, f)
			r.work()
		case 1:
			r.working--
			f.at, f.what = r.now+r.vary(f.kind.aside/2), 2
			r.schedule(f)
			r.work()
		case 2:
			r.done++
			r.finish(f)
			r.waiting++
			r.admit()
		case 3:
			for at := r.lim.passing(r.stuck); at > 0 && len(r.busy) > 0 && r.now-r.busy[0].began > r.lim.patience(); at-- {
				r.busy[0].stuck = true
				r.busy = r.busy[1:]
				r.stuck++
			}
			r.admit()
			r.schedule(&flightModel{at: r.now + tickEvery.Nanoseconds(), what: 3})
		}
	}
	r.now = end
	seconds := float64(end-begin) / 1e9
	return float64(r.done) / seconds
}

func (r *run) finish(f *flightModel) {
	if f.stuck {
		r.stuck--
	} else {
		for i := range r.busy {
			if r.busy[i] == f {
				r.busy = append(r.busy[:i:i], r.busy[i+1:]...)
				break
			}
		}
	}
	r.lim.done(r.now, f.began, len(r.busy))
}

// With far more clients than is good, the limiter gets out of a node what there is in it, with not many more under way than that takes.
func TestLimiterFindsTheNode(t *testing.T) {
	const most = 256
	for _, c := range []struct {
		name  string
		node  nodeModel
		full  float64 // statements a second that the node can do, with no more than most under way
		after int64   // how long the limiter has to find out
		least int     // so many must be under way at times
		most  int     // and never more than so many
	}{
		{"point selects, 2 cores", points(2, 40*us), 2 / 40e-6, 200 * ms, 8, 48},
		{"point selects, 16 cores", points(16, 40*us), 16 / 40e-6, 200 * ms, 40, 128},
		{"statements of 1 ms", points(2, ms), 2 / 1e-3, 500 * ms, 2, 48},
		{"statements of 8 ms", points(32, 8*ms), 32 / 8e-3, 1000 * ms, 32, most},
		{"statements of 100 ms", points(4, 100*ms), 4 / .1, 1000 * ms, 4, most},
		{"durable writes", mixed(1, 40*us, 4*ms, 0, 0), 2 / 40e-6, 1000 * ms, 150, most},
		{"reads and durable writes", mixed(.7, 40*us, 80*us, 40*us, 3*ms), 2 / 40e-6, 500 * ms, 30, 128},
		{"a tenth waits for locks", mixed(.9, 40*us, 80*us, 40*us, 100*ms), 10 * most / .1, 1000 * ms, 100, most},
		{"sleep", mixed(1, 20*us, 1000*ms, 0, 0), most, 2000 * ms, 200, most},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRun(c.node, 1024, most)
			early := r.until(c.after)
			rate := r.until(c.after + max(300*ms, c.after/2))
			t.Logf("limit %.0f, at most %d under way: %.0f/s (%.0f before) of %.0f", r.lim.limit, r.most, rate, early, c.full)
			if rate < .9*c.full {
				t.Errorf("%.0f/s of %.0f", rate, c.full)
			}
			if r.most < c.least || r.most > c.most {
				t.Errorf("%d under way", r.most)
			}
		})
	}
}

// When the work changes, what the limiter has learned from the old one does not hold it back.
func TestLimiterFollowsChanges(t *testing.T) {
	t.Parallel()
	fast, slow := points(2, 40*us), points(32, 8*ms)
	r := newRun(fast, 1024, 256)
	r.until(300 * ms)
	r.node = slow
	r.until(1800 * ms)
	if rate := r.until(2500 * ms); rate < .9*32/8e-3 {
		t.Errorf("slower statements on more cores: %.0f/s, limit %.0f", rate, r.lim.limit)
	}
	r.node = fast
	r.until(4000 * ms)
	if rate := r.until(4200 * ms); rate < .9*2/40e-6 || r.most > 64 {
		t.Errorf("fast statements again: %.0f/s, limit %.0f, %d under way", rate, r.lim.limit, r.most)
	}
}

// Few clients are not held back, and teach nothing about the limit.
func TestLimiterLeavesFewAlone(t *testing.T) {
	t.Parallel()
	for _, clients := range []int{1, 2, 8, 16} {
		r, free := newRun(points(4, 40*us), clients, 256), newRun(points(4, 40*us), clients, 256)
		free.lim = limiter{limit: 256, max: 256}
		r.until(200 * ms)
		free.until(200 * ms)
		if rate, direct := r.until(500*ms), free.until(500*ms); rate < .97*direct {
			t.Errorf("%d clients: %.0f/s, without a limit %.0f/s", clients, rate, direct)
		}
	}
}

// However long statements take, a crowd of them is let in soon.
func TestLimiterLetsTheSlowIn(t *testing.T) {
	t.Parallel()
	r := newRun(mixed(1, 10*us, 10_000*ms, 0, 0), 200, 256)
	r.until(150 * ms)
	if r.most < 200 {
		t.Errorf("%d of 200 are under way", r.most)
	}
	r = newRun(points(2, 40*us), 200, 256) // all wait for one lock
	r.until(500 * ms)
	r.node = mixed(1, 10*us, 10_000*ms, 0, 0)
	r.until(700 * ms)
	if r.most < 200 {
		t.Errorf("%d of 200 are under way after a change", r.most)
	}
}

func points(cores int, work int64) nodeModel {
	return nodeModel{cores: cores, mix: []statementModel{{weight: 1, work: work, aside: 80 * us}}}
}

func mixed(share float64, work, aside, work2, aside2 int64) nodeModel {
	return nodeModel{cores: 2, mix: []statementModel{{share, work, aside}, {1 - share, work2, aside2}}}
}
