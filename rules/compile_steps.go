package rules

import "fmt"

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
