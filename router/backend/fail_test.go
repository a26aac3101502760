package backend_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"ballast/router/backend"
)

// number is the MySQL number of an error that a client would see; 0 for anything else.
func number(err error) uint16 {
	var coded interface{ MySQL() (uint16, string) }
	if errors.As(err, &coded) {
		n, _ := coded.MySQL()
		return n
	}
	return 0
}

// eventually tries until it works, and says how long that took.
func eventually(t testing.TB, limit time.Duration, try func() error) time.Duration {
	t.Helper()
	begin := time.Now()
	for {
		err := try()
		took := time.Since(begin)
		if err == nil {
			return took
		}
		if took > limit {
			t.Fatalf("still failing after %s: %v", took, err)
		}
	}
}

func selectOne(c *backend.Cluster) error {
	ctx := context.Background()
	k, err := c.Acquire(ctx, 0, 0, 0, c.Settings())
	if err != nil {
		return err
	}
	defer k.Release()
	var out sink
	a, err := k.Relay(ctx, query("SELECT 1"), &out, false)
	if err == nil && a.IsErr {
		err = errors.New("an error was relayed")
	}
	return err
}

func TestLiveNodeDies(t *testing.T) {
	s := startServer(t)
	c := startCluster(t, s, backend.Config{}, root)
	var held []*backend.Conn
	for range 5 {
		k := acquire(t, c, 0, c.Settings())
		exec(t, k, "SELECT 1")
		held = append(held, k)
	}
	exec(t, held[0], "BEGIN")
	for _, k := range held[1:4] {
		k.Release()
	}
	sleeping := make(chan error, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		var out sink
		_, err := held[4].Relay(context.Background(), query("SELECT SLEEP(1000)"), &out, false)
		held[4].Release()
		sleeping <- err
	})
	watcher := acquire(t, c, 0, c.Settings())
	eventually(t, 10*time.Second, func() error {
		if len(rows(t, watcher, "SELECT 1 FROM information_schema.PROCESSLIST WHERE INFO LIKE '%SLEEP(1000)%' AND ID <> CONNECTION_ID()")) == 0 {
			return errors.New("not running yet")
		}
		return nil
	})
	watcher.Release()

	s.Kill()
	begin := time.Now()
	if err := <-sleeping; number(err) != 1158 {
		t.Errorf("a statement cut off: %v", err)
	}
	if _, err := held[0].Exec(t.Context(), []byte("COMMIT")); number(err) != 1158 || !held[0].Broken() {
		t.Errorf("a transaction cut off: %v", err)
	}
	held[0].Release()
	for range 20 {
		if err := selectOne(c); number(err) != 1429 {
			t.Errorf("a dead node: %v", err)
		}
	}
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("errors took %s", took)
	}
	wg.Wait()

	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("usable %s after the server was back", eventually(t, 3*time.Second, func() error { return selectOne(c) }))
}

