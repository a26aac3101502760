package main

import (
	"context"
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
			return runMaster(cmd.Context(), config, cmd.ErrOrStderr())
		},
	}
	l = addFlags(cmd, &config)
	return cmd
}

func runMaster(ctx context.Context, config MasterConfig, stderr io.Writer) error {
	log, _, err := config.Log.logger(stderr)
	if err != nil {
		return misuse{err}
	}
	m, err := master.New(config.Config, log)
	if err != nil {
		return err
	}
	return m.Run(ctx)
}
