package main

import (
	"github.com/spf13/cobra"
)

func newDDL(a *app) *cobra.Command {
	return group("ddl", "Look at definition statements", group("job", "Look at definition jobs", newDDLJobList(a)))
}
