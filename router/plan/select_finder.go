package plan

// nodeFinder finds the nodes that may hold a reference's rows, given the values of one execution.
type nodeFinder interface {
	nodes(bc *bindCtx, dst []int) []int
}

// finder looks at the conditions on a reference.
func (pc *planCtx) finder(b *block, r *placedRef) nodeFinder {
	return pc.condBlock(b.scope, r.conds.all()...).pruner(r.tableRef)
}
