package router

import "ballast/rules/catalog"

// liveNodes lists the nodes that have not left the cluster.
func liveNodes(snap *catalog.Snapshot) []int {
	out := make([]int, 0, len(snap.Nodes))
	for i := range snap.Nodes {
		if !snap.Nodes[i].Removed {
			out = append(out, i)
		}
	}
	return out
}

func (s *Session) nodeName(i int) string {
	if n := s.env.Snapshot.Nodes; i >= 0 && i < len(n) {
		return n[i].Name
	}
	return "?"
}

// anyNode picks the node for what any node can answer: one of the transaction, else one that is up, spread over the sessions.
func (s *Session) anyNode() int {
	if len(s.txn.branches) > 0 {
		return s.txn.branches[0].node
	}
	nodes := s.env.Snapshot.Nodes
	n := len(nodes)
	for i := range n {
		at := (int(s.client.ID) + i) % n
		if !nodes[at].Removed && s.router.cluster.Up(at) {
			return at
		}
	}
	for i := range nodes {
		if !nodes[i].Removed {
			return i
		}
	}
	return noNode
}

func (s *Session) liveNodes() []int { return liveNodes(s.env.Snapshot) }
