package netloop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// batch is how many events one wait gives.
	batch = 256
	// Chunk is the size in bytes of a loop's shared buffer: the most that one TryRead into it gives.
	Chunk = 64 << 10
)

// Supported tells whether this system has loops.
const Supported = true

// Task is work posted to a loop.
type Task interface {
	// RunOnLoop is called once, on the loop; it never blocks.
	RunOnLoop()
}

// Loop waits for its sockets and calls their handlers, all on the goroutine of Run.
type Loop struct {
	epoll, wakeup int

	mu     sync.Mutex
	slots  []slot
	free   []uint32
	posted []Task
	ended  bool // the descriptors are closed, or will be at once

	sleeping atomic.Bool // Run is about to wait, or waits: a post must wake it

	// Run's own.
	running []Task
	again   []*Conn
	next    []*Conn
	ready   [batch]*Conn
	events  [batch]unix.EpollEvent
	buf     []byte
	woke    bool // goroutines were made runnable: let them run before the next wait
	clock   time.Time
	counts  Stats
	shown   [5]atomic.Uint64 // counts, for others
}

// slot is the place of a socket; gen tells an event of an earlier socket in the same place.
type slot struct {
	conn *Conn
	gen  uint32
}

// Stats counts a loop's own work since its start. Reads and writes of goroutines that hold a Conn are not in it.
type Stats struct {
	// Waits, Reads and Writes are system calls; Events is what the waits gave; Turns is how often the loop went round.
	Waits, Reads, Writes, Events, Turns uint64
	// Conns is the number of sockets registered now.
	Conns int
}

// wakeSlot stands for the loop's own wake-up descriptor.
const wakeSlot = ^uint32(0)

// New makes a loop; it does nothing before Run.
func New() (*Loop, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	wakeup, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("eventfd: %w", err), unix.Close(epoll))
	}
	l := &Loop{epoll: epoll, wakeup: wakeup, buf: make([]byte, Chunk)}
	slot := wakeSlot
	ev := unix.EpollEvent{Events: unix.EPOLLIN | edgeTriggered, Fd: int32(slot)}
	if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, wakeup, &ev); err != nil {
		return nil, errors.Join(fmt.Errorf("epoll: %w", err), unix.Close(wakeup), unix.Close(epoll))
	}
	return l, nil
}

// edgeTriggered is EPOLLET without its sign.
const edgeTriggered = 1 << 31

// Buffer is the loop's shared buffer, of Chunk bytes: for handlers and tasks, whose use of it ends with the call.
func (l *Loop) Buffer() []byte { return l.buf }

// Stats gives the counts as of the end of a recent turn.
func (l *Loop) Stats() Stats {
	s := Stats{Waits: l.shown[0].Load(), Reads: l.shown[1].Load(), Writes: l.shown[2].Load(), Events: l.shown[3].Load(), Turns: l.shown[4].Load()}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Conns = len(l.slots) - len(l.free)
	return s
}

// Now is the time at which the loop's turn began: what needs the time of a statement, and no more, is spared a look at the clock. It is for
// handlers and tasks.
func (l *Loop) Now() time.Time { return l.clock }

// Post has the loop run a task, soon and in order; from any goroutine. Tasks posted after Run has returned are not run.
func (l *Loop) Post(t Task) { l.post(t) }

// post is Post; it tells whether the task will be run, or be seen by end.
func (l *Loop) post(t Task) bool {
	l.mu.Lock()
	ended := l.ended
	if !ended {
		l.posted = append(l.posted, t)
	}
	l.mu.Unlock()
	if !ended {
		l.wake()
	}
	return !ended
}

// wake ends the loop's wait, if it waits.
func (l *Loop) wake() {
	if !l.sleeping.CompareAndSwap(true, false) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	one := uint64(1)
	// It can fail only when the counter is full, and then the loop is being woken already.
	_, _, _ = syscall.RawSyscall(syscall.SYS_WRITE, uintptr(l.wakeup), uintptr(unsafe.Pointer(&one)), unsafe.Sizeof(one)) //nolint:dogsled // see above
}

// Run turns the loop until ctx ends; it then closes all sockets that are still registered and returns.
func (l *Loop) Run(ctx context.Context) error {
	stop := context.AfterFunc(ctx, l.wakeForEnd)
	defer stop()
	for ctx.Err() == nil {
		if err := l.turn(); err != nil {
			return errors.Join(err, l.end())
		}
	}
	return l.end()
}

