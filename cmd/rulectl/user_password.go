package main

import (
	"github.com/spf13/cobra"

	"ballast/master/api"
)

func newUserPassword(a *app) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "password NAME", Short: "Change an account's password", Args: args(cobra.ExactArgs(1)),
		Long:    "Change an account's password. It comes from a file or from BALLAST_USER_PASSWORD.",
		Example: "  rulectl user password app --password-file pw",
		RunE: func(cmd *cobra.Command, list []string) error {
			password, err := a.password(file)
			if err != nil {
				return err
			}
			q := api.UserRequest{Op: "password", Name: list[0]}
			q.Native, q.CachingSHA2 = api.Verifiers(password)
			return a.changeUser(cmd, q, "password changed")
		},
	}
	cmd.Flags().StringVar(&file, "password-file", "", "file that holds the password (default $BALLAST_USER_PASSWORD)")
	return cmd
}
