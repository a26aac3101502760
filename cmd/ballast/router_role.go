package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// routerCommand is `ballast router`.
func routerCommand() *cobra.Command {
	config := DefaultRouterConfig()
	var l *loader
	cmd := &cobra.Command{
		Use: "router", Short: "Answer MySQL clients from the db nodes", Args: cobra.NoArgs,
		Long: "Run a router: MySQL clients connect to it, and it sends each statement to the nodes that hold its rows. It takes clients once a master\nhas answered; afterwards it serves without one.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := l.load(); err != nil {
				return err
			}
			if l.show {
				return printSettings(cmd.OutOrStdout(), &config)
			}
			if err := config.Validate(); err != nil {
				return misuse{err}
			}
			return runRouter(cmd.Context(), config, l, cmd.ErrOrStderr())
		},
	}
	l = addFlags(cmd, &config)
	return cmd
}

func runRouter(ctx context.Context, config RouterConfig, l *loader, stderr io.Writer) error {
	log, level, err := config.Log.logger(stderr)
	if err != nil {
		return misuse{err}
	}
	p, err := buildRouter(config, log, level)
	if err != nil {
		return err
	}
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	done := make(chan struct{})
	defer func() { <-done }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer close(done)
		for {
			select {
			case <-hup:
				next := DefaultRouterConfig()
				if err := l.again(&next); err != nil {
					log.Error("settings not reloaded", "error", err)
				} else if err := p.reload(next); err != nil {
					log.Error("settings not reloaded", "error", err)
				} else {
					log.Info("settings reloaded")
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return p.run(ctx)
}
