//go:build linux

package main

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"
	"time"
)

// TestMain lets the test program be a relay, as the command can.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && relays[os.Args[1]] != nil {
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// behind starts each relay in front of a server that does something with each connection.
func behind(t *testing.T, serve func(c *net.TCPConn), test func(t *testing.T, dial func() *net.TCPConn)) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wait.Go(func() { serve(c.(*net.TCPConn)) })
		}
	})
	defer wait.Wait()
	defer func() { quiet(ln.Close()) }()
	for name := range relays {
		t.Run(name, func(t *testing.T) {
			r, err := startRelay(name, []string{ln.Addr().String()})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := r.close(); err != nil {
					t.Error(err)
				}
			}()
			test(t, func() *net.TCPConn {
				c, err := net.Dial("tcp", r.addrs[0])
				if err != nil {
					t.Fatal(err)
				}
				if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
					t.Fatal(err)
				}
				return c.(*net.TCPConn)
			})
		})
	}
}

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestRelaysOweTheirLastBytes: a server that sends more than the sockets hold and closes is read to its end by a client that comes late.
func TestRelaysOweTheirLastBytes(t *testing.T) {
	want := noise(24 << 20)
	sent := make(chan struct{}, 1)
	behind(t, func(c *net.TCPConn) {
		go func() {
			<-time.After(200 * time.Millisecond) // by now all sockets on the way are full
			sent <- struct{}{}
		}()
		if _, err := c.Write(want); err != nil {
			t.Error(err)
		}
		quiet(c.Close())
	}, func(t *testing.T, dial func() *net.TCPConn) {
		c := dial()
		defer func() { quiet(c.Close()) }()
		<-sent
		got, err := io.ReadAll(c)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("got %d bytes, want %d; error %v", len(got), len(want), err)
		}
	})
}

// TestRelaysPassBothWays: many clients write and read at once, more than fits on the way.
func TestRelaysPassBothWays(t *testing.T) {
	want := noise(4 << 20)
	behind(t, func(c *net.TCPConn) {
		if _, err := io.Copy(c, struct{ io.Reader }{c}); err != nil && !errors.Is(err, io.EOF) {
			quiet(err) // the client has gone
		}
		quiet(c.Close())
	}, func(t *testing.T, dial func() *net.TCPConn) {
		var wait sync.WaitGroup
		for range 20 {
			c := dial()
			wait.Go(func() {
				defer func() { quiet(c.Close()) }()
				wait.Go(func() {
					if _, err := c.Write(want); err != nil {
						t.Error(err)
					}
				})
				got := make([]byte, len(want))
				if n, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, want) {
					t.Errorf("got %d bytes back: %v", n, err)
				}
			})
		}
		wait.Wait()
	})
}

// TestRelaysPassOnTheEnd: a client that goes is gone for the server too.
func TestRelaysPassOnTheEnd(t *testing.T) {
	ended := make(chan error, 1)
	behind(t, func(c *net.TCPConn) {
		_, err := io.Copy(io.Discard, c)
		ended <- errors.Join(err, c.Close())
	}, func(t *testing.T, dial func() *net.TCPConn) {
		c := dial()
		if _, err := c.Write([]byte("bye")); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the server still has its client")
		}
	})
}
