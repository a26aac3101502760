package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"ballast/master"
)

// masterCommand is `ballast master`.
func masterCommand() *cobra.Command {
	config := DefaultMasterConfig()
	var l *loader
	cmd := &cobra.Command{
		Use: "master", Short: "Keep the rules and tell the routers", Args: cobra.NoArgs,
		Long: "Run a master: it keeps nodes, rules, users and sequences in the metadata server and hands them to the routers. Several may run;\none leads, the others stand by.",
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
			return runMaster(cmd.Context(), config, l, cmd.ErrOrStderr())
		},
	}
	l = addFlags(cmd, &config)
	return cmd
}

func runMaster(ctx context.Context, config MasterConfig, l *loader, stderr io.Writer) error {
	log, level, err := config.Log.logger(stderr)
	if err != nil {
		return misuse{err}
	}
	m, err := master.New(config.Config, log)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	wait := onHangup(ctx, log, func() error {
		next := DefaultMasterConfig()
		if err := errors.Join(l.again(&next), next.Validate()); err != nil {
			return err
		}
		fresh, err := next.Log.level()
		if err != nil {
			return err
		}
		level.Set(fresh)
		return nil
	})
	defer wait()
	defer cancel()
	return m.Run(ctx)
}
