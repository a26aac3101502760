package main

import (
	"github.com/spf13/cobra"

	"ballast/master/api"
	"ballast/rules/catalog"
)

func newCheck(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "check SCHEMA.TABLE…", Short: "Check that every row is where the rule says", Args: args(cobra.ArbitraryArgs),
		Long:    "Check that every row of a table is on the node that the rule says, and that all copies of a global table are equal. It reads whole tables.",
		Example: "  rulectl check shop.orders shop.region\n  rulectl check --all",
		RunE: func(cmd *cobra.Command, list []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			var names []catalog.Name
			for _, arg := range list {
				name, err := tableName(arg)
				if err != nil {
					return err
				}
				names = append(names, name)
			}
			if all {
				s, err := c.Snapshot(cmd.Context())
				if err != nil {
					return err
				}
				for _, t := range s.Tables {
					names = append(names, t.Name)
				}
			} else if len(names) == 0 {
				return misuse{errNoTable}
			}
			replies := []*api.CheckReply{}
			holds := true
			for _, name := range names {
				r, err := c.Check(cmd.Context(), name)
				if err != nil {
					return err
				}
				replies = append(replies, r)
				holds = holds && r.Holds
			}
			if err := a.print(replies, func() grid { return checkGrid(replies) }); err != nil {
				return err
			}
			if !holds {
				return errDoesNotHold
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "all tables")
	return cmd
}

func checkGrid(replies []*api.CheckReply) grid {
	g := grid{head: []string{"TABLE", "NODE", "ROWS", "MISPLACED", "CHECKSUM", "HOLDS", "ERROR"}}
	for _, r := range replies {
		for _, n := range r.Nodes {
			g.row(r.Table, n.Node, n.Rows, n.Misplaced, dash(n.Checksum), yesNo(r.Holds), dash(n.Error))
		}
	}
	return g
}
