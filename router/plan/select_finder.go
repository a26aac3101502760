package plan

// finder looks at the conditions on a reference, to find the nodes that may hold its rows.
func (pc *planCtx) finder(b *block, r *placedRef) *pruner {
	return pc.condBlock(b.scope, r.conds.all()...).pruner(r.tableRef)
}
