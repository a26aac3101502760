package backend_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"ballast/router/backend"
)

// member is one of a crowd of clients that share few connections: it waits without a goroutine of its own.
type member struct {
	backend.Waiting
	crowd *crowd
	shard int
	left  int // statements to do
	k     *backend.Conn
	err   error
	began time.Time
	waits []time.Duration
}

// crowd is many clients, each of which sends one statement after another; a few goroutines carry them out.
type crowd struct {
	tb      testing.TB
	c       *backend.Cluster
	granted chan *member // has room for all of them
	members []*member
	forgive bool // failures are repeated
	ended   sync.WaitGroup
}

func newCrowd(tb testing.TB, c *backend.Cluster, members, statements int) *crowd {
	cr := &crowd{tb: tb, c: c, granted: make(chan *member, members), members: make([]*member, members)}
	for i := range cr.members {
		cr.members[i] = &member{crowd: cr, shard: i % 2, left: statements}
	}
	cr.ended.Add(members)
	return cr
}

func (m *member) ask() {
	m.began = time.Now()
	m.crowd.c.Queue(m.shard, 0, 0, m.crowd.c.Settings(), m)
}

// Granted hands the member to whoever is free.
func (m *member) Granted(k *backend.Conn, err error) {
	m.k, m.err = k, err
	m.crowd.granted <- m
}

// run has everybody ask at once, and returns when all have done their statements. halfway is called in the middle.
func (cr *crowd) run(workers int, halfway func()) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for m := range cr.granted {
				cr.serve(m)
			}
		})
	}
	for _, m := range cr.members {
		m.ask()
	}
	halfway()
	cr.ended.Wait()
	close(cr.granted)
	wg.Wait()
}

func (cr *crowd) serve(m *member) {
	err := m.err
	if err == nil {
		m.waits = append(m.waits, time.Since(m.began))
		_, err = m.k.Relay(context.Background(), query("SELECT 1"), null{}, false)
		m.k.Release()
	}
	switch {
	case err == nil:
		m.left--
	case !cr.forgive:
		cr.tb.Error(err)
		m.left = 0
	default:
		<-time.After(10 * time.Millisecond) // as clients do that try again
	}
	if m.left == 0 {
		cr.ended.Done()
		return
	}
	m.ask()
}

// threads counts the connections that the server has.
func threads(tb testing.TB, c *backend.Cluster) int {
	tb.Helper()
	k := acquire(tb, c, 0, c.Settings())
	defer k.Release()
	return len(rows(tb, k, "SELECT ID FROM information_schema.PROCESSLIST WHERE COMMAND IN ('Query', 'Sleep')"))
}

// atRest waits until the pool's places are those of connections that live; one more is the watcher's.
func atRest(tb testing.TB, c *backend.Cluster) {
	tb.Helper()
	eventually(tb, 10*time.Second, func() error {
		alive := threads(tb, c)
		if st := c.Stats()[0]; st.Open != st.Idle || st.InUse != 0 || st.Waiting != 0 || st.Open+1 != alive {
			return fmt.Errorf("%d connections live, %+v", alive, st)
		}
		return nil
	})
}

// 10,000 clients at once on at most 100 connections: all are served, and none much later than the others.
func TestLiveCrowd(t *testing.T) {
	const members, statements = 10_000, 3
	s := startServer(t)
	c := startCluster(t, s, backend.Config{MaxPerNode: 100, Shards: 2, WaitTimeout: time.Minute}, root)
	cr := newCrowd(t, c, members, statements)
	began := time.Now()
	cr.run(100, func() {})
	took := time.Since(began)
	// The first wait is anything from none to that of the whole crowd; the later ones are alike.
	var later []time.Duration
	sum := time.Duration(0)
	for _, m := range cr.members {
		for _, w := range m.waits[1:] {
			later = append(later, w)
			sum += w
		}
	}
	slices.Sort(later)
	mean, worst := sum/time.Duration(len(later)), later[len(later)-1]
	t.Logf("%d statements in %s; waits: mean %s, least %s, worst %s; %+v", members*statements, took, mean, later[0], worst, c.Stats()[0])
	if worst > 4*mean {
		t.Errorf("somebody waited for %s, all for %s on average", worst, mean)
	}
	atRest(t, c)
}

// A server that goes away and comes back under a crowd leaves no place taken by nobody.
func TestLiveCrowdAndRestart(t *testing.T) {
	s := startServer(t)
	c := startCluster(t, s, backend.Config{MaxPerNode: 100, Shards: 2, WaitTimeout: time.Minute}, root)
	cr := newCrowd(t, c, 2000, 5)
	cr.forgive = true
	cr.run(100, func() {
		eventually(t, 10*time.Second, func() error {
			if c.Stats()[0].InUse < 8 {
				return errors.New("not busy yet")
			}
			return nil
		})
		s.Kill()
		if err := s.Start(t.Context()); err != nil {
			t.Error(err)
		}
	})
	atRest(t, c)
	t.Logf("%+v", c.Stats()[0])
}

// Statements that wait for a lock hold up nobody else, however many they are.
func TestLiveLockWaiters(t *testing.T) {
	s := startServer(t)
	c := startCluster(t, s, backend.Config{MaxPerNode: 100}, root)
	owner := acquire(t, c, 0, c.Settings())
	owner.Pin()
	exec(t, owner, "CREATE TABLE mysql.crowd (id INT PRIMARY KEY, n INT)")
	exec(t, owner, "INSERT INTO mysql.crowd VALUES (1, 0)")
	exec(t, owner, "BEGIN")
	exec(t, owner, "UPDATE mysql.crowd SET n = n + 1 WHERE id = 1")
	const waiters = 80
	var wg sync.WaitGroup
	for range waiters {
		wg.Go(func() {
			k, err := c.Acquire(context.Background(), 0, 0, 0, c.Settings())
			if err != nil {
				t.Error(err)
				return
			}
			exec(t, k, "UPDATE mysql.crowd SET n = n + 1 WHERE id = 1")
			k.Release()
		})
	}
	took := eventually(t, 5*time.Second, func() error {
		if st := c.Stats()[0]; st.InUse < waiters {
			return fmt.Errorf("%+v", st)
		}
		return nil
	})
	began := time.Now()
	for range 200 {
		if err := selectOne(c); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d were let in within %s; 200 statements beside them took %s", waiters, took, time.Since(began))
	exec(t, owner, "COMMIT")
	wg.Wait()
	if got := rows(t, owner, "SELECT n FROM mysql.crowd"); got[0] != fmt.Sprint(waiters+1) {
		t.Error(got)
	}
	owner.Release()
}
