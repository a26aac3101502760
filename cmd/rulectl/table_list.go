package main

import (
	"github.com/spf13/cobra"
)

func newTableList(a *app) *cobra.Command {
	var schema string
	cmd := &cobra.Command{
		Use: "list", Short: "List tables and their rules", Args: args(cobra.NoArgs), Example: "  rulectl table list\n  rulectl table list --schema shop -o json",
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
				Table string `json:"table"`
				Kind  string `json:"kind"`
				Group string `json:"group,omitempty"`
				Rule  string `json:"rule"`
			}
			rows := []row{}
			for _, t := range s.Tables {
				if schema == "" || t.Name.Schema == schema {
					rows = append(rows, row{t.Name.String(), string(t.Kind), t.Group, ruleOf(t)})
				}
			}
			return a.print(rows, func() grid {
				g := grid{head: []string{"TABLE", "KIND", "GROUP", "RULE"}}
				for _, r := range rows {
					g.row(r.Table, r.Kind, dash(r.Group), short(r.Rule, 120))
				}
				return g
			})
		},
	}
	cmd.Flags().StringVar(&schema, "schema", "", "only tables of this database")
	return cmd
}

// short cuts a long rule for the table; json and yaml have all of it.
func short(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}
