package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ballast/master/client"
	"ballast/rules/catalog"
)

func newTableShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "show SCHEMA.TABLE", Short: "Show a table: rule, columns, keys", Args: args(cobra.ExactArgs(1)), Example: "  rulectl table show shop.orders",
		RunE: func(cmd *cobra.Command, list []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			_, t, err := findTable(cmd, c, list[0])
			if err != nil {
				return err
			}
			return a.print(t, func() grid {
				g := grid{head: []string{"COLUMN", "TYPE", "NULL", "NOTE"}}
				for _, col := range t.Columns {
					g.row(col.Name, col.Type, yesNo(col.Nullable), dash(columnNote(t, &col)))
				}
				g.below = append(g.below, "", "rule: "+ruleOf(t))
				for _, k := range t.Keys {
					kind := "key"
					if k.Unique {
						kind = "unique key"
					}
					g.below = append(g.below, fmt.Sprintf("%s %s (%s)", kind, k.Name, strings.Join(k.Columns, ", ")))
				}
				if t.Sequence != "" {
					g.below = append(g.below, "sequence: "+t.Sequence)
				}
				return g
			})
		},
	}
}

func columnNote(t *catalog.Table, c *catalog.Column) string {
	var notes []string
	if t.Strategy != nil {
		for i, by := range t.Strategy.By {
			if strings.EqualFold(by, c.Name) {
				notes = append(notes, fmt.Sprintf("balancing field %d", i+1))
			}
		}
	}
	if c.AutoIncrement {
		notes = append(notes, "auto increment")
	}
	if c.Generated {
		notes = append(notes, "generated")
	}
	return strings.Join(notes, ", ")
}

func findTable(cmd *cobra.Command, c *client.Client, arg string) (*catalog.Snapshot, *catalog.Table, error) {
	name, err := tableName(arg)
	if err != nil {
		return nil, nil, err
	}
	s, err := c.Snapshot(cmd.Context())
	if err != nil {
		return nil, nil, err
	}
	t := s.Table(name)
	if t == nil {
		return nil, nil, fmt.Errorf("there is no table %s; rulectl table list shows the names", name)
	}
	return s, t, nil
}
