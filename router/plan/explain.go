package plan

import (
	"strconv"
	"strings"

	"ballast/router/engine"
	"ballast/rules/catalog"
)

// ExplainBound gives the rows that EXPLAIN answers for a statement that several nodes work on: one row per operator, inner ones indented below the
// operator that reads them. The columns are step, detail (key columns by their position, as ORDER BY counts them), nodes, and the sql that
// each of them gets. A statement for one node has no tree: there the session relays the node's own EXPLAIN.
func ExplainBound(b *Bound, snap *catalog.Snapshot) *engine.Values {
	out := &engine.Values{Columns: engine.TextColumns("step", "detail", "nodes", "sql"), What: "explain"}
	add := func(prefix string, d engine.Desc) {
		row := []any{prefix + d.Name, nil, nil, nil}
		for i, text := range []string{d.Detail, nodeNames(d.Nodes, snap), d.SQL} {
			if text != "" {
				row[i+1] = text
			}
		}
		out.Rows = append(out.Rows, row)
	}
	switch {
	case b.Root != nil:
		walkTree(b.Root, add)
	case b.Single != nil:
		add("", engine.Desc{Name: "Single", Nodes: []int{b.Single.Node}, SQL: string(b.Single.SQL)})
	case b.Writes != nil:
		name := "Write"
		if b.Writes.Global {
			name = "WriteGlobal"
		}
		add("", engine.Desc{Name: name, Detail: "all parts or none"})
		for i, q := range b.Writes.Parts {
			add(branch("", i == len(b.Writes.Parts)-1), engine.Desc{Name: "Part", Nodes: []int{q.Node}, SQL: string(q.SQL)})
		}
	}
	return out
}

// TreeText draws a tree of operators, for tests and logs; nodes are given by their index.
func TreeText(root engine.Node) string {
	var b strings.Builder
	walkTree(root, func(prefix string, d engine.Desc) {
		b.WriteString(prefix + d.Name)
		for _, text := range []string{d.Detail, nodeNames(d.Nodes, nil), d.SQL} {
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

// nodeNames lists nodes by name, or by index where there is no snapshot.
func nodeNames(nodes []int, snap *catalog.Snapshot) string {
	var names []string
	for _, n := range nodes {
		if snap != nil && n < len(snap.Nodes) {
			names = append(names, snap.Nodes[n].Name)
		} else {
			names = append(names, "n"+strconv.Itoa(n))
		}
	}
	return strings.Join(names, ",")
}
