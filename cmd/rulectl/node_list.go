package main

import (
	"github.com/spf13/cobra"
)

func newNodeList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the db nodes", Args: args(cobra.NoArgs), Example: "  rulectl node list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			nodes, err := c.Nodes(cmd.Context())
			if err != nil {
				return err
			}
			return a.print(nodes, func() grid {
				g := grid{head: []string{"NODE", "ADDRESS", "STATE", "SERVER", "ZONE", "WEIGHT", "DURABLE", "WHY"}}
				for _, n := range nodes {
					g.row(n.Name, n.Addr, nodeState(n), n.ServerVersion, dash(n.Zone), n.Weight, yesNo(!n.NonDurable), dash(n.Error))
				}
				return g
			})
		},
	}
}
