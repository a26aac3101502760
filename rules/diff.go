package rules

// Diff gives the windows between two placements over the same fields and nodes: disjoint, and together exactly the keys whose node differs (I3).
func Diff(old, new *Placement) ([]Window, error) {
	return nil, errDiffFields.New()
}
