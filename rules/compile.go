package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ballast/rules/collate"
)

// NodeRef is a node as rules see it. Its place in the list given to Compile is its index in all answers.
type NodeRef struct {
	Name string
	// Weight is the node's share of a ring, relative to 100; 0 counts as 100.
	Weight int
	// Removed marks a node whose place is kept but that may hold no rows.
	Removed bool
}

// NoPlace is the node index that stands for "no node".
const NoPlace = -1

// Placement is a compiled strategy. It is immutable and safe for use by several goroutines.
type Placement struct {
	strategy Strategy
	fields   []field
	nodes    []NodeRef
	on       []int // node index by final number
	chain    *chain
	spread   uint64 // when not 0, final numbers below spread share the nodes in equal runs
	except   *exceptions
	noPlace  error
	// reading and order are what Nodes and Ordered answer, computed when first asked for.
	reading func() []int
	order   func() ([]int, bool)
}

// The limits of a strategy.
const (
	maxDepth    = 16
	maxSteps    = 64
	maxBranches = 1 << 20 // outcomes of a step that branches, and of one that is checked for gaps
	maxOutcomes = 1 << 62
	hashCount   = 1 << 32
)

// compiler collects the faults of a strategy while it compiles.
type compiler struct {
	fields []field
	nodes  []NodeRef
	on     []int
	read   []bool
	faults []error
}

func (c *compiler) fault(err error) { c.faults = append(c.faults, err) }

// Compile checks a strategy against the types of its fields and the nodes, and makes it executable. All faults are reported at once,
// joined; each is a *failure.Error.
func Compile(s Strategy, fields []FieldType, nodes []NodeRef) (*Placement, error) {
	c := &compiler{nodes: nodes, read: make([]bool, len(fields))}
	c.takeFields(s.By, fields)
	c.takeNodes(s.On)
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	p := &Placement{strategy: s.clone(), fields: c.fields, nodes: slices.Clone(nodes), on: c.on}
	p.noPlace = errNoPlace.New(strings.Join(s.By, ", "))
	if len(s.Steps) == 0 {
		c.fault(errNoSteps.New())
	} else {
		p.chain = c.chain(s.Steps, 0, 0, true)
		c.checkRead()
	}
	if len(c.faults) == 0 {
		p.spread = c.checkOutcomes(p.chain)
	}
	p.except = c.exceptions(s.Except)
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	p.reading = sync.OnceValue(func() []int { return slices.Clip(p.Prune(nil, nil)) })
	p.order = sync.OnceValues(p.ordered)
	return p, nil
}

func (c *compiler) takeFields(by []string, types []FieldType) {
	if len(by) == 0 {
		c.fault(errNoFields.New())
		return
	}
	if len(by) != len(types) {
		c.fault(errFieldCount.New(len(by), len(types)))
		return
	}
	c.fields = make([]field, len(by))
	for i, name := range by {
		f := &c.fields[i]
		f.name, f.typ = name, types[i]
		if slices.ContainsFunc(by[:i], func(o string) bool { return strings.EqualFold(o, name) }) {
			c.fault(errFieldTwice.New(name))
		}
		switch f.typ.Kind {
		case FieldNone:
			c.fault(errFieldKind.New(name))
		case FieldString:
			coll, ok := collate.Lookup(f.typ.Collation)
			if !ok || coll == collate.Binary {
				c.fault(errCollation.New(f.typ.Collation, name))
			}
			f.coll = coll
		default:
		}
	}
}

func (c *compiler) takeNodes(on []string) {
	byName := make(map[string]int, len(c.nodes))
	for i, n := range c.nodes {
		if !n.Removed {
			byName[n.Name] = i
			if len(on) == 0 {
				c.on = append(c.on, i)
			}
			continue
		}
		if _, live := byName[n.Name]; !live {
			byName[n.Name] = -1
		}
	}
	seen := make(map[string]bool, len(on))
	for _, name := range on {
		i, known := byName[name]
		switch {
		case !known:
			c.fault(errNodeUnknown.New(name))
		case i < 0:
			c.fault(errNodeRemoved.New(name))
		case seen[name]:
			c.fault(errNodeTwice.New(name))
		default:
			c.on = append(c.on, i)
		}
		seen[name] = true
	}
	if len(c.on) == 0 && len(c.faults) == 0 {
		c.fault(errNoNodes.New())
	}
}

func (c *compiler) checkRead() {
	if len(c.faults) > 0 {
		return
	}
	for i, read := range c.read {
		if !read {
			c.fault(errFieldUnread.New(c.fields[i].name))
		}
	}
}

// checkOutcomes holds the final numbers against the nodes and says whether they are spread.
func (c *compiler) checkOutcomes(ch *chain) (spread uint64) {
	nodes := uint64(len(c.on))
	last := &ch.steps[len(ch.steps)-1]
	switch {
	case ch.count == 0 || last.kind == StepRing:
	case ch.count > nodes && last.kind == StepMod:
		return ch.count
	case ch.count > nodes:
		c.fault(errNodesTooFew.New(fmt.Sprint(ch.count), nodes))
	}
	return 0
}

func stepName(s *Step) string { return strings.ToUpper(s.String()) }

func sortedKeys(m map[int][]Step) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
