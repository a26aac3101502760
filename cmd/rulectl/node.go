package main

import (
	"github.com/spf13/cobra"

	"ballast/master/api"
)

func newNode(a *app) *cobra.Command {
	return group("node", "Look at, add and remove db nodes", newNodeAdd(a), newNodeList(a), newNodeDrain(a), newNodeRemove(a))
}

func nodeState(n api.NodeStatus) string {
	switch {
	case n.Removed:
		return "removed"
	case !n.Up:
		return "down"
	case !n.Ready:
		return "not ready"
	}
	return "up"
}
