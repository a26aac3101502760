package rules

import (
	"math/bits"
	"slices"
)

// stepPieces applies a step to a piece.
func (p *Placement) stepPieces(st *step, part piece, a axis) ([]piece, bool) {
	if part.form == formConstant || part.form == formCyclic {
		return p.mapPiece(st, part)
	}
	if part.form == formNone {
		return []piece{part}, true
	}
	if st.field >= 0 && a.kind == axisField && (st.mod > 0 || st.width > 0) {
		if unit := p.fields[st.field].typ.timeUnit(); unit != 0 {
			part.width = unit
		}
	}
	switch {
	case st.kind == StepHash || st.kind == StepRing:
		if st.field < 0 || a.kind != axisHash {
			return nil, false
		}
		if st.kind == StepRing {
			return st.ring.pieces(), true
		}
		return []piece{part}, true
	case st.width > 0:
		hi, width := bits.Mul64(part.width, st.width)
		if hi == 0 {
			part.width = width
			return []piece{part}, true
		}
		return part.splitAt([]number{uintNumber(0)}, func(r numRange) (number, bool) {
			return intNumber(map[bool]int64{true: -1}[r.lo.neg]), true
		}), true
	case st.mod > 0:
		if st.mod > maxModulus {
			return nil, false
		}
		part.form, part.table = formCyclic, make([]number, st.mod)
		for i := range part.table {
			part.table[i] = uintNumber(uint64(i))
		}
		return []piece{part}, true
	case st.bounds != nil:
		return p.boundPieces(st, part), true
	case st.list != nil:
		return p.listPieces(st, part), true
	}
	return nil, false
}

// mapPiece applies a step to the numbers of a constant or cyclic piece. A cyclic piece in which some numbers have no place keeps them as missing.
func (p *Placement) mapPiece(st *step, part piece) ([]piece, bool) {
	take := func(n number) number {
		if n == missing {
			return missing
		}
		out, err := p.take(st, n, nil)
		if err != nil {
			return missing
		}
		return out
	}
	if st.field >= 0 {
		return nil, false
	}
	if part.form == formConstant {
		part.value = take(part.value)
		if part.value == missing {
			part.form = formNone
		}
		return []piece{part}, true
	}
	table := make([]number, len(part.table))
	for i, n := range part.table {
		table[i] = take(n)
	}
	part.table = table
	return []piece{part}, true
}

func (p *Placement) boundPieces(st *step, part piece) []piece {
	cuts := make([]number, st.bounds.len())
	for i := range cuts {
		v := &st.bounds.values[i]
		cuts[i] = whole(v)
		if st.field >= 0 {
			cuts[i] = p.fields[st.field].axisNumber(v)
		}
	}
	return part.splitAt(part.cutsOf(cuts), func(r numRange) (number, bool) {
		q := r.lo.floorDiv(part.width)
		n, _ := slices.BinarySearchFunc(cuts, q, compareNumbers)
		if n < len(cuts) && cuts[n] == q {
			n++
		}
		out, ok := st.bounds.outcome(n)
		return uintNumber(out), ok
	})
}

func (p *Placement) listPieces(st *step, part piece) []piece {
	var cuts []number
	for o := range st.list.ords {
		n := fromOrdinal(o, st.list.signed)
		after, ok := n.next()
		if st.field >= 0 {
			after, ok = p.fields[st.field].after(n)
		}
		cuts = append(cuts, n)
		if ok {
			cuts = append(cuts, after)
		}
	}
	slices.SortFunc(cuts, compareNumbers)
	cuts = slices.Compact(cuts)
	return part.splitAt(part.cutsOf(cuts), func(r numRange) (number, bool) {
		out, ok := st.list.ofNumber(r.lo.floorDiv(part.width))
		return uintNumber(out), ok
	})
}

// branchPieces follows constant outcomes into their sub-strategies, which read the same field again.
func (p *Placement) branchPieces(st *step, parts []piece, over piece, a axis) ([]piece, bool) {
	var out []piece
	for _, part := range parts {
		switch part.form {
		case formNone:
			out = append(out, part)
			continue
		case formCyclic:
			table := make([]number, len(part.table))
			for i, n := range part.table {
				table[i] = n
				if n == missing {
					continue
				}
				if st.branches[n.u] != nil {
					return nil, false
				}
				table[i] = uintNumber(st.offsets[n.u])
			}
			part.table = table
			out = append(out, part)
			continue
		case formQuotient:
			return nil, false
		default:
		}
		sub, offset := st.branches[part.value.u], st.offsets[part.value.u]
		if sub == nil {
			part.value = uintNumber(offset)
			out = append(out, part)
			continue
		}
		inner, ok := p.chainPieces(sub, piece{numRange: part.numRange, form: formQuotient, width: 1}, a)
		if !ok || a.kind != axisField || len(out)+len(inner) > maxPieces {
			return nil, false
		}
		for _, in := range inner {
			out = append(out, in.shiftBy(offset))
		}
	}
	return out, true
}

func (pc piece) shiftBy(offset uint64) piece {
	switch pc.form {
	case formConstant:
		pc.value = uintNumber(pc.value.u + offset)
	case formCyclic:
		table := make([]number, len(pc.table))
		for i, n := range pc.table {
			table[i] = n
			if n != missing {
				table[i] = uintNumber(n.u + offset)
			}
		}
		pc.table = table
	default:
	}
	return pc
}
