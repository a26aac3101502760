package master

import (
	"context"
	"sync"

	"ballast/master/api"
	"ballast/master/core"
	"ballast/master/nodeadmin"
	"ballast/rules"
	"ballast/rules/catalog"
)

// check counts, on every node, the rows that the rule places elsewhere; for a global table it compares the copies.
func (t *term) check(ctx context.Context, q api.CheckRequest) (*api.CheckReply, error) {
	table := t.table(q.Table)
	if table == nil {
		return nil, errUnknownTable.New(q.Table.String())
	}
	var placement *rules.Placement
	if table.Kind == catalog.Sharded {
		var err error
		if placement, err = core.Compile(t.pub.current(), table); err != nil {
			return nil, err
		}
	}
	nodes := t.nodes.list()
	reply := &api.CheckReply{Table: q.Table, Holds: true, Nodes: make([]api.CheckNode, len(nodes))}
	var all sync.WaitGroup
	for i, n := range nodes {
		all.Add(1)
		go func() {
			defer all.Done()
			reply.Nodes[i] = checkNode(ctx, n, table, placement)
		}()
	}
	all.Wait()
	for _, n := range reply.Nodes {
		reply.Holds = reply.Holds && n.Error == "" && n.Misplaced == 0 && n.Checksum == reply.Nodes[0].Checksum
		if table.Kind == catalog.Global {
			reply.Holds = reply.Holds && n.Rows == reply.Nodes[0].Rows
		}
	}
	return reply, nil
}

func checkNode(ctx context.Context, n *node, table *catalog.Table, placement *rules.Placement) api.CheckNode {
	out := api.CheckNode{Node: n.name}
	here := "TRUE"
	switch {
	case placement != nil:
		here = placement.Predicate(n.index, func(field int) string { return nodeadmin.Quote(table.Strategy.By[field]) })
	case table.Kind == catalog.Single && table.SingleOn != n.name:
		here = "FALSE"
	}
	var err error
	out.Rows, out.Misplaced, err = n.admin.CountMisplaced(ctx, table.Name, here)
	if err == nil && table.Kind == catalog.Global {
		out.Checksum, err = n.admin.Checksum(ctx, table.Name)
	}
	if err != nil {
		out.Error = toFailure(err).Message
	}
	return out
}
