package rules

import "ballast/rules/failure"

// Node gives the node of a key: one value per field, each of the field's type. The answer is an index into the nodes given to Compile.
// A key that the rule gives no place is an error of kind BL1001; a value of the wrong kind BL1002, a text that is none of its character
// set BL1003. Numeric keys allocate nothing.
func (p *Placement) Node(key []Value) (int, error) {
	if len(key) != len(p.fields) {
		return NoPlace, errKeyType.New(p.fields[0].name, "a key has "+itoa(len(p.fields))+" values")
	}
	for i := range key {
		if key[i].Kind != Null && !p.fields[i].fits(&key[i]) {
			return NoPlace, errKeyType.New(p.fields[i].name, "a value of another kind")
		}
	}
	if p.except != nil && key[0].Kind != Null {
		node, ok, err := p.except.node(&p.fields[0], &key[0])
		if ok || err != nil {
			return node, err
		}
	}
	n, err := p.walk(p.chain, key)
	if err != nil {
		return NoPlace, err
	}
	place, ok := p.place(n)
	if !ok {
		return NoPlace, p.noPlace
	}
	return p.on[place], nil
}

// NoPlaceError says whether err is what Node answers for a key that the rule gives no node.
func NoPlaceError(err error) bool {
	e, ok := err.(*failure.Error) //nolint:errorlint // Node returns it bare
	return ok && e.Kind == errNoPlace
}

// place turns a final number into a place in the node list.
func (p *Placement) place(n number) (int, bool) {
	if p.spread == 0 {
		return n.index(len(p.on))
	}
	return spreadIndex(n.u, uint64(len(p.on)), p.spread), true
}

// walk takes a checked key through a chain.
func (p *Placement) walk(c *chain, key []Value) (number, error) {
	var n number
	for i := range c.steps {
		st := &c.steps[i]
		own, err := p.take(st, n, key)
		if err != nil {
			return n, err
		}
		if st.branches != nil {
			sub := st.branches[own.u]
			own.u = st.offsets[own.u]
			if sub != nil {
				m, err := p.walk(sub, key)
				if err != nil {
					return n, err
				}
				own.u += m.u
			}
		}
		if st.refine > 0 {
			own.u += n.u * st.refine
		}
		n = own
	}
	return n, nil
}

// take gives the outcome of one step, before branches and refinement.
func (p *Placement) take(st *step, n number, key []Value) (number, error) {
	if st.field >= 0 {
		return p.takeField(st, key)
	}
	switch st.kind {
	case StepRange:
		if st.width > 0 {
			return n.floorDiv(st.width), nil
		}
		if out, ok := st.bounds.outcome(st.bounds.below(ordinal(n, st.bounds.order == orderSigned))); ok {
			return uintNumber(out), nil
		}
		return n, p.noPlace
	case StepMod:
		return uintNumber(n.floorMod(st.mod)), nil
	case StepList:
		if out, ok := st.list.ofNumber(n); ok {
			return uintNumber(out), nil
		}
		return n, p.noPlace
	case StepRing:
		return uintNumber(st.ring.owner(hashNumber(n))), nil
	default:
		return uintNumber(uint64(hashNumber(n))), nil
	}
}

func (p *Placement) takeField(st *step, key []Value) (number, error) {
	f, v := &p.fields[st.field], &key[st.field]
	switch st.kind {
	case StepHash, StepRing:
		h, err := p.hashKey(key, st.field, st.end)
		if err != nil || st.kind == StepHash {
			return uintNumber(uint64(h)), err
		}
		return uintNumber(st.ring.owner(h)), nil
	case StepList:
		out, ok, err := st.list.ofValue(f, v)
		if err == nil && !ok {
			err = p.noPlace
		}
		return uintNumber(out), err
	default:
	}
	if v.Kind == Null {
		return number{}, p.noPlace
	}
	switch {
	case st.kind == StepMod:
		return uintNumber(f.number(v).floorMod(st.mod)), nil
	case st.width > 0:
		return f.number(v).floorDiv(st.width), nil
	}
	below, err := st.bounds.belowValue(f, v)
	if err != nil {
		return number{}, err
	}
	out, ok := st.bounds.outcome(below)
	if !ok {
		return number{}, p.noPlace
	}
	return uintNumber(out), nil
}
