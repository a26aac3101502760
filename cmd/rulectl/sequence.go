package main

import (
	"github.com/spf13/cobra"
)

func newSequence(a *app) *cobra.Command {
	return group("sequence", "Look at the sequences behind AUTO_INCREMENT", newSequenceList(a))
}

func newSequenceList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the sequences", Args: args(cobra.NoArgs),
		Long: "List the sequences behind AUTO_INCREMENT columns, with the first id of the next block.", Example: "  rulectl sequence list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			all, err := c.Sequences(cmd.Context())
			if err != nil {
				return err
			}
			return a.print(all, func() grid {
				g := grid{head: []string{"SEQUENCE", "NEXT BLOCK"}}
				for _, s := range all {
					g.row(s.Name, s.Next)
				}
				return g
			})
		},
	}
}
