package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func newDDLJobList(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the last definition jobs", Args: args(cobra.NoArgs),
		Long: "List the last definition jobs, the newest first: what is done where, and what an open one waits for.", Example: "  rulectl ddl job list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			jobs, err := c.Jobs(cmd.Context())
			if err != nil {
				return err
			}
			return a.print(jobs, func() grid {
				g := grid{head: []string{"JOB", "KIND", "OBJECT", "STATE", "NODES DONE", "USER", "UPDATED", "ERROR"}}
				for _, j := range jobs {
					g.row(j.ID, j.Kind, j.Table, j.State, dash(strings.Join(j.Done, ",")), dash(j.User), j.Updated.Format(time.DateTime), dash(j.Error))
				}
				return g
			})
		},
	}
}
