package rules

// Window is a set of keys that a change of rules moves from one node to another: those with old node From and new node To.
type Window struct {
	// From and To are node indexes; NoPlace where the rule has no node for the keys.
	From, To int
	old, new *Placement
}

// Holds says whether the window holds a key.
func (w Window) Holds(key []Value) bool {
	return nodeOr(w.old, key) == w.From && nodeOr(w.new, key) == w.To
}

// nodeOr gives the node of a key, NoPlace when it has none.
func nodeOr(p *Placement, key []Value) int {
	node, err := p.Node(key)
	if err != nil {
		return NoPlace
	}
	return node
}
