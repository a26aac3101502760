package rules

import "slices"

// numRange is the numbers from lo to hi, both included.
type numRange struct{ lo, hi number }

// numSet is a set of numbers: disjoint ranges in rising order that do not touch.
type numSet []numRange

// maxRanges bounds the ranges of a set that is only an over-estimate; beyond it the set is widened to its hull.
const maxRanges = 4096

// everyNumber is all numbers.
func everyNumber() numSet { return numSet{{minNumber, maxNumber}} }

// below gives the set 0..n-1.
func below(n uint64) numSet {
	if n == 0 {
		return nil
	}
	return numSet{{uintNumber(0), uintNumber(n - 1)}}
}

// normal sorts and joins ranges.
func (s numSet) normal() numSet {
	if len(s) < 2 {
		return s
	}
	slices.SortFunc(s, func(a, b numRange) int {
		switch {
		case a.lo.less(b.lo):
			return -1
		case b.lo.less(a.lo):
			return 1
		}
		return 0
	})
	out := s[:1]
	for _, r := range s[1:] {
		last := &out[len(out)-1]
		after, more := last.hi.next()
		if more && after.less(r.lo) {
			out = append(out, r)
			continue
		}
		if last.hi.less(r.hi) {
			last.hi = r.hi
		}
	}
	return out
}

// widened is normal, and the hull where there are too many ranges.
func (s numSet) widened() numSet {
	s = s.normal()
	if len(s) > maxRanges {
		return numSet{{s[0].lo, s[len(s)-1].hi}}
	}
	return s
}

// intersect gives the numbers of both.
func (s numSet) intersect(o numSet) numSet {
	var out numSet
	for i, j := 0, 0; i < len(s) && j < len(o); {
		lo, hi := s[i].lo, s[i].hi
		if lo.less(o[j].lo) {
			lo = o[j].lo
		}
		if o[j].hi.less(hi) {
			hi = o[j].hi
		}
		if !hi.less(lo) {
			out = append(out, numRange{lo, hi})
		}
		if s[i].hi.less(o[j].hi) {
			i++
		} else {
			j++
		}
	}
	return out
}

// complement gives all other numbers.
func (s numSet) complement() numSet {
	var out numSet
	from := minNumber
	for _, r := range s {
		if before, ok := r.lo.prev(); ok && !before.less(from) {
			out = append(out, numRange{from, before})
		}
		next, more := r.hi.next()
		if !more {
			return out
		}
		from = next
	}
	return append(out, numRange{from, maxNumber})
}

// has says whether n is in the set.
func (s numSet) has(n number) bool {
	i, found := slices.BinarySearchFunc(s, n, func(r numRange, n number) int {
		switch {
		case r.hi.less(n):
			return -1
		case n.less(r.lo):
			return 1
		}
		return 0
	})
	return found && i < len(s)
}

// size counts the numbers of the set, up to limit.
func (s numSet) size(limit uint64) uint64 {
	var n uint64
	for _, r := range s {
		d, ok := distance(r.lo, r.hi)
		if !ok || d >= limit || n+d+1 >= limit {
			return limit
		}
		n += d + 1
	}
	return n
}

// shift adds to every number; the caller knows that it fits.
func (s numSet) shift(by uint64) numSet {
	out := make(numSet, len(s))
	for i, r := range s {
		out[i] = numRange{uintNumber(r.lo.u + by), uintNumber(r.hi.u + by)}
	}
	return out
}
