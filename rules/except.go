package rules

import (
	"slices"
	"sort"
)

// exceptions are the compiled EXCEPT intervals: disjoint pieces of the first field in rising order, the first that was written winning.
type exceptions struct {
	// cuts are the ends of the pieces; piece i reaches from cut i-1 to cut i, the first and the last piece are open. nodes has one entry more than
	// cuts: a node index or NoPlace for "not excepted".
	cuts  *bounds
	nodes []int
}

func (e *exceptions) node(f *field, v *Value) (node int, ok bool, err error) {
	below, err := e.cuts.belowValue(f, v)
	if err != nil {
		return NoPlace, false, err
	}
	node = e.nodes[below]
	return node, node != NoPlace, nil
}

// span is one interval of cuts: the pieces from lo to hi-1.
type span struct{ lo, hi int }

func (c *compiler) exceptions(list []Exception) *exceptions {
	if len(list) == 0 || len(c.fields) == 0 {
		return nil
	}
	f := &c.fields[0]
	ends := make([]Value, 0, 2*len(list))
	type placed struct {
		from, to *Value
		node     int
	}
	var all []placed
	for i, x := range list {
		node := slices.IndexFunc(c.nodes, func(n NodeRef) bool { return n.Name == x.On && !n.Removed })
		if node < 0 {
			c.fault(errNodeUnknown.New(x.On))
		}
		from, okFrom := c.exceptEnd(f, x.From)
		to, okTo := c.exceptEnd(f, x.To)
		if !okFrom || !okTo {
			c.fault(errLiteralType.New("an end of EXCEPT number "+itoa(i+1), f.name))
			continue
		}
		if from != nil && to != nil {
			if r, err := f.compare(from, to); err != nil || r >= 0 {
				c.fault(errExceptOrder.New(i + 1))
				continue
			}
		}
		for _, end := range []*Value{from, to} {
			if end != nil {
				ends = append(ends, *end)
			}
		}
		all = append(all, placed{from, to, node})
	}
	if len(c.faults) > 0 {
		return nil
	}
	cuts := &bounds{order: f.typ.order(), f: f, minOpen: true, maxOpen: true}
	sort.SliceStable(ends, func(i, j int) bool {
		r, err := f.compare(&ends[i], &ends[j])
		return err == nil && r < 0
	})
	for i := range ends {
		if i > 0 {
			if r, err := f.compare(&ends[i-1], &ends[i]); err == nil && r == 0 {
				continue
			}
		}
		cuts.add(ends[i])
	}
	out := &exceptions{cuts: cuts, nodes: make([]int, cuts.len()+1)}
	for i := range out.nodes {
		out.nodes[i] = NoPlace
	}
	free := make([]int, len(out.nodes)+1) // free[i]: the first piece at or behind i that is not taken yet, found by jumping
	for i := range free {
		free[i] = i
	}
	for _, x := range all {
		at := span{0, len(out.nodes)}
		if x.from != nil {
			at.lo = cuts.mustBelow(f, x.from)
		}
		if x.to != nil {
			at.hi = cuts.mustBelow(f, x.to)
		}
		for i := jump(free, at.lo); i < at.hi; i = jump(free, i) {
			out.nodes[i] = x.node
			free[i] = i + 1
		}
	}
	return out
}

// jump finds the next free piece, shortening the way for later jumps.
func jump(free []int, i int) int {
	for free[i] != i {
		free[i] = free[free[i]]
		i = free[i]
	}
	return i
}

// mustBelow counts the cuts at or below a value that is itself a cut, so its key is known to be good.
func (b *bounds) mustBelow(f *field, v *Value) int {
	n, err := b.belowValue(f, v)
	if err != nil {
		return 0
	}
	return n
}

func (c *compiler) exceptEnd(f *field, l *Literal) (*Value, bool) {
	if l == nil {
		return nil, true
	}
	v, ok := f.bound(*l)
	return &v, ok
}
