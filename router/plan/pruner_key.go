package plan

import (
	"math/bits"

	"ballast/rules"
	"ballast/rules/catalog"
)

// maxKeyFields bounds the balancing fields that the fast way handles without allocating.
const maxKeyFields = 4

// byKey appends the nodes of full keys, without allocating; done is false if a key is not certain.
func (p *pruner) byKey(bc *bindCtx, t *catalog.Table, dst []int) (out []int, done bool) {
	var room [maxKeyFields]rules.Value
	if len(p.keys) > len(room) || len(p.keys) != len(t.Fields) {
		return dst, false
	}
	key := room[:len(p.keys)]
	for i := range key {
		if p.list != nil && i == p.in {
			continue
		}
		cmp := comparer{env: bc.env, mariaDB: bc.plan.mariaDB, direct: true}
		var how verdict
		if key[i], how = cmp.keyOf(bc, &t.Columns[t.Fields[i]].Field, &p.keys[i]); how != exact {
			return dst, how == never
		}
	}
	if p.list != nil {
		return p.byList(bc, t, key, dst)
	}
	node, how := nodeOf(t, key)
	if how == exact {
		dst = append(dst, node)
	}
	return dst, how != unsure
}

// byList is byKey for the keys that the values of a list make.
func (p *pruner) byList(bc *bindCtx, t *catalog.Table, key []rules.Value, dst []int) (out []int, done bool) {
	var found [4]uint64
	field := &t.Columns[t.Fields[p.in]].Field
	cmp := p.list.comparer(bc)
	for i := range p.list.args {
		var how verdict
		key[p.in], how = cmp.keyOf(bc, field, &p.list.args[i])
		node := 0
		if how == exact {
			node, how = nodeOf(t, key)
		}
		switch {
		case how == never:
		case how == unsure || node >= 64*len(found):
			return dst, false
		default:
			found[node/64] |= 1 << (node % 64)
		}
	}
	start := len(dst)
	for i, word := range found {
		for ; word != 0; word &= word - 1 {
			dst = append(dst, 64*i+bits.TrailingZeros64(word))
		}
	}
	if len(dst)-start > 1 && !p.only {
		return dst[:start], false // what else is known may leave fewer
	}
	return dst, true
}

// keyOf gives the key that a field must have to be equal to an operand.
func (c comparer) keyOf(bc *bindCtx, t *rules.FieldType, o *operand) (rules.Value, verdict) {
	if l := o.plain(bc); l != nil && l.Kind == LitInt {
		return c.equal(t, l)
	}
	l, ok := o.value(bc)
	switch {
	case !ok:
		return rules.Value{}, unsure
	case l.Kind == LitNull:
		return rules.Value{}, never
	}
	c.direct = c.direct && o.op == 0 && o.cast == castNone
	return c.equal(t, &l)
}

// nodeOf gives the node of a key; never if none may have it.
func nodeOf(t *catalog.Table, key []rules.Value) (int, verdict) {
	node, err := t.Placement.Node(key)
	switch {
	case err == nil:
		return node, exact
	case rules.NoPlaceError(err):
		return 0, never
	}
	return 0, unsure
}

// comparer gives the rules by which the server compares a field with the values of a list.
func (c *cond) comparer(bc *bindCtx) comparer {
	one := len(c.args) == 1
	return comparer{env: bc.env, mariaDB: bc.plan.mariaDB, direct: one, loose: !one && !c.allIntegers(bc)}
}