func (l *Loop) wakeForEnd() { l.Post(nothing{}) }

type nothing struct{}

// RunOnLoop does nothing: being posted was the point.
func (nothing) RunOnLoop() {}

// turn is one wait and what it gives.
func (l *Loop) turn() error {
	n, err := l.wait()
	if err != nil {
		return err
	}
	l.clock = time.Now()
	l.counts.Turns++
	l.counts.Events += uint64(n)
	l.mu.Lock()
	for i := range n {
		l.ready[i] = nil
		if at := uint32(l.events[i].Fd); at < uint32(len(l.slots)) && l.slots[at].gen == uint32(l.events[i].Pad) {
			l.ready[i] = l.slots[at].conn
		}
	}
	l.running, l.posted = l.posted, l.running[:0]
	l.mu.Unlock()
	for i := range n {
		if c := l.ready[i]; c != nil {
			l.ready[i] = nil
			c.event(l.events[i].Events)
		}
	}
	l.next, l.again = l.again, l.next[:0]
	for i, c := range l.next {
		l.next[i] = nil
		c.queued = false
		c.handle()
	}
	for i, t := range l.running {
		l.running[i] = nil
		t.RunOnLoop()
	}
	for i, v := range [...]uint64{l.counts.Waits, l.counts.Reads, l.counts.Writes, l.counts.Events, l.counts.Turns} {
		l.shown[i].Store(v)
	}
	return nil
}

// wait gives the number of events; it does not wait while something is to be done.
func (l *Loop) wait() (int, error) {
	timeout := -1
	if l.woke {
		l.woke = false
		runtime.Gosched()
	}
	if len(l.again) > 0 {
		timeout = 0
	} else {
		l.sleeping.Store(true)
		l.mu.Lock()
		pending := len(l.posted) > 0
		l.mu.Unlock()
		if pending {
			l.sleeping.Store(false)
			timeout = 0
		}
	}
	l.counts.Waits++
	var n uintptr
	var errno syscall.Errno
	if timeout == 0 {
		n, _, errno = syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(l.epoll), uintptr(unsafe.Pointer(&l.events)), batch, 0, 0, 0)
	} else {
		forever := -1
		n, _, errno = syscall.Syscall6(syscall.SYS_EPOLL_PWAIT, uintptr(l.epoll), uintptr(unsafe.Pointer(&l.events)), batch, uintptr(forever), 0, 0)
		l.sleeping.Store(false)
	}
	if errno != 0 && errno != syscall.EINTR {
		return 0, fmt.Errorf("epoll wait: %w", errno)
	}
	if errno != 0 {
		return 0, nil
	}
	return int(n), nil
}

// end closes what is left.
func (l *Loop) end() error {
	l.mu.Lock()
	l.ended = true
	left := make([]*Conn, 0, len(l.slots))
	for i := range l.slots {
		if c := l.slots[i].conn; c != nil {
			left = append(left, c)
		}
	}
	posted := l.posted
	l.posted = nil
	l.mu.Unlock()
	for _, t := range posted {
		if c, ok := t.(*Conn); ok {
			c.letGo() // if it was closed
		}
	}
	var errs []error
	for _, c := range left {
		if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) { // its user may be closing it, too
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, unix.Close(l.wakeup), unix.Close(l.epoll))...)
}

// register gives a socket its place and has the kernel report on it.
func (l *Loop) register(c *Conn) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return net.ErrClosed
	}
	if n := len(l.free); n > 0 {
		c.slot = l.free[n-1]
		l.free = l.free[:n-1]
	} else {
		c.slot = uint32(len(l.slots))
		l.slots = append(l.slots, slot{})
	}
	l.slots[c.slot].conn = c
	gen := l.slots[c.slot].gen
	ev := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | edgeTriggered, Fd: int32(c.slot), Pad: int32(gen)}
	if err := unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, c.fd, &ev); err != nil {
		l.vacate(c)
		return fmt.Errorf("epoll: %w", err)
	}
	return nil
}

// forget frees a socket's place; events of it that are still under way are dropped.
func (l *Loop) forget(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.vacate(c)
}

// vacate is forget for a caller who holds mu.
func (l *Loop) vacate(c *Conn) {
	if l.slots[c.slot].conn == c {
		l.slots[c.slot] = slot{gen: l.slots[c.slot].gen + 1}
		l.free = append(l.free, c.slot)
	}
}
