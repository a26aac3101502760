package plan

import (
	"slices"

	"ballast/rules"
	"ballast/rules/catalog"
)

// pruner finds the nodes that may hold rows of one reference that satisfy its block's conditions.
type pruner struct {
	// table is the table's place in bindCtx.tables.
	table int
	cond  *cond
	// keys, when set, are the operands of an equality for each balancing field, in order: the way of nearly all statements.
	keys []operand
	// list, when set, is what one of the fields, in, is equal to any of: field IN (…). Its place in keys is empty.
	list *cond
	in   int
	// only says that nothing but keys and list is known of the fields.
	only bool
}

// pruner compiles what the block's conditions say of a reference to a sharded table.
func (b *condBlock) pruner(ref *tableRef) *pruner {
	c := &compiler{b: b, ref: ref}
	all := &cond{kind: condAnd}
	for _, e := range b.conds {
		if k := c.compile(e, false); k.kind != condAny {
			all.kids = append(all.kids, k)
		}
	}
	p := &pruner{table: ref.index, cond: all}
	keys := make([]operand, len(ref.table.Fields))
	found := make([]bool, len(keys))
	count := 0
	for _, k := range all.kids {
		if k.kind == condCompare && k.op == opEQ && !found[k.field] {
			keys[k.field], found[k.field] = k.args[0], true
			count++
		}
	}
	if count == len(keys)-1 {
		p.in = slices.Index(found, false)
		for _, k := range all.kids {
			if k.kind == condIn && k.field == p.in && p.list == nil {
				p.list = k
				count++
			}
		}
	}
	if count == len(keys) {
		p.keys, p.only = keys, len(all.kids) == count
	}
	return p
}

// nodes appends the nodes that may hold matching rows, ascending; none means that no row can match.
func (p *pruner) nodes(bc *bindCtx, dst []int) []int {
	t := bc.tables[p.table]
	if t.Kind != catalog.Sharded {
		return bc.nodesOf(t, dst)
	}
	if p.keys != nil {
		if out, done := p.byKey(bc, t, dst); done {
			return out
		}
	}
	if len(p.cond.kids) == 0 {
		return append(dst, t.Placement.Nodes()...)
	}
	fields := make([]rules.FieldType, len(t.Fields))
	for i, c := range t.Fields {
		fields[i] = t.Columns[c].Field
	}
	boxes := p.cond.within(bc, fields, []box{make(box, len(fields))})
	if len(boxes) == 1 {
		return t.Placement.Prune(boxes[0], dst)
	}
	var found nodeBits
	var buf []int
	for _, b := range boxes {
		buf = t.Placement.Prune(b, buf[:0])
		for _, n := range buf {
			found.add(n)
		}
	}
	return found.appendTo(dst)
}

// nodeBits is a small set of node indexes.
type nodeBits struct{ bits []uint64 }

func (s *nodeBits) add(n int) {
	for n/64 >= len(s.bits) {
		s.bits = append(s.bits, 0)
	}
	s.bits[n/64] |= 1 << (n % 64)
}

func (s *nodeBits) has(n int) bool { return n/64 < len(s.bits) && s.bits[n/64]&(1<<(n%64)) != 0 }

// appendTo appends the members, ascending.
func (s *nodeBits) appendTo(dst []int) []int {
	for n := range len(s.bits) * 64 {
		if s.has(n) {
			dst = append(dst, n)
		}
	}
	return dst
}
