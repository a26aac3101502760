package rules

// toNodes turns the final numbers of a piece into node indexes.
func (p *Placement) toNodes(part piece) []piece {
	node := func(n number) number {
		// A table over residues may name numbers that no key reaches, since the number before has a bound: they have no node.
		if n != missing && (p.spread == 0 || n.u < p.spread) {
			if place, ok := p.place(n); ok {
				return uintNumber(uint64(p.on[place]))
			}
		}
		return missing
	}
	switch part.form {
	case formConstant:
		part.value = node(part.value)
		if part.value == missing {
			part.form = formNone
		}
	case formCyclic:
		table := make([]number, len(part.table))
		same := true
		for i, n := range part.table {
			table[i] = node(n)
			same = same && table[i] == table[0]
		}
		part.table = table
		if same { // every residue leads to one node
			part.form, part.value = formConstant, table[0]
			if part.value == missing {
				part.form = formNone
			}
		}
	case formQuotient:
		places := make([]number, len(p.on)+1)
		for i := range places {
			places[i] = uintNumber(uint64(i))
		}
		return part.splitAt(part.cutsOf(places), func(r numRange) (number, bool) {
			n := node(r.lo.floorDiv(part.width))
			return n, n != missing
		})
	default:
	}
	return []piece{part}
}

// overlay puts the pieces that are placed by hand over the others.
func (p *Placement) overlay(base []piece) []piece {
	e, f := p.except, &p.fields[0]
	all := numRange{minNumber, maxNumber}
	var hand []piece
	for i, node := range e.nodes {
		r := all
		if i > 0 {
			r.lo = f.axisNumber(&e.cuts.values[i-1])
		}
		if i < len(e.cuts.values) {
			var some bool
			if r.hi, some = f.axisNumber(&e.cuts.values[i]).prev(); !some {
				continue // nothing is below the least number
			}
		}
		part := piece{numRange: r, form: formNone}
		if node != NoPlace {
			part.form, part.value = formConstant, uintNumber(uint64(node))
		}
		hand = append(hand, part)
	}
	var out []piece
	overlaps(hand, base, func(r numRange, h, b *piece) {
		part := *b
		if h.form == formConstant {
			part = *h
		}
		part.numRange = r
		out = append(out, part)
	})
	return out
}

// overlaps walks two lists of pieces that cover the same axis, calling do for every part that lies in one piece of each.
func overlaps(a, b []piece, do func(r numRange, a, b *piece)) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		r := a[i].numRange
		if r.lo.less(b[j].lo) {
			r.lo = b[j].lo
		}
		if b[j].hi.less(r.hi) {
			r.hi = b[j].hi
		}
		if !r.hi.less(r.lo) {
			do(r, &a[i], &b[j])
		}
		if a[i].hi.less(b[j].hi) {
			i++
		} else {
			j++
		}
	}
}

// joinPieces joins neighbours with one constant.
func joinPieces(in []piece) []piece {
	var out []piece
	for _, part := range in {
		if n := len(out); n > 0 && part.form == out[n-1].form && (part.form == formNone || part.form == formConstant && part.value == out[n-1].value) {
			out[n-1].hi = part.hi
			continue
		}
		out = append(out, part)
	}
	return out
}
