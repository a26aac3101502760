package rules

import "strings"

// Predicate gives an SQL condition that is true for exactly the rows of a node, on MySQL and MariaDB and whatever the session's modes,
// character sets and time zone are; for other rows it is false or NULL. col gives the SQL of the column of a field. Conditions on
// plain columns compare the column itself with literals, so that an index serves them, wherever the steps allow it.
func (p *Placement) Predicate(node int, col func(field int) string) string {
	w := sqlWriter{p: p, col: make([]string, len(p.fields))}
	for i := range w.col {
		w.col[i] = col(i)
	}
	c := w.placed(node)
	if p.except != nil {
		byHand, free := w.excepted(node)
		c = or(byHand, and(free, c))
	}
	if c == never {
		return "FALSE"
	}
	if c == always {
		return "TRUE"
	}
	return "(" + string(c) + ")"
}

// cond is an SQL condition that can be joined by AND and OR without further parentheses.
type cond string

const (
	never  cond = ""
	always cond = "TRUE"
)

func and(a, b cond) cond {
	switch {
	case a == never || b == never:
		return never
	case a == always:
		return b
	case b == always:
		return a
	}
	return a + " AND " + b
}

func or(all ...cond) cond {
	var parts []string
	for _, c := range all {
		switch c {
		case never:
		case always:
			return always
		default:
			parts = append(parts, string(c))
		}
	}
	switch len(parts) {
	case 0:
		return never
	case 1:
		return cond(parts[0])
	}
	return cond("(" + strings.Join(parts, " OR ") + ")")
}

// sqlWriter writes conditions for one placement over given columns.
type sqlWriter struct {
	p   *Placement
	col []string
}

// placed is the condition that the steps lead to a node.
func (w *sqlWriter) placed(node int) cond {
	for place, n := range w.p.on {
		if n == node {
			return w.where(w.p.chain, len(w.p.chain.steps)-1, w.p.numbersOf(place))
		}
	}
	return never
}

// numbersOf gives the final numbers that lead to a place of the node list.
func (p *Placement) numbersOf(place int) numSet {
	if p.spread == 0 {
		return numSet{{uintNumber(uint64(place)), uintNumber(uint64(place))}}
	}
	first, next := spreadStart(place, len(p.on), p.spread), spreadStart(place+1, len(p.on), p.spread)
	if first == next {
		return nil
	}
	return numSet{{uintNumber(first), uintNumber(next - 1)}}
}

// where is the condition that the number behind step i of a chain is in a set.
func (w *sqlWriter) where(c *chain, i int, set numSet) cond {
	st := &c.steps[i]
	if len(set) == 0 {
		return never
	}
	if st.refine > 0 {
		return w.refined(c, i, set)
	}
	if st.branches != nil {
		return w.branched(c, i, set)
	}
	return w.own(c, i, set)
}

// refined splits number = previous × outcomes + own into conditions on both.
func (w *sqlWriter) refined(c *chain, i int, set numSet) cond {
	st := &c.steps[i]
	one := func(u uint64) numSet { return numSet{{uintNumber(u), uintNumber(u)}} }
	all := below(st.refine)
	own := func(s numSet) cond {
		if st.branches != nil {
			return w.branched(c, i, s)
		}
		return w.own(c, i, s)
	}
	var out []cond
	for _, r := range set {
		first, last := r.lo.u/st.refine, r.hi.u/st.refine
		head, tail := r.lo.u%st.refine, r.hi.u%st.refine
		switch {
		case first == last:
			out = append(out, and(w.where(c, i-1, one(first)), own(numSet{{uintNumber(head), uintNumber(tail)}})))
			continue
		case head > 0:
			out = append(out, and(w.where(c, i-1, one(first)), own(numSet{{uintNumber(head), uintNumber(st.refine - 1)}})))
			first++
		}
		if tail < st.refine-1 {
			out = append(out, and(w.where(c, i-1, one(last)), own(below(tail+1))))
			last--
		}
		if first <= last {
			out = append(out, and(w.where(c, i-1, numSet{{uintNumber(first), uintNumber(last)}}), own(all)))
		}
	}
	return or(out...)
}

