package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func newUserList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the accounts and their rights", Args: args(cobra.NoArgs), Example: "  rulectl user list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			s, err := c.Snapshot(cmd.Context())
			if err != nil {
				return err
			}
			type row struct {
				Name        string            `json:"name"`
				Password    bool              `json:"password"`
				SafeUpdates bool              `json:"safe_updates"`
				Rights      map[string]string `json:"rights"`
			}
			rows := []row{}
			for _, name := range slices.Sorted(maps.Keys(s.Users)) {
				u := s.Users[name]
				r := row{Name: name, Password: len(u.Native)+len(u.CachingSHA2) > 0, SafeUpdates: u.SafeUpdates, Rights: map[string]string{}}
				for schema, right := range u.Rights {
					r.Rights[schema] = formatRights(right)
				}
				rows = append(rows, r)
			}
			return a.print(rows, func() grid {
				g := grid{head: []string{"USER", "PASSWORD", "SAFE UPDATES", "RIGHTS"}}
				for _, r := range rows {
					var rights []string
					for _, schema := range slices.Sorted(maps.Keys(r.Rights)) {
						rights = append(rights, schema+": "+r.Rights[schema])
					}
					g.row(r.Name, yesNo(r.Password), yesNo(r.SafeUpdates), dash(strings.Join(rights, "; ")))
				}
				return g
			})
		},
	}
}
