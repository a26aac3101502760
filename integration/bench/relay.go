//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
)

// relays are the middles that are this program again, as processes of their own: each prints an address for each of its targets, and relays.
var relays = map[string]func(targets []string, stdout io.Writer) error{"relay": relay, "floor": floor}

// endWithParent ends the process when whoever started it is gone: its standard input is a pipe that nobody writes to.
func endWithParent() {
	_, err := io.Copy(io.Discard, os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "standard input:", err)
	}
	os.Exit(0)
}

// relay copies bytes between clients and servers, two goroutines for each client: the least that a program in the middle written the
// ordinary way does. It prints its addresses, one for each server, and serves until the process is ended.
func relay(targets []string, stdout io.Writer) error {
	failed := make(chan error, len(targets))
	for _, target := range targets {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		fmt.Fprintln(stdout, ln.Addr())
		go func() { failed <- accept(ln, target) }()
	}
	return <-failed
}

func accept(ln net.Listener, target string) error {
	for {
		client, err := ln.Accept()
		if err != nil {
			return err
		}
		go func() {
			server, err := net.Dial("tcp", target)
			if err != nil {
				fmt.Fprintln(os.Stderr, "relay:", errors.Join(err, client.Close()))
				return
			}
			pump(client, server)
		}()
	}
}

// pump copies both ways until one side ends.
func pump(a, b net.Conn) {
	shut := func() { quiet(a.Close()); quiet(b.Close()) }
	var wg sync.WaitGroup
	for _, way := range [][2]net.Conn{{a, b}, {b, a}} {
		wg.Go(func() {
			copyBytes(way[1], way[0])
			shut()
		})
	}
	wg.Wait()
}

// copyBytes moves bytes through a buffer, as a relay that looks at them must: no splicing in the kernel.
func copyBytes(to, from net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// quiet is for closing what may be closed already.
func quiet(err error) bool { return err == nil }
