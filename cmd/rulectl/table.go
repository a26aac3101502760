package main

import (
	"github.com/spf13/cobra"

	"ballast/rules"
	"ballast/rules/catalog"
)

func newTable(a *app) *cobra.Command {
	return group("table", "Look at tables and their rules", newTableList(a), newTableShow(a))
}

// ruleOf is a table's rule in its SQL form.
func ruleOf(t *catalog.Table) string {
	switch t.Kind {
	case catalog.Global:
		return rules.Clause{Kind: rules.Everywhere}.SQL()
	case catalog.Single:
		return rules.Clause{Kind: rules.OneNode, Single: t.SingleOn}.SQL()
	case catalog.Sharded:
		return rules.Clause{Kind: rules.Balanced, Strategy: *t.Strategy, Group: t.Group, PerNode: t.PerNodeUnique}.SQL()
	}
	return ""
}
