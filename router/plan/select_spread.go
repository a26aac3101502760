package plan

import (
	"slices"

	"ballast/rules/catalog"
)

// spread says where the rows are that a statement reads: sets of references that meet, and single tables.
type spread struct {
	sets    []*nodeSet
	singles []int // indexes of single tables in bindCtx.tables
	// anchor is the set that the rows of the outermost block come from; nil if there is none, or more than one.
	anchor *nodeSet
	// apart are sets whose rows may be on other nodes than the anchor's.
	apart []*nodeSet
}

// nodeSet is one set of references of one block that meet.
type nodeSet struct {
	group *located
	block *block
	refs  []*placedRef
	// filters are those whose rows every row of the block needs: a node must pass all of them. Where there are none (the set stands on the
	// inner side of outer joins only), the nodes of all others may be needed.
	filters, others []*pruner
	// guest says that the set's rows are found where those of another set are, which then decides.
	guest bool
}

// spreadOf sorts the references of a statement, or of one side of a UNION, into sets. The first block is the outermost.
func (pc *planCtx) spreadOf(blocks []*block) *spread {
	locate(blocks)
	s := &spread{}
	for _, b := range blocks {
		for _, r := range b.refs {
			r.finds = pc.finder(b, r)
			set := s.set(r)
			if r.optional {
				set.others = append(set.others, r.finds)
			} else {
				set.filters = append(set.filters, r.finds)
			}
		}
		for _, ref := range b.scope {
			if ref.table != nil && ref.table.Kind == catalog.Single && !slices.Contains(s.singles, ref.index) {
				s.singles = append(s.singles, ref.index)
			}
		}
	}
	s.findAnchor(blocks[0])
	return s
}

// byKey says whether some table is read by an equality on all its balancing fields: then one node is all that most executions need.
func (s *spread) byKey() bool {
	return slices.ContainsFunc(s.sets, func(set *nodeSet) bool {
		return slices.ContainsFunc(set.filters, func(p *pruner) bool { return p.keys != nil })
	})
}

func (s *spread) set(r *placedRef) *nodeSet {
	g := r.group.find()
	for _, set := range s.sets {
		if set.group == g {
			set.refs = append(set.refs, r)
			return set
		}
	}
	set := &nodeSet{group: g, block: r.block, refs: []*placedRef{r}}
	s.sets = append(s.sets, set)
	return set
}

func (s *spread) findAnchor(outermost *block) {
	for _, set := range s.sets {
		set.guest = slices.ContainsFunc(s.sets, func(host *nodeSet) bool {
			return host != set && len(host.group.hosts) == 0 && set.group.guestOf(host.group)
		})
		if set.block != outermost || len(set.filters) == 0 {
			continue
		}
		if s.anchor != nil {
			s.apart = append(s.apart, set)
			continue
		}
		s.anchor = set
	}
	if s.anchor == nil {
		return
	}
	for _, set := range s.sets {
		if set != s.anchor && !slices.Contains(s.apart, set) && !set.group.guestOf(s.anchor.group) {
			s.apart = append(s.apart, set)
		}
	}
}

// nodes gives all nodes whose rows the statement may need, ascending.
func (s *spread) nodes(bc *bindCtx, dst []int) []int {
	for _, set := range s.sets {
		if !set.guest {
			dst = set.nodes(bc, dst)
		}
	}
	for _, i := range s.singles {
		dst = append(dst, bc.tables[i].SingleNode)
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}

// nodes appends the nodes of one set.
func (s *nodeSet) nodes(bc *bindCtx, dst []int) []int {
	if len(s.filters) == 0 {
		for _, f := range s.others {
			dst = f.nodes(bc, dst)
		}
		return dst
	}
	start := len(dst)
	dst = s.filters[0].nodes(bc, dst)
	for _, f := range s.filters[1:] {
		var room [16]int
		also := f.nodes(bc, room[:0])
		kept := slices.DeleteFunc(dst[start:], func(n int) bool { return !slices.Contains(also, n) })
		dst = dst[:start+len(kept)]
	}
	return dst
}
