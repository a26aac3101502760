package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"syscall"
	"testing"
	"time"
)

func TestHangupReloads(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := make(chan struct{}, 1)
	fail := errors.New("a fault in the file")
	wait := onHangup(ctx, slog.New(slog.DiscardHandler), func() error {
		calls <- struct{}{}
		return fail
	})
	for range 2 { // a fault does not end it
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		select {
		case <-calls:
		case <-time.After(10 * time.Second):
			t.Fatal("SIGHUP did not reload")
		}
	}
	cancel()
	wait()
}
