package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newStatus(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show the cluster in short", Args: args(cobra.NoArgs),
		Long:    "Show who leads, the rule version, nodes and routers, and what a person should know.",
		Example: "  rulectl status\n  rulectl status -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			s, err := c.Status(cmd.Context())
			if err != nil {
				return err
			}
			return a.print(s, func() grid {
				var g grid
				g.row("leader", fmt.Sprintf("%s (epoch %d)", s.Leader, s.Epoch))
				g.row("version", s.Version)
				g.row("tables", s.Tables)
				g.row("open definitions", s.OpenDDL)
				for _, n := range s.Nodes {
					if !n.Removed {
						g.row("node "+n.Name, fmt.Sprintf("%s %s, %s", n.Addr, nodeState(n), n.ServerVersion))
					}
				}
				for _, r := range s.Routers {
					state := "not connected"
					if r.Connected {
						state = "connected, has version " + r.Acked.String()
					}
					if r.State != "active" {
						state = r.State
					}
					g.row("router "+r.Name, fmt.Sprintf("%s %s, %d statements", r.Addr, state, r.Statements))
				}
				for _, w := range s.Warnings {
					g.below = append(g.below, "warning: "+w)
				}
				return g
			})
		},
	}
}
