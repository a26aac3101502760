package plan

import (
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
	if count == len(keys) {
		p.keys = keys
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
		if node, done := p.one(bc, t); done {
			if node >= 0 {
				dst = append(dst, node)
			}
			return dst
		}
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

// maxKeyFields bounds the balancing fields that the fast way handles without allocating.
const maxKeyFields = 4

// one finds the node of a full key; done is false if the key is not certain, node is -1 if no row can have it.
func (p *pruner) one(bc *bindCtx, t *catalog.Table) (node int, done bool) {
	var key [maxKeyFields]rules.Value
	if len(p.keys) > maxKeyFields || len(p.keys) != len(t.Fields) {
		return 0, false
	}
	for i := range p.keys {
		l, ok := p.keys[i].value(bc)
		if !ok {
			return 0, false
		}
		if l.Kind == LitNull {
			return -1, true
		}
		cmp := comparer{env: bc.env, mariaDB: bc.plan.mariaDB, direct: p.keys[i].op == 0 && p.keys[i].cast == castNone}
		v, how := cmp.equal(&t.Columns[t.Fields[i]].Field, &l)
		switch how {
		case never:
			return -1, true
		case exact:
			key[i] = v
		default:
			return 0, false
		}
	}
	node, err := t.Placement.Node(key[:len(p.keys)])
	if err != nil {
		if rules.NoPlaceError(err) {
			return -1, true
		}
		return 0, false
	}
	return node, true
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
