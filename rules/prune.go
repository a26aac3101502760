package rules

import "slices"

// The limits up to which pruning looks at single keys instead of ranges.
const (
	maxKeys     = 4096 // keys that are evaluated one by one
	maxUnrolled = 256  // values of an integer interval that are listed
)

// Nodes gives the nodes that can ever hold rows, ascending. The slice is shared: don't change it.
func (p *Placement) Nodes() []int { return p.reading() }

// Prune appends to dst the nodes that may hold rows with the given constraints, one per field (missing ones know nothing), ascending.
// It never leaves out a node that holds a matching row; it may name one that holds none. An empty answer means that no row can match.
func (p *Placement) Prune(c []Constraint, dst []int) []int {
	if node, ok := p.single(c); ok {
		return append(dst, node)
	}
	full := make([]Constraint, len(p.fields))
	copy(full, c)
	for i := range full {
		full[i] = p.fields[i].unroll(full[i])
		if full[i].Known && len(full[i].Points) == 0 && len(full[i].Intervals) == 0 {
			return dst
		}
	}
	start := len(dst)
	dst, exact := p.prunePoints(full, dst)
	if !exact {
		dst = p.pruneRanges(full, dst[:start])
	}
	tail := dst[start:]
	slices.Sort(tail)
	return dst[:start+len(slices.Compact(tail))]
}

// single answers the common case, one value for every field, without allocating.
func (p *Placement) single(c []Constraint) (int, bool) {
	var room [4]Value
	if len(c) != len(p.fields) || len(c) > len(room) {
		return NoPlace, false
	}
	for i := range c {
		if len(c[i].Points) != 1 || len(c[i].Intervals) > 0 {
			return NoPlace, false
		}
		room[i] = c[i].Points[0]
	}
	node, err := p.Node(room[:len(c)])
	return node, err == nil
}

// unroll turns short intervals of integers into points.
func (f *field) unroll(c Constraint) Constraint {
	if len(c.Intervals) == 0 || f.typ.order() > orderUnsigned || f.typ.timeUnit() != 0 {
		return c
	}
	points := slices.Clone(c.Points)
	for _, iv := range c.Intervals {
		r, ok := f.wholeRange(iv)
		if !ok {
			continue // empty
		}
		d, fits := distance(r.lo, r.hi)
		if !fits || d >= maxUnrolled || len(points) >= maxUnrolled {
			return c
		}
		n := r.lo
		for range d + 1 {
			points = append(points, numberValue(n))
			n, _ = n.next() // stays at or below hi
		}
	}
	return Constraint{Known: true, Points: points}
}

// wholeRange gives the integers of an interval of a field that orders as an integer; false when there are none.
func (f *field) wholeRange(iv Interval) (numRange, bool) {
	r := numRange{minNumber, maxNumber}
	ok := true
	if iv.Lo != nil {
		r.lo = whole(iv.Lo)
		if iv.LoOpen {
			r.lo, ok = r.lo.next()
		}
	}
	if iv.Hi != nil && ok {
		r.hi = whole(iv.Hi)
		if iv.HiOpen {
			r.hi, ok = r.hi.prev()
		}
	}
	lo, hi := f.typ.order().span()
	set := numSet{r}.intersect(numSet{{lo, hi}})
	if !ok || r.hi.less(r.lo) || len(set) == 0 {
		return r, false
	}
	return set[0], true
}

func (o order) span() (lo, hi number) {
	if o == orderUnsigned {
		return uintNumber(0), maxNumber
	}
	return minNumber, uintNumber(1<<63 - 1)
}

// prunePoints evaluates every key where all fields are known by points. It gives false when it can't.
func (p *Placement) prunePoints(c []Constraint, dst []int) ([]int, bool) {
	total := 1
	for i := range c {
		if !c[i].Known || len(c[i].Intervals) > 0 || len(c[i].Points) > maxKeys/total {
			return dst, false
		}
		total *= len(c[i].Points)
	}
	key := make([]Value, len(c))
	at := make([]int, len(c))
	for {
		for i := range key {
			key[i] = c[i].Points[at[i]]
		}
		node, err := p.Node(key)
		switch {
		case err == nil:
			if n := len(dst); n == 0 || dst[n-1] != node {
				dst = append(dst, node)
			}
		case !NoPlaceError(err):
			return dst, false // a value that is none of the column's may still compare equal to one on the server
		}
		i := 0
		for ; i < len(at); i++ {
			if at[i]++; at[i] < len(c[i].Points) {
				break
			}
			at[i] = 0
		}
		if i == len(at) {
			return dst, true
		}
	}
}

// pruneRanges follows what may come out of every step.
func (p *Placement) pruneRanges(c []Constraint, dst []int) []int {
	for _, r := range p.reach(p.chain, c) {
		lo, hi := 0, len(p.on)-1
		if p.spread > 0 {
			lo, hi = spreadIndex(r.lo.u, uint64(len(p.on)), p.spread), spreadIndex(r.hi.u, uint64(len(p.on)), p.spread)
		} else {
			if !r.lo.neg {
				lo = int(min(r.lo.u, uint64(len(p.on))))
			}
			if r.hi.neg {
				continue
			}
			hi = int(min(r.hi.u, uint64(hi)))
		}
		for i := lo; i <= hi; i++ {
			dst = append(dst, p.on[i])
		}
	}
	if p.except != nil {
		dst = p.except.prune(&p.fields[0], c[0], dst)
	}
	return dst
}

// prune appends the nodes of the pieces that the constraint meets.
func (e *exceptions) prune(f *field, c Constraint, dst []int) []int {
	if !c.Known {
		c = Constraint{Intervals: []Interval{{}}}
	}
	for _, r := range f.pieces(e.cuts, c) {
		for i := r.lo; i <= r.hi; i++ {
			if e.nodes[i] != NoPlace && !slices.Contains(dst, e.nodes[i]) {
				dst = append(dst, e.nodes[i])
			}
		}
	}
	return dst
}

// pieces gives, for points and intervals of a field, the least and the greatest count of bounds at or below a value of them.
func (f *field) pieces(b *bounds, c Constraint) []span {
	var out []span
	for i := range c.Points {
		v := &c.Points[i]
		if v.Kind == Null {
			continue
		}
		n, err := f.checkedBelow(b, v)
		if err != nil {
			return []span{{0, b.len()}}
		}
		out = append(out, span{n, n})
	}
	for _, iv := range c.Intervals {
		s := span{0, b.len()}
		var err error
		if iv.Lo != nil {
			s.lo, err = f.checkedBelow(b, iv.Lo)
		}
		if iv.Hi != nil && err == nil {
			s.hi, err = f.checkedBelow(b, iv.Hi)
			if err == nil && iv.HiOpen && s.hi > 0 {
				if r, bad := f.compare(&b.values[s.hi-1], iv.Hi); bad == nil && r == 0 {
					s.hi-- // values below the bound only
				}
			}
		}
		if err != nil {
			return []span{{0, b.len()}}
		}
		if s.lo <= s.hi {
			out = append(out, s)
		}
	}
	return out
}

func (f *field) checkedBelow(b *bounds, v *Value) (int, error) {
	if !f.fits(v) {
		return 0, errKeyType.New(f.name, "a value of another kind")
	}
	return b.belowValue(f, v)
}
