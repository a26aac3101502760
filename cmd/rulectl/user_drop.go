package main

import (
	"github.com/spf13/cobra"

	"ballast/master/api"
)

func newUserDrop(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "drop NAME", Short: "Drop an account", Args: args(cobra.ExactArgs(1)), Example: "  rulectl user drop app",
		RunE: func(cmd *cobra.Command, list []string) error {
			return a.changeUser(cmd, api.UserRequest{Op: "drop", Name: list[0]}, "dropped")
		},
	}
}
