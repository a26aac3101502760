package backend

// NodeStats is one node as SHOW BALLAST prints it.
type NodeStats struct {
	Index int
	Name  string
	// Open connections, those of them that are idle, and the statements that wait for one.
	Open, Idle, Waiting int
	// Down is why the node is down; nil while it is up.
	Down error
}

// Stats describes all nodes, by place.
func (c *Cluster) Stats() []NodeStats {
	nodes := *c.nodes.Load()
	out := make([]NodeStats, len(nodes))
	for i, n := range nodes {
		out[i] = n.stats()
	}
	return out
}

func (n *node) stats() NodeStats {
	n.mu.Lock()
	s := NodeStats{Index: n.index, Name: n.name, Open: n.open, Down: n.refusal()}
	n.mu.Unlock()
	s.Waiting = int(n.waiting.Load())
	for _, sh := range n.shards {
		s.Idle += int(sh.idleCount.Load())
	}
	return s
}
