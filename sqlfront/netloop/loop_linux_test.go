package netloop

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
)

// counter is a task that notes its place.
type counter struct {
	by, n int
	seen  []int // by goroutine: how many of its tasks ran
	t     *testing.T
	all   chan struct{}
	left  *int
}

func (c *counter) RunOnLoop() {
	if c.seen[c.by] != c.n {
		c.t.Errorf("task %d of %d ran after %d others", c.n, c.by, c.seen[c.by])
	}
	c.seen[c.by]++
	if *c.left--; *c.left == 0 {
		close(c.all)
	}
}

func TestPostsAreRunInOrderAndNoneIsLost(t *testing.T) {
	l := running(t)
	const posters, tasks = 8, 2000
	seen, all, left := make([]int, posters), make(chan struct{}), posters*tasks
	for by := range posters {
		go func() {
			for n := range tasks {
				l.Post(&counter{by, n, seen, t, all, &left})
			}
		}()
	}
	soon(t, all)
}

// Tasks that post further ones one at a time: the loop must not go to sleep over any.
func TestPostsFromTheLoopAndBack(t *testing.T) {
	a, b := running(t), running(t)
	done := make(chan struct{})
	n := 0
	var there, here taskFunc
	there = func() { b.Post(here) }
	here = func() {
		if n++; n == 5000 {
			close(done)
			return
		}
		a.Post(there)
	}
	a.Post(there)
	soon(t, done)
}

// flooder always has more to read, and takes a little at a time.
type flooder struct {
	c     *Conn
	turns map[uint64]int // calls by turn of the loop
	most  int
}

func (f *flooder) Ready() {
	turn := f.c.loop.counts.Turns
	if f.turns[turn]++; f.turns[turn] > f.most {
		f.most = f.turns[turn]
	}
	delete(f.turns, turn-1)
	var b [512]byte
	if _, err := f.c.TryRead(b[:]); err == nil {
		f.c.Again()
	}
}

// One socket that always has more does not keep the loop from the others, nor from posts.
func TestAgainIsFair(t *testing.T) {
	l := running(t)
	f := &flooder{turns: map[uint64]int{}}
	c, far := adopted(t, l, f)
	f.c = c
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		b := make([]byte, 64<<10)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := far.Write(b); err != nil {
				t.Error(err)
				return
			}
		}
	})
	c.ToLoop()
	h := &handlerFunc{}
	echo, peer := adopted(t, l, h)
	h.ready = func() {
		var b [16]byte
		if n, err := echo.TryRead(b[:]); err == nil {
			if _, err := echo.TryWrite(b[:n]); err != nil {
				t.Error(err)
			}
		}
	}
	echo.ToLoop()
	var turns uint64
	onLoop(t, l, func() { turns = l.counts.Turns })
	const rounds = 200
	for range rounds {
		write(t, peer, "ping")
		if _, err := io.ReadFull(peer, make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
	}
	onLoop(t, l, func() {
		if f.most > 3 { // by an event, by Again and by a post
			t.Errorf("the flooder had %d calls in one turn", f.most)
		}
		if l.counts.Turns-turns < rounds {
			t.Errorf("%d turns for %d rounds", l.counts.Turns-turns, rounds)
		}
	})
	close(stop)
	wg.Wait()
}

// An event of a socket that was closed in the same turn must not reach the one that took its place.
func TestEventsOfAnEarlierSocketAreDropped(t *testing.T) {
	l, err := New()
	if err != nil {
		t.Fatal(err)
	}
	var first, second, heir *Conn
	calls := map[string]int{}
	closeOther := func(name string, other **Conn) func() {
		return func() {
			if calls[name]++; heir != nil {
				return
			}
			slot := (*other).slot
			closed(t, *other)
			near, _ := sockets(t)
			if heir, err = l.Adopt(near, &handlerFunc{func() { calls["heir"]++ }}); err != nil {
				t.Error(err)
				return
			}
			heir.ToLoop()
			if heir.slot != slot {
				t.Errorf("place %d was not used again: %d", slot, heir.slot)
			}
		}
	}
	a, farA := adopted(t, l, &handlerFunc{closeOther("first", &second)})
	b, farB := adopted(t, l, &handlerFunc{closeOther("second", &first)})
	first, second = a, b
	for range 3 { // what registering told
		l.Post(nothing{})
		if err := l.turn(); err != nil {
			t.Fatal(err)
		}
	}
	first.ToLoop()
	second.ToLoop()
	write(t, farA, "x")
	write(t, farB, "x")
	if err := l.turn(); err != nil { // both have an event, in this or that order
		t.Fatal(err)
	}
	if calls["heir"] != 0 {
		t.Error("the heir was told of another's bytes")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Run(ctx); err != nil {
		t.Error(err)
	}
}

func TestRunClosesWhatIsLeft(t *testing.T) {
	for range 50 {
		l, err := New()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- l.Run(ctx) }()
		held, _ := adopted(t, l, nil)
		ends := make(chan error, 1)
		go func() {
			_, err := held.Read(make([]byte, 1))
			ends <- err
		}()
		waits(t, &held.in)
		other, _ := adopted(t, l, nil)
		if n := l.Stats().Conns; n != 2 {
			t.Errorf("%d sockets", n)
		}
		var wg sync.WaitGroup
		wg.Go(cancel)
		wg.Go(func() { closed(t, other) }) // its user closes it at the same moment
		wg.Go(func() { l.Post(nothing{}) })
		wg.Wait()
		if err := soon(t, done); err != nil {
			t.Error(err)
		}
		if err := soon(t, ends); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
		if n := l.Stats().Conns; n != 0 {
			t.Errorf("%d sockets are left", n)
		}
		l.Post(taskFunc(func() { t.Error("a task ran after the end") }))
		near, far := sockets(t)
		if _, err := l.Adopt(near, nil); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a loop that has ended took a socket: %v", err)
		}
		if _, err := far.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("the refused socket is open: %v", err)
		}
	}
}

// unknown is no socket.
type unknown struct{ net.Conn }

func (unknown) Close() error { return nil }

func TestAdoptRefusesWhatIsNoSocket(t *testing.T) {
	l := running(t)
	if _, err := l.Adopt(unknown{}, nil); err == nil {
		t.Error("it was taken")
	}
	near, _ := sockets(t)
	if err := near.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Adopt(near, nil); err == nil {
		t.Error("a closed socket was taken")
	}
	if n := l.Stats().Conns; n != 0 {
		t.Errorf("%d sockets", n)
	}
}
