package main

import (
	"time"

	"github.com/spf13/cobra"
)

func newAudit(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "audit", Short: "List the last changes: who, when, what, why", Args: args(cobra.NoArgs), Example: "  rulectl audit",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			entries, err := c.Audit(cmd.Context())
			if err != nil {
				return err
			}
			return a.print(entries, func() grid {
				g := grid{head: []string{"AT", "WHO", "VERSION", "WHAT", "WHY"}}
				for _, e := range entries {
					g.row(e.At.Format(time.DateTime), e.Who, e.Version, short(e.What, 100), dash(e.Why))
				}
				return g
			})
		},
	}
}
