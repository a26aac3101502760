package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// relay copies bytes between clients and one server, two goroutines for each client: the least that a program in the middle written the
// ordinary way does. It prints its address and serves until ctx ends.
func relay(ctx context.Context, target string, stdout io.Writer) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, ln.Addr())
	stop := context.AfterFunc(ctx, func() { quiet(ln.Close()) })
	defer stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		client, err := ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		server, err := net.Dial("tcp", target)
		if err != nil {
			return errors.Join(err, client.Close())
		}
		wg.Go(func() { pump(ctx, client, server) })
	}
}

// pump copies both ways until one side ends.
func pump(ctx context.Context, a, b net.Conn) {
	shut := func() { quiet(a.Close()); quiet(b.Close()) }
	stop := context.AfterFunc(ctx, shut)
	defer stop()
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
