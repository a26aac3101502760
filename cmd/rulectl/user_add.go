package main

import (
	"github.com/spf13/cobra"

	"ballast/master/api"
)

func newUserAdd(a *app) *cobra.Command {
	var passwordFile, schema string
	var rights []string
	var safe bool
	cmd := &cobra.Command{
		Use: "add NAME", Short: "Add an account", Args: args(cobra.ExactArgs(1)),
		Long:    "Add an account. The password comes from a file or from BALLAST_USER_PASSWORD; only what proves it is kept, never the password.",
		Example: "  rulectl user add app --password-file pw --schema shop --rights read,write\n  rulectl user add root --rights all        # no password: development clusters only",
		RunE: func(cmd *cobra.Command, list []string) error {
			right, err := parseRights(rights)
			if err != nil {
				return err
			}
			password, err := a.password(passwordFile)
			if err != nil {
				return err
			}
			q := api.UserRequest{Op: "add", Name: list[0], Schema: schema, Rights: right, SafeUpdates: safe}
			q.Native, q.CachingSHA2 = api.Verifiers(password)
			return a.changeUser(cmd, q, "added")
		},
	}
	f := cmd.Flags()
	f.StringVar(&passwordFile, "password-file", "", "file that holds the password (default $BALLAST_USER_PASSWORD)")
	f.StringVar(&schema, "schema", "*", "database that the rights are for, * for all")
	f.StringSliceVar(&rights, "rights", nil, "read, write, ddl, admin or all")
	f.BoolVar(&safe, "safe-updates", false, "force sql_safe_updates for this account")
	return cmd
}
