package master

import (
	"context"
	"slices"
	"sync"
	"time"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/rules/catalog"
)

// openJob is a definition job that has not ended, with those who wait for it.
type openJob struct {
	// inherited marks a job that an earlier term began.
	inherited bool
	done      chan struct{}
	unlock    func()

	mu  sync.Mutex
	job core.Job
	// version and err are the outcome, once done is closed.
	version catalog.Version
	err     error
}

func (j *openJob) id() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.job.ID
}

// copy is the job as it stands.
func (j *openJob) copy() core.Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	c := j.job
	c.Done = slices.Clone(j.job.Done)
	c.Notes = slices.Clone(j.job.Notes)
	return c
}

func (j *openJob) change(fn func(*core.Job)) core.Job {
	j.mu.Lock()
	fn(&j.job)
	j.mu.Unlock()
	return j.copy()
}

// jobTable holds the open jobs, and what they keep others from.
type jobTable struct {
	mu      sync.Mutex
	open    []*openJob
	locks   map[int][]catalog.Name
	next    int
	changed chan struct{}
}

func (t *jobTable) load(jobs []core.Job) {
	t.locks = map[int][]catalog.Name{}
	t.changed = make(chan struct{})
	for _, j := range jobs {
		o := &openJob{inherited: true, done: make(chan struct{}), job: j}
		o.unlock = t.hold(jobNames(&j.Request))
		t.open = append(t.open, o)
	}
}

func (t *jobTable) add(o *openJob) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = append(t.open, o)
}

func (t *jobTable) remove(o *openJob) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = slices.DeleteFunc(t.open, func(x *openJob) bool { return x == o })
}

func (t *jobTable) list() []*openJob {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.open)
}

func (t *jobTable) find(id uint64) *openJob {
	for _, o := range t.list() {
		if o.id() == id {
			return o
		}
	}
	return nil
}

// hold takes names without asking.
func (t *jobTable) hold(names []catalog.Name) (unlock func()) {
	key := t.next
	t.next++
	t.locks[key] = names
	var once sync.Once
	return func() {
		once.Do(func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			delete(t.locks, key)
			close(t.changed)
			t.changed = make(chan struct{})
		})
	}
}

// lock waits until no other job is about any of the names; a name without a table is a whole database.
func (t *jobTable) lock(ctx context.Context, names []catalog.Name) (unlock func(), err error) {
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	for {
		t.mu.Lock()
		free := true
		for _, held := range t.locks {
			free = free && !meet(names, held)
		}
		if free {
			unlock := t.hold(names)
			t.mu.Unlock()
			return unlock, nil
		}
		changed := t.changed
		t.mu.Unlock()
		select {
		case <-changed:
		case <-limit.C:
			return nil, errDefinitionBusy.New()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// lockAll waits until no job is open at all, and keeps new ones out.
func (t *jobTable) lockAll(ctx context.Context) (unlock func(), err error) {
	return t.lock(ctx, []catalog.Name{{}})
}

func meet(a, b []catalog.Name) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Schema == "" || y.Schema == "" || x.Schema == y.Schema && (x.Table == "" || y.Table == "" || x.Table == y.Table) {
				return true
			}
		}
	}
	return false
}

// jobNames are the names that a statement is about.
func jobNames(q *api.DDLRequest) []catalog.Name {
	names := append(slices.Clone(q.Tables), q.To...)
	if q.Like != nil {
		names = append(names, *q.Like)
	}
	return names
}