// branched splits numbers that run through the branches into conditions on the outcome and on the sub-strategy.
func (w *sqlWriter) branched(c *chain, i int, set numSet) cond {
	st := &c.steps[i]
	var plain numSet
	var out []cond
	for o, sub := range st.branches {
		outcome := numRange{uintNumber(uint64(o)), uintNumber(uint64(o))}
		offset := st.offsets[o]
		if sub == nil {
			if set.has(uintNumber(offset)) {
				plain = append(plain, outcome)
			}
			continue
		}
		within := set.intersect(below(sub.count).shift(offset))
		for j := range within {
			within[j].lo.u -= offset
			within[j].hi.u -= offset
		}
		if len(within) > 0 {
			out = append(out, and(w.own(c, i, numSet{outcome}), w.where(sub, len(sub.steps)-1, within)))
		}
	}
	if len(plain) > 0 {
		out = append(out, w.own(c, i, plain.normal()))
	}
	return or(out...)
}

// maxInverted is up to how many inputs the outcomes of mod, hash and ring are looked up one by one, rather than computed by SQL.
const maxInverted = 256

// own is the condition that the outcome of step i itself is in a set.
func (w *sqlWriter) own(c *chain, i int, set numSet) cond {
	st := &c.steps[i]
	if st.field >= 0 {
		return w.ownField(st, set)
	}
	var inputs numSet
	switch {
	case st.width > 0:
		for _, r := range set {
			if in, ok := r.scale(st.width); ok {
				inputs = append(inputs, in)
			}
		}
	case st.bounds != nil:
		inputs = st.bounds.inputs(set)
	case st.kind == StepList:
		inputs = st.list.inputs(set)
	case st.in != 0 && (st.in <= maxInverted || !c.plain(i-1)):
		inputs = w.lookUp(st, st.in, set)
	default:
		return w.computed(c, i, set)
	}
	return w.where(c, i-1, inputs.normal().within(st.in))
}

// within keeps what a bounded step can give: 0..count-1, or everything for 0.
func (s numSet) within(count uint64) numSet {
	if count == 0 {
		return s
	}
	return s.intersect(below(count))
}

// lookUp finds the inputs 0..n-1 whose outcome is in the set.
func (w *sqlWriter) lookUp(st *step, n uint64, set numSet) numSet {
	var out numSet
	for u := range n {
		outcome, err := w.p.take(st, uintNumber(u), nil)
		if err == nil && set.has(outcome) {
			out = append(out, numRange{uintNumber(u), uintNumber(u)})
		}
	}
	return out
}

// inputs gives the numbers that lie in the intervals of the set.
func (b *bounds) inputs(set numSet) numSet {
	var out numSet
	signed := b.order == orderSigned
	lowest, highest := b.order.span()
	for _, r := range set.intersect(below(uint64(b.intervals()))) {
		lo, hi := lowest, highest
		from, to := int(r.lo.u), int(r.hi.u)+1
		if b.minOpen {
			from, to = from-1, to-1
		}
		if from >= 0 {
			lo = fromOrdinal(b.ords[from], signed)
		}
		if to < b.len() {
			hi, _ = fromOrdinal(b.ords[to], signed).prev() // above lo, as bounds rise
		}
		out = append(out, numRange{lo, hi})
	}
	return out
}

// inputs gives the numbers whose group is in the set.
func (l *list) inputs(set numSet) numSet {
	var in, out numSet
	for o, g := range l.ords {
		n := fromOrdinal(o, l.signed)
		if set.has(uintNumber(uint64(g))) {
			in = append(in, numRange{n, n})
		} else {
			out = append(out, numRange{n, n})
		}
	}
	if g, ok := l.otherwise(); ok && set.has(uintNumber(g)) {
		return out.normal().complement()
	}
	return in
}
