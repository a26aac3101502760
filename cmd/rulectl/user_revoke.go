package main

import (
	"github.com/spf13/cobra"

	"ballast/master/api"
)

func newUserRevoke(a *app) *cobra.Command {
	var schema string
	cmd := &cobra.Command{
		Use: "revoke NAME RIGHT…", Short: "Take rights from an account", Args: args(cobra.MinimumNArgs(2)),
		Long:    "Take rights from an account: read, write, ddl, admin or all, on one database or on all (--schema '*', the default).",
		Example: "  rulectl user revoke app read write --schema shop",
		RunE: func(cmd *cobra.Command, list []string) error {
			rights, err := parseRights(list[1:])
			if err != nil {
				return err
			}
			return a.changeUser(cmd, api.UserRequest{Op: "revoke", Name: list[0], Schema: schema, Rights: rights}, "rights taken away")
		},
	}
	cmd.Flags().StringVar(&schema, "schema", "*", "database that the rights are for, * for all")
	return cmd
}
