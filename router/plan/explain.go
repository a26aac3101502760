package plan

import (
	"strconv"
	"strings"

	"ballast/router/engine"
)

// TreeText draws a tree of operators, for tests and logs; nodes are given by their index.
func TreeText(root engine.Node) string {
	var b strings.Builder
	walkTree(root, func(prefix string, d engine.Desc) {
		b.WriteString(prefix + d.Name)
		for _, text := range []string{d.Detail, nodeList(d.Nodes), d.SQL} {
			if text != "" {
				b.WriteString("  " + text)
			}
		}
		b.WriteByte('\n')
	})
	return b.String()
}

// walkTree visits operators from the top down with the lines that draw the tree.
func walkTree(root engine.Node, visit func(prefix string, d engine.Desc)) {
	var walk func(n engine.Node, prefix, below string)
	walk = func(n engine.Node, prefix, below string) {
		visit(prefix, n.Describe())
		in := n.Inputs()
		for i, child := range in {
			last := i == len(in)-1
			walk(child, branch(below, last), below+map[bool]string{true: "   ", false: "│  "}[last])
		}
	}
	walk(root, "", "")
}

func branch(below string, last bool) string {
	if last {
		return below + "└─ "
	}
	return below + "├─ "
}

// nodeList names nodes by their index.
func nodeList(nodes []int) string {
	var names []string
	for _, n := range nodes {
		names = append(names, "n"+strconv.Itoa(n))
	}
	return strings.Join(names, ",")
}
