package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

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
}

// chain is a compiled list of steps.
type chain struct {
	steps []step
	// count is the number of outcomes, 0 when unbounded.
	count uint64
}

// step is a compiled step. Exactly one of the parts that its kind needs is set.
type step struct {
	kind StepKind
	// field is the field that the step reads, -1 for the number of the step before; a hash reads up to end.
	field, end int
	// refine, when not 0, is the number of outcomes: the step's number is previous × refine + own.
	refine uint64
	// signed says whether the input number may be negative.
	signed bool
	width  uint64
	mod    uint64
	bounds *bounds
	list   *list
	ring   *ring
	// in is the number of outcomes of the step before, 0 when unbounded or when the step reads a field.
	in uint64
	// own is the number of outcomes before branches are numbered through, 0 when unbounded.
	own uint64
	// branches and offsets, when set, have an entry per outcome.
	branches []*chain
	offsets  []uint64
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

// chain compiles steps that begin with a field. Top is set for the steps of the strategy itself.
func (c *compiler) chain(steps []Step, start, depth int, top bool) *chain {
	out := &chain{steps: make([]step, 0, len(steps))}
	if depth > maxDepth || len(steps) > maxSteps || len(steps) == 0 {
		c.fault(errStepsDeep.New())
		return out
	}
	count, signed := uint64(0), false // of the number so far
	reached := start                  // the last field read
	for i := range steps {
		s := &steps[i]
		st := step{kind: s.Kind, field: -1, signed: signed}
		in := count
		if i == 0 || s.Field > 0 {
			st.field = start
			if s.Field > 0 {
				st.field = s.Field
			}
			if st.field < 0 || st.field >= len(c.fields) {
				c.fault(errFieldIndex.New(st.field, len(c.fields)))
				return out
			}
			in, st.signed = 0, c.fields[st.field].typ.order() != orderUnsigned
			reached = st.field
			c.read[st.field] = true
		}
		st.in = in
		if st.field < 0 && in > maxBranches && (s.Kind == StepMod || s.Kind == StepHash || s.Kind == StepRing) && !out.plain(i-1) {
			c.fault(errUnbounded.New("the step before " + stepName(s)))
			return out
		}
		if !c.step(&st, s, in) {
			return out
		}
		if st.kind == StepHash || st.kind == StepRing {
			c.hashFields(&st, steps[i+1:])
		}
		if st.kind == StepRing && (!top || i != len(steps)-1 || i > 0 && s.Field > 0) {
			c.fault(errRingLast.New())
		}
		own := st.own
		if len(s.Branches) > 0 {
			own = c.branches(&st, s, min(reached+1, len(c.fields)-1), depth)
		}
		if i > 0 && s.Field > 0 {
			if own == 0 || count == 0 || count > maxOutcomes/own {
				c.fault(errUnbounded.New(stepName(s)))
				return out
			}
			st.refine = own
			own *= count
		}
		signed = st.kind == StepRange && st.width > 0 && st.refine == 0 && st.signed
		count = own
		out.steps = append(out.steps, st)
	}
	out.count = count
	return out
}

// step compiles what a step does to its input, which takes the values 0..in-1, or any value when in is 0.
func (c *compiler) step(st *step, s *Step, in uint64) bool {
	before := len(c.faults)
	switch s.Kind {
	case StepRange:
		c.rangeStep(st, s, in)
	case StepMod:
		if s.Mod == 0 {
			c.fault(errModZero.New())
			break
		}
		c.needNumber(st, "MOD")
		st.mod, st.own = s.Mod, s.Mod
		if in > 0 {
			st.own = min(in, s.Mod)
		}
	case StepList:
		c.listStep(st, s, in)
	case StepHash:
		st.own = hashCount
	case StepRing:
		st.ring = c.ring(s)
		st.own = uint64(len(c.on))
	default:
		c.fault(errStepKind.New())
	}
	return len(c.faults) == before
}

func (c *compiler) rangeStep(st *step, s *Step, in uint64) {
	hasBounds := len(s.Bounds) > 0 || s.MinOpen || s.MaxOpen
	switch {
	case hasBounds == (s.Width > 0):
		c.fault(errRangeWidth.New())
	case hasBounds:
		c.boundsStep(st, s, in)
	default:
		c.needNumber(st, "RANGE "+fmt.Sprint(s.Width))
		st.width = s.Width
		if in > 0 {
			st.own = (in-1)/s.Width + 1
		}
	}
}

// needNumber checks that the field that a step reads counts as a number.
func (c *compiler) needNumber(st *step, what string) {
	if st.field < 0 {
		return
	}
	f := &c.fields[st.field]
	if !f.typ.numeric() {
		c.fault(errNotNumber.New(what, f.name))
	}
	if f.typ.Kind == FieldDecimal && f.typ.Length-f.typ.Scale > maxNumberDigits {
		c.fault(errDecimalWide.New(f.name, what))
	}
}

// hashFields makes a hash or ring that reads a field take the fields behind it as well, up to the next that another step reads.
func (c *compiler) hashFields(st *step, rest []Step) {
	st.end = st.field + 1
	if st.field < 0 {
		return
	}
	for st.end < len(c.fields) && !readsField(rest, st.end) {
		c.read[st.end] = true
		st.end++
	}
}

func readsField(steps []Step, field int) bool {
	for i := range steps {
		if steps[i].Field == field || len(steps[i].Branches) > 0 {
			return true
		}
	}
	return false
}

// branches compiles the sub-strategies of a step and numbers the outcomes through. It gives their count.
func (c *compiler) branches(st *step, s *Step, next, depth int) uint64 {
	if st.own == 0 || st.own > maxBranches {
		c.fault(errBranchStep.New(stepName(s)))
		return 0
	}
	st.branches = make([]*chain, st.own)
	st.offsets = make([]uint64, st.own)
	for _, i := range sortedKeys(s.Branches) {
		if i < 0 || uint64(i) >= st.own {
			c.fault(errBranchIndex.New(i, st.own))
			continue
		}
		sub := c.chain(s.Branches[i], next, depth+1, false)
		if sub.count == 0 && len(c.faults) == 0 {
			c.fault(errUnbounded.New("the sub-strategy of outcome " + fmt.Sprint(i)))
		}
		st.branches[i] = sub
	}
	var total uint64
	for i, sub := range st.branches {
		st.offsets[i] = total
		n := uint64(1)
		if sub != nil {
			n = sub.count
		}
		if n > maxOutcomes-total {
			c.fault(errIndexTooLarge.New(uint64(maxOutcomes)))
			return 0
		}
		total += n
	}
	return total
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
