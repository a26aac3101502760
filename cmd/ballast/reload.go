package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// onHangup calls reload for each SIGHUP until ctx ends; the function that it gives waits for that. Settings with a fault change nothing.
func onHangup(ctx context.Context, log *slog.Logger, reload func() error) (wait func()) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer signal.Stop(hup)
		for {
			select {
			case <-hup:
				if err := reload(); err != nil {
					log.ErrorContext(ctx, "settings not reloaded", "error", err)
				} else {
					log.InfoContext(ctx, "settings reloaded")
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { <-done }
}
