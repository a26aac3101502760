package rules

// reach gives the numbers that a chain may end with for the keys of the constraints; never too few.
func (p *Placement) reach(c *chain, cons []Constraint) numSet {
	var now numSet
	for i := range c.steps {
		st := &c.steps[i]
		var own numSet
		if st.field >= 0 {
			own = p.reachField(st, cons)
		} else {
			own = st.reachNumbers(now)
		}
		if st.branches != nil {
			own = p.reachBranches(st, own, cons)
		}
		if st.refine > 0 {
			own = refineSet(now, own, st.refine)
		}
		now = own.widened()
	}
	return now
}

func refineSet(prev, own numSet, refine uint64) numSet {
	if len(prev) == 0 || len(own) == 0 {
		return nil
	}
	if prev.size(maxKeys) == maxKeys {
		return numSet{{uintNumber(prev[0].lo.u * refine), uintNumber(prev[len(prev)-1].hi.u*refine + refine - 1)}}
	}
	var out numSet
	for _, r := range prev {
		for u := r.lo.u; ; u++ {
			out = append(out, own.shift(u*refine)...)
			if u == r.hi.u {
				break
			}
		}
	}
	return out
}

func (p *Placement) reachBranches(st *step, own numSet, cons []Constraint) numSet {
	if own.size(maxKeys) == maxKeys {
		last := len(st.branches) - 1
		end := st.offsets[last] + 1
		if st.branches[last] != nil {
			end = st.offsets[last] + st.branches[last].count
		}
		return below(end)
	}
	var out numSet
	for _, r := range own {
		for u := r.lo.u; ; u++ {
			if sub := st.branches[u]; sub != nil {
				out = append(out, p.reach(sub, cons).shift(st.offsets[u])...)
			} else {
				out = append(out, below(1).shift(st.offsets[u])...)
			}
			if u == r.hi.u {
				break
			}
		}
	}
	return out.normal()
}

// reachNumbers gives the outcomes of a step for a set of numbers.
func (st *step) reachNumbers(in numSet) numSet {
	var out numSet
	for _, r := range in {
		switch st.kind {
		case StepRange:
			if st.width > 0 {
				out = append(out, numRange{r.lo.floorDiv(st.width), r.hi.floorDiv(st.width)})
				continue
			}
			signed := st.bounds.order == orderSigned
			out = append(out, st.bounds.outcomes(span{st.bounds.below(ordinal(r.lo, signed)), st.bounds.below(ordinal(r.hi, signed))})...)
		case StepMod:
			out = append(out, modRange(r, st.mod)...)
		case StepList:
			out = append(out, st.list.reach(r)...)
		case StepHash, StepRing:
			out = append(out, st.reachHash(r)...)
		}
	}
	return out.widened()
}

// modRange gives the remainders of a range.
func modRange(r numRange, mod uint64) numSet {
	d, ok := distance(r.lo, r.hi)
	if !ok || d >= mod-1 {
		return below(mod)
	}
	lo, hi := r.lo.floorMod(mod), r.hi.floorMod(mod)
	if lo <= hi {
		return numSet{{uintNumber(lo), uintNumber(hi)}}
	}
	return numSet{{uintNumber(0), uintNumber(hi)}, {uintNumber(lo), uintNumber(mod - 1)}}
}

// outcomes gives the numbers of the intervals for counts of bounds at or below.
func (b *bounds) outcomes(s span) numSet {
	lo, hi := s.lo, s.hi
	if !b.minOpen {
		lo, hi = lo-1, hi-1
	}
	lo, hi = max(lo, 0), min(hi, b.intervals()-1)
	if lo > hi {
		return nil
	}
	return numSet{{uintNumber(uint64(lo)), uintNumber(uint64(hi))}}
}

func (st *step) reachHash(r numRange) numSet {
	if d, ok := distance(r.lo, r.hi); !ok || d >= maxUnrolled {
		return below(st.own)
	}
	var out numSet
	for n := r.lo; ; n, _ = n.next() {
		h := uint64(hashNumber(n))
		if st.kind == StepRing {
			h = st.ring.owner(uint32(h))
		}
		out = append(out, numRange{uintNumber(h), uintNumber(h)})
		if n == r.hi {
			return out
		}
	}
}

// reach gives the groups of a range of numbers.
func (l *list) reach(r numRange) numSet {
	var out numSet
	if d, ok := distance(r.lo, r.hi); ok && d < uint64(len(l.ords)) {
		for n := r.lo; ; n, _ = n.next() {
			if g, ok := l.ofNumber(n); ok {
				out = append(out, numRange{uintNumber(g), uintNumber(g)})
			}
			if n == r.hi {
				return out
			}
		}
	}
	for o, g := range l.ords {
		if n := fromOrdinal(o, l.signed); !n.less(r.lo) && !r.hi.less(n) {
			out = append(out, numRange{uintNumber(uint64(g)), uintNumber(uint64(g))})
		}
	}
	if g, ok := l.otherwise(); ok {
		out = append(out, numRange{uintNumber(g), uintNumber(g)})
	}
	return out
}
