package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newNodeDrain(*app) *cobra.Command {
	return &cobra.Command{
		Use: "drain NAME", Short: "Move everything off a db node (not in this release)", Args: args(cobra.ExactArgs(1)),
		RunE: func(*cobra.Command, []string) error {
			return errors.New("draining a node needs jobs that move rows, which this release does not have; a node that holds nothing can be removed: rulectl node remove")
		},
	}
}