func TestLiveNodeRestarts(t *testing.T) {
	s := startServer(t)
	c := startCluster(t, s, backend.Config{ProbeInterval: time.Hour}, root)
	var held []*backend.Conn
	for range 5 {
		k := acquire(t, c, 0, c.Settings())
		exec(t, k, "CREATE TABLE IF NOT EXISTS mysql.probe (a INT)")
		held = append(held, k)
	}
	for _, k := range held {
		k.Release()
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	k := acquire(t, c, 0, c.Settings())
	exec(t, k, "INSERT INTO mysql.probe VALUES (1)") // a write over a pooled connection that is dead by now
	k.Release()
	if err := selectOne(c); err != nil {
		t.Error(err)
	}
}

func TestLiveNodeStalls(t *testing.T) {
	s := startServer(t)
	c := startCluster(t, s, backend.Config{}, root)
	if err := selectOne(c); err != nil {
		t.Fatal(err)
	}
	s.Pause()
	begin := time.Now()
	err := selectOne(c)
	if took := time.Since(begin); number(err) != 1158 || took > 4*time.Second {
		t.Errorf("a stalled node: %v after %s", err, took)
	}
	begin = time.Now()
	if err, took := selectOne(c), time.Since(begin); number(err) != 1429 || took > time.Second {
		t.Errorf("a stalled node again: %v after %s", err, took)
	}
	s.Resume()
	t.Logf("usable after %s", eventually(t, 5*time.Second, func() error { return selectOne(c) }))
}

func TestLivePoolBounds(t *testing.T) {
	s := startServer(t)
	c := startCluster(t, s, backend.Config{MaxPerNode: 2, WaitTimeout: 200 * time.Millisecond}, root)
	a, b := acquire(t, c, 0, c.Settings()), acquire(t, c, 0, c.Settings())
	if err := selectOne(c); number(err) != 1040 {
		t.Errorf("a full pool: %v", err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { // waits for a connection of another class: the released one makes room
		k, err := c.Acquire(context.Background(), 0, 0, backend.FoundRows, c.Settings())
		if err != nil {
			t.Error(err)
			return
		}
		k.Release()
	})
	eventually(t, 5*time.Second, func() error {
		if c.Stats()[0].Waiting == 0 {
			return errors.New("nobody waits")
		}
		return nil
	})
	a.Release()
	wg.Wait()
	if err := selectOne(c); err != nil { // the idle one of the other class makes room
		t.Error(err)
	}
	b.Release()
	if st := c.Stats()[0]; st.Open != 2 || st.Idle != 2 {
		t.Errorf("%+v", st)
	}
}

// A server that takes fewer connections than the pool would open makes requests wait, not fail.
func TestLiveServerFull(t *testing.T) {
	s := startServer(t)
	c := startCluster(t, s, backend.Config{}, backend.Credential{User: "app", Password: "x"})
	admin := startCluster(t, s, backend.Config{}, root)
	k := acquire(t, admin, 0, admin.Settings())
	exec(t, k, "CREATE USER app@'%' IDENTIFIED BY 'x'")
	exec(t, k, "SET GLOBAL max_connections = 10")
	k.Release()
	eventually(t, 5*time.Second, func() error { return selectOne(c) })
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			for range 10 {
				if err := selectOne(c); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestLiveMany(t *testing.T) {
	s := startServer(t)
	c := startCluster(t, s, backend.Config{MaxPerNode: 8}, root)
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			own := c.Settings().With("sql_safe_updates", []string{"0", "1"}[i%2])
			for range 200 {
				k, err := c.Acquire(context.Background(), 0, 0, backend.Class(i%4), own)
				if err != nil {
					t.Error(err)
					return
				}
				var out sink
				if a, err := k.Relay(context.Background(), query("SELECT @@sql_safe_updates"), &out, false); err != nil || a.Rows != 1 {
					t.Error(a, err)
				}
				if want := "\x01" + []string{"0", "1"}[i%2]; !bytes.Contains(out.Bytes(), []byte(want)) {
					t.Errorf("other settings are in force: %q", out.Bytes())
				}
				k.Release()
			}
		})
	}
	wg.Wait()
	eventually(t, 5*time.Second, func() error { // one may still be opening for somebody who got another
		if st := c.Stats()[0]; st.Open > 8 || st.Open != st.Idle || st.Waiting != 0 {
			return fmt.Errorf("%+v", st)
		}
		return nil
	})
}

func TestLiveLogin(t *testing.T) {
	s := startServer(t)
	admin := startCluster(t, s, backend.Config{}, root)
	k := acquire(t, admin, 0, admin.Settings())
	exec(t, k, "CREATE USER app@'%' IDENTIFIED BY 'a secret'")
	exec(t, k, "CREATE USER nobody@'%'")
	version := rows(t, k, "SELECT VERSION()")[0]
	k.Release()
	t.Log(version)
	for range 2 { // the second login of caching_sha2_password is the fast one
		c := startCluster(t, s, backend.Config{}, backend.Credential{User: "app", Password: "a secret"})
		if err := selectOne(c); err != nil {
			t.Error(err)
		}
	}
	if err := selectOne(startCluster(t, s, backend.Config{}, backend.Credential{User: "nobody"})); err != nil {
		t.Error(err)
	}
	secure := selectOne(startCluster(t, s, backend.Config{TLS: &tls.Config{InsecureSkipVerify: true}}, root)) //nolint:gosec // a test's server has a certificate of its own making
	if have := rows(t, acquire(t, admin, 0, admin.Settings()), "SHOW VARIABLES LIKE 'have_ssl'"); len(have) > 0 && have[0] == "have_ssl,DISABLED" {
		if number(secure) != 1429 {
			t.Errorf("TLS with a server that has none: %v", secure)
		}
	} else if secure != nil {
		t.Error(secure)
	}
	if err := selectOne(startCluster(t, s, backend.Config{TLS: &tls.Config{}}, root)); number(err) != 1429 {
		t.Errorf("an unknown certificate: %v", err)
	}
	if err := selectOne(startCluster(t, s, backend.Config{}, backend.Credential{User: "app", Password: "wrong"})); number(err) != 1429 {
		t.Error(err)
	}
}
