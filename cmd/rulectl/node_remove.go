package main

import (
	"github.com/spf13/cobra"
)

func newNodeRemove(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Take a db node out of service that holds nothing", Args: args(cobra.ExactArgs(1)),
		Long:    "Take a db node out of service. No rule may name it and no single table may live on it; what stands in the way is named.",
		Example: "  rulectl node remove n4",
		RunE: func(cmd *cobra.Command, list []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			if err := c.RemoveNode(cmd.Context(), list[0]); err != nil {
				return err
			}
			return a.say("node %s is out of service", list[0])
		},
	}
}
