package rules

// Ordered gives the nodes in the order of the first field, when reading them one after the other in that order yields its values sorted; false
// when no such order exists.
func (p *Placement) Ordered() ([]int, bool) { return nil, false }
