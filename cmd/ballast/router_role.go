package main

import (
	"context"
	"io"

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
	ctx, cancel := context.WithCancel(ctx)
	wait := onHangup(ctx, log, func() error {
		next := DefaultRouterConfig()
		if err := l.again(&next); err != nil {
			return err
		}
		return p.reload(next)
	})
	defer wait()
	defer cancel()
	return p.run(ctx)
}
