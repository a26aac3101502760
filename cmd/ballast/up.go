package main

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ballast/dbserver"
	"ballast/supervise"
)

// upCommands are the commands that run a whole cluster on this machine.
func upCommands() []*cobra.Command {
	up := upCommand("up", "Start the local cluster, or find it running, and print how to use it")
	up.Long = "Run metadata server, four nodes, master and router on this machine, kept alive by a supervisor in the background, with sample tables.\n" +
		"Everything lies in .ballast/ of the current folder. A database server is fetched and unpacked privately if none is found."
	up.Example = "  ballast up\n  ballast up --server mariadb"
	up.cmd(func(cmd *cobra.Command, o supervise.Options) error { return supervise.Up(cmd.Context(), o) })

	down := upCommand("down", "Stop the local cluster; its data stays")
	down.cmd(func(cmd *cobra.Command, o supervise.Options) error { return supervise.Down(cmd.Context(), o) })

	clean := upCommand("clean", "Stop the local cluster and remove its data, logs and token")
	clean.cmd(func(cmd *cobra.Command, o supervise.Options) error { return supervise.Clean(cmd.Context(), o) })

	status := upCommand("status", "Show what runs of the local cluster; exits 1 unless all of it does")
	status.cmd(printStatus)

	run := upCommand("supervise", "Run the roles of the local cluster in the foreground (ballast up starts this)")
	run.Hidden = true
	run.cmd(func(cmd *cobra.Command, o supervise.Options) error { return supervise.Run(cmd.Context(), o) })
	return []*cobra.Command{up.Command, down.Command, clean.Command, status.Command, run.Command}
}

// localCommand is a command about the local cluster; all have the same flags.
type localCommand struct {
	*cobra.Command
	options       supervise.Options
	server, ports string
}

func upCommand(name, short string) *localCommand {
	c := &localCommand{Command: &cobra.Command{Use: name, Short: short, Args: cobra.NoArgs}}
	c.Flags().StringVar(&c.options.Dir, "dir", ".", "the folder in which .ballast lies")
	c.Flags().StringVar(&c.server, "server", "", "mysql or mariadb (default: what the data was made by, else mysql)")
	c.Flags().StringVar(&c.ports, "ports", "", "ports of router, router admin, master, metadata server and each node, separated by commas")
	c.Flags().BoolVar(&c.options.NoSample, "no-sample", false, "leave the sample tables out")
	return c
}

// cmd sets what the command does.
func (c *localCommand) cmd(run func(*cobra.Command, supervise.Options) error) {
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		o := c.options
		o.Out = cmd.OutOrStdout()
		var err error
		if c.server != "" {
			if o.Flavour, err = dbserver.ParseFlavour(c.server); err != nil {
				return misuse{err}
			}
		}
		if o.Ports, err = supervise.ParsePorts(c.ports); err != nil {
			return misuse{err}
		}
		return run(cmd, o)
	}
}

func printStatus(cmd *cobra.Command, o supervise.Options) error {
	status, running, err := supervise.Status(o)
	if err != nil {
		return err
	}
	if !running {
		return errors.New("no local cluster runs here; ballast up starts one")
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	lines := []string{"role\tport\tstate\tsince\tpid\trestarts\tlast error"}
	healthy := true
	for _, r := range status.Roles {
		healthy = healthy && r.State == supervise.StateReady
		lines = append(lines, fmt.Sprintf("%s\t%d\t%s\t%s\t%d\t%d\t%s", r.Name, r.Port, r.State, r.Since.Format(time.DateTime), r.PID, r.Restarts, r.LastError))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if !healthy {
		return errors.New("not every role is ready")
	}
	return nil
}
