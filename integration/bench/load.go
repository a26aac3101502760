//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"golang.org/x/sys/unix"
)

// opening bounds the clients that log in at a time: more would overrun the servers' listening queues.
const opening = 32

// load is the clients of a cell. One goroutine drives all of them: a client is a coroutine that waits in its reads, so that the load
// costs the machine little, and the same for every middle.
type load struct {
	ep      int
	byFD    []*socket
	tasks   []*task
	live    int  // clients that have not ended
	open    int  // clients that are logged in and wait for the start
	started bool // the clock runs
	stopped bool // clients end after the step they are in
	errs    []error
}

// task is one client's coroutine.
type task struct {
	l      *load
	yield  func(struct{}) bool
	resume func() (struct{}, bool)
	cancel func()
	ended  bool
}

// errStopped ends what a client was doing when the load was closed.
var errStopped = errors.New("the load was stopped")

func newLoad() (*load, error) {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return &load{ep: ep}, nil
}

// start makes a client and runs it until it waits for the first time.
func (l *load) start(body func(t *task) error) {
	t := &task{l: l}
	l.tasks = append(l.tasks, t)
	l.live++
	t.resume, t.cancel = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		if err := body(t); err != nil && !errors.Is(err, errStopped) && len(l.errs) < 2 { // the others say the same
			l.errs = append(l.errs, err)
		}
	})
	t.run()
}

func (t *task) run() {
	if t.ended {
		return
	}
	if _, going := t.resume(); !going {
		t.ended = true
		t.l.live--
	}
}

// wait gives the others their turn until one of the task's sockets can do something.
func (t *task) wait() error {
	if !t.yield(struct{}{}) {
		return errStopped
	}
	return nil
}

// awaitStart is called by a client that is ready.
func (t *task) awaitStart() error {
	t.l.open++
	for !t.l.started {
		if err := t.wait(); err != nil {
			return err
		}
	}
	return nil
}

// turn waits at most for that long and runs the clients whose sockets can do something.
func (l *load) turn(most time.Duration) error {
	var events [256]unix.EpollEvent
	n, err := unix.EpollWait(l.ep, events[:], int((most + time.Millisecond - 1).Milliseconds()))
	if err != nil && !errors.Is(err, unix.EINTR) {
		return fmt.Errorf("wait for answers: %w", err)
	}
	for _, e := range events[:max(n, 0)] {
		if s := l.byFD[e.Fd]; s != nil {
			s.event(e.Events)
			s.t.run()
		}
	}
	return nil
}

// openAll starts so many clients, some at a time, and returns when all of them wait for the start or one has failed.
func (l *load) openAll(ctx context.Context, clients int, body func(t *task, i int) error) error {
	for begun := 0; l.open < clients; {
		for ; begun < clients && begun-l.open < opening; begun++ {
			l.start(func(t *task) error { return body(t, begun) })
		}
		if err := errors.Join(append(l.errs, ctx.Err())...); err != nil {
			return err
		}
		if l.open < clients {
			if err := l.turn(100 * time.Millisecond); err != nil {
				return err
			}
		}
	}
	return nil
}

// drive starts the clock of clients that wait, and stops them after d; what was begun by then is finished.
func (l *load) drive(ctx context.Context, d time.Duration) error {
	l.started = true
	end := time.Now().Add(d)
	for _, t := range l.tasks {
		t.run()
	}
	for l.live > 0 && len(l.errs) == 0 {
		left := time.Until(end)
		l.stopped = left <= 0
		if err := l.turn(min(max(left, 0)+10*time.Millisecond, 100*time.Millisecond)); err != nil {
			return err
		}
		if ctx.Err() != nil || time.Since(end) > answerWithin {
			return errors.Join(ctx.Err(), fmt.Errorf("%d clients got no answer within %s", l.live, answerWithin))
		}
	}
	return errors.Join(l.errs...)
}

// answerWithin is how long clients may wait for their last answer.
const answerWithin = 60 * time.Second

// alone runs one client to its end.
func alone(ctx context.Context, body func(t *task) error) error {
	l, err := newLoad()
	if err != nil {
		return err
	}
	defer l.close()
	l.start(body)
	for l.live > 0 {
		if err := l.turn(100 * time.Millisecond); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.Join(l.errs...)
}

// close ends the tasks where they wait, and with them their sockets.
func (l *load) close() {
	for _, t := range l.tasks {
		t.cancel()
	}
	for _, s := range l.byFD {
		if s != nil {
			quiet(s.Close())
		}
	}
	quiet(unix.Close(l.ep))
}
