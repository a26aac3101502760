package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"ballast/master/api"
)

func newDiff(a *app) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "diff -f FILE", Short: "Show what a rules file would change", Args: args(cobra.NoArgs),
		Long:    "Show what a rules file would change: the old and the new rule of each table, and the windows of keys that would move. Nothing is touched.",
		Example: "  rulectl diff -f rules.yaml\n  rulectl diff -f - < rules.yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := a.readFile(file)
			if err != nil {
				return err
			}
			c, err := a.client()
			if err != nil {
				return err
			}
			reply, err := c.Apply(cmd.Context(), api.ApplyRequest{YAML: text, DryRun: true})
			if err != nil {
				return err
			}
			return a.printChanges(reply)
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "rules file, - for standard input")
	return cmd
}

// readFile reads what -f names.
func (a *app) readFile(file string) (string, error) {
	var text []byte
	var err error
	switch file {
	case "":
		return "", misuse{fmt.Errorf("-f is missing: which rules file?")}
	case "-":
		text, err = io.ReadAll(io.LimitReader(a.stdin, 64<<20))
	default:
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return "", misuse{fmt.Errorf("read the rules file: %w", err)}
	}
	return string(text), nil
}

func (a *app) printChanges(reply *api.ApplyReply) error {
	return a.print(reply, func() grid {
		var g grid
		if len(reply.Changes) == 0 {
			g.below = []string{"nothing would change"}
		}
		for _, c := range reply.Changes {
			g.below = append(g.below, "table "+c.Table.String())
			if c.Planned {
				g.below = append(g.below, "  does not exist yet: CREATE TABLE will take this rule", "  + "+short(c.New, 400))
				continue
			}
			g.below = append(g.below, "  - "+short(c.Old, 400), "  + "+short(c.New, 400))
			const shown = 20
			for i, w := range c.Windows {
				if i == shown {
					g.below = append(g.below, fmt.Sprintf("    … and %d windows more (-o json shows all)", len(c.Windows)-shown))
					break
				}
				g.below = append(g.below, "    moves "+w)
			}
		}
		return g
	})
}
