package main

import (
	"github.com/spf13/cobra"

	"ballast/master/api"
)

func newUserGrant(a *app) *cobra.Command {
	var schema string
	cmd := &cobra.Command{
		Use: "grant NAME RIGHT…", Short: "Give an account rights", Args: args(cobra.MinimumNArgs(2)),
		Long:    "Give an account rights: read, write, ddl, admin or all, on one database or on all (--schema '*', the default).",
		Example: "  rulectl user grant app read write --schema shop",
		RunE: func(cmd *cobra.Command, list []string) error {
			rights, err := parseRights(list[1:])
			if err != nil {
				return err
			}
			return a.changeUser(cmd, api.UserRequest{Op: "grant", Name: list[0], Schema: schema, Rights: rights}, "rights given")
		},
	}
	cmd.Flags().StringVar(&schema, "schema", "*", "database that the rights are for, * for all")
	return cmd
}
