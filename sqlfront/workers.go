package sqlfront

import "sync"

// idleWorkers is how many goroutines wait for the next command that may block. More only keep their stacks.
const idleWorkers = 32

// workers run for clients of event loops what may block. Their goroutines are used again: a new one's stack would have to grow each time to the
// depth that planning and merging need.
type workers struct {
	mu     sync.Mutex
	idle   []chan job // last in, first out
	closed bool
	wait   sync.WaitGroup
}

// job is a command that a loop has handed over: the rest of a launched one, or what has come from the client.
type job struct {
	c    *conn
	rest func() error
}

func (j job) do() {
	lc := j.c.looped.Load()
	if j.rest != nil {
		j.c.runRest(lc, j.rest)
		return
	}
	j.c.runCommands(lc)
}

// run has a job done soon; it does not wait.
func (w *workers) run(j job) {
	w.mu.Lock()
	if last := len(w.idle) - 1; last >= 0 {
		jobs := w.idle[last]
		w.idle = w.idle[:last]
		w.mu.Unlock()
		jobs <- j // there is room: only this call had the channel
		return
	}
	w.mu.Unlock()
	w.wait.Go(func() { w.work(j) })
}

func (w *workers) work(j job) {
	jobs := make(chan job, 1)
	for {
		j.do()
		j = job{}
		w.mu.Lock()
		if w.closed || len(w.idle) >= idleWorkers {
			w.mu.Unlock()
			return
		}
		w.idle = append(w.idle, jobs)
		w.mu.Unlock()
		var ok bool
		if j, ok = <-jobs; !ok {
			return
		}
	}
}

// close ends the goroutines, once nothing is run any more, and waits for them.
func (w *workers) close() {
	w.mu.Lock()
	w.closed = true
	for _, jobs := range w.idle {
		close(jobs)
	}
	w.idle = nil
	w.mu.Unlock()
	w.wait.Wait()
}
