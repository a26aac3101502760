package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ballast/rules"
	"ballast/rules/catalog"
)

func newExplain(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "explain SCHEMA.TABLE KEY…", Short: "Say where a key's rows live, and why", Args: args(cobra.MinimumNArgs(2)),
		Long:    "Say where a key's rows live, and why. Give one value for each balancing field, in their order; NULL stands for NULL.",
		Example: "  rulectl explain shop.orders 4711\n  rulectl explain shop.visits guangdong 4711\n  rulectl explain shop.orders -- -1        # -- before negative keys",
		RunE: func(cmd *cobra.Command, list []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			s, t, err := findTable(cmd, c, list[0])
			if err != nil {
				return err
			}
			out := struct {
				Table string   `json:"table"`
				Key   []string `json:"key"`
				Node  string   `json:"node"`
				Why   string   `json:"why"`
			}{Table: t.Name.String(), Key: list[1:]}
			switch t.Kind {
			case catalog.Global:
				out.Node, out.Why = "*", "a global table: every node has every row"
			case catalog.Single:
				out.Node, out.Why = t.SingleOn, "a single table: node "+t.SingleOn+" has every row"
			case catalog.Sharded:
				key, err := parseKey(t, list[1:])
				if err != nil {
					return err
				}
				out.Why = t.Placement.Explain(key)
				if n, err := t.Placement.Node(key); err == nil {
					out.Node = s.Nodes[n].Name
				} else if !rules.NoPlaceError(err) {
					return err
				}
			}
			return a.print(out, func() grid { return grid{below: []string{out.Why}} })
		},
	}
}

// parseKey reads one value for each balancing field.
func parseKey(t *catalog.Table, list []string) ([]rules.Value, error) {
	if len(list) != len(t.Fields) {
		return nil, misuse{fmt.Errorf("%s is balanced by %s: give %d values", t.Name, strings.Join(t.Strategy.By, ", "), len(t.Fields))}
	}
	key := make([]rules.Value, len(list))
	for i, text := range list {
		if strings.EqualFold(text, "NULL") {
			continue // the zero Value
		}
		c := &t.Columns[t.Fields[i]]
		v, ok := c.Field.Parse(text)
		if !ok {
			return nil, misuse{fmt.Errorf("%q is not a value of %s (%s)", text, c.Name, c.Type)}
		}
		key[i] = v
	}
	return key, nil
}
