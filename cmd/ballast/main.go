// Command ballast is every long-running part of Ballast: the master that keeps the rules, the router that answers MySQL clients, and a
// supervisor that runs a whole cluster on one machine for those who want to try it.
//
//	ballast router --config router.yaml   one role; build.go makes its parts in start order
//	ballast router --print-config         its settings with what they mean and their defaults
//	ballast up                            a development cluster in .ballast/, behind 127.0.0.1:3307
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run carries out one command line; the result is the process's exit status: 0 done, 1 failed, 2 misused.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := &cobra.Command{
		Use: "ballast", Short: "A sharding middleware over MySQL and MariaDB",
		SilenceErrors: true, SilenceUsage: true, Version: version(),
	}
	root.AddCommand(masterCommand(), routerCommand(), versionCommand())
	root.AddCommand(upCommands()...)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return misuse{err} })
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if _, werr := fmt.Fprintln(stderr, "ballast:", err); werr != nil {
		return 1
	}
	if errors.As(err, new(misuse)) {
		return 2
	}
	return 1
}

// misuse is a command line, a variable or a file that says something impossible.
type misuse struct{ error }

// Unwrap gives the fault.
func (m misuse) Unwrap() error { return m.error }

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "ballast", version())
			return err
		},
	}
}

// version is the module's version, or the revision it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision := ""
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value[:min(len(s.Value), 12)]
		}
	}
	if revision == "" {
		return info.Main.Version
	}
	return revision
}
