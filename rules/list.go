package rules

// list is a compiled list step: from value to group.
type list struct {
	// ords holds 64-bit integers, keys everything else: plain decimals, keys of strings.
	ords map[uint64]uint32
	keys map[string]uint32
	// null and other are the groups of NULL and of values not listed, -1 for none.
	null, other int
	// groups are the values by group, for SQL and sentences.
	groups [][]Value
	signed bool
}

func (c *compiler) listStep(st *step, s *Step, in uint64) {
	l := &list{null: -1, other: -1, ords: map[uint64]uint32{}, keys: map[string]uint32{}, signed: st.signed}
	before := len(c.faults)
	count := len(s.Lists)
	if s.Default >= 0 {
		if s.Default > len(s.Lists) {
			c.fault(errListDefault.New(s.Default, len(s.Lists)))
			return
		}
		l.other = s.Default
		count = max(count, s.Default+1)
	}
	if count == 0 {
		c.fault(errListEmpty.New())
		return
	}
	for g, values := range s.Lists {
		if len(values) == 0 && g != s.Default {
			c.fault(errGroupEmpty.New(g))
		}
		l.groups = append(l.groups, nil)
		for i, lit := range values {
			c.listValue(l, st, g, i, lit)
		}
	}
	if l.null < 0 {
		l.null = l.other
	}
	st.list, st.own = l, uint64(count)
	if in > 0 && l.other < 0 && len(c.faults) == before {
		c.coverList(l, in)
	}
}

func (c *compiler) listValue(l *list, st *step, group, at int, lit Literal) {
	var v Value
	ok := !lit.Null
	if st.field >= 0 {
		v, ok = c.fields[st.field].value(lit)
	} else if ok {
		var n number
		n, ok = parseNumber(lit.Text)
		ok = ok && !lit.Quoted && (!n.neg || st.signed) && (n.neg || !st.signed || n.u < 1<<63)
		v = numberValue(n)
	}
	if !ok {
		c.fault(errLiteralType.New("value number "+itoa(at+1)+" of group "+itoa(group), c.inputName(st)))
		return
	}
	if !l.add(st, c.fields, v, uint32(group)) {
		c.fault(errListTwice.New(at+1, group))
	}
	l.groups[group] = append(l.groups[group], v)
}

// add enters a value; false if it is there already.
func (l *list) add(st *step, fields []field, v Value, group uint32) bool {
	if v.Kind == Null {
		twice := l.null >= 0
		l.null = int(group)
		return !twice
	}
	if st.field >= 0 {
		f := &fields[st.field]
		switch f.typ.order() {
		case orderDecimal:
			return enter(l.keys, plainDecimal(v.S), group)
		case orderKey:
			key, err := f.appendKey(nil, &v)
			return err == nil && enter(l.keys, string(key), group)
		default:
		}
	}
	return enter(l.ords, ordinal(whole(&v), l.signed), group)
}

func enter[K comparable](m map[K]uint32, k K, group uint32) bool {
	if _, twice := m[k]; twice {
		return false
	}
	m[k] = group
	return true
}

// coverList checks that the outcomes 0..in-1 of the step before are all listed.
func (c *compiler) coverList(l *list, in uint64) {
	if in > maxBranches {
		c.fault(errGap.New(utoa(in-1), "the list behind it"))
		return
	}
	for n := uint64(0); n < in; n++ {
		if _, ok := l.ofNumber(uintNumber(n)); !ok {
			c.fault(errGap.New(utoa(n), "the list behind it"))
			return
		}
	}
}

func (l *list) otherwise() (uint64, bool) { return uint64(max(l.other, 0)), l.other >= 0 }

// ofNumber gives the group of a number of the step before.
func (l *list) ofNumber(n number) (uint64, bool) {
	if g, ok := l.ords[ordinal(n, l.signed)]; ok {
		return uint64(g), true
	}
	return l.otherwise()
}

// ofValue gives the group of a value of field f; false if it has none.
func (l *list) ofValue(f *field, v *Value) (uint64, bool, error) {
	if v.Kind == Null {
		return uint64(max(l.null, 0)), l.null >= 0, nil
	}
	var g uint32
	var ok bool
	switch f.typ.order() {
	case orderDecimal:
		g, ok = l.keys[plainDecimal(v.S)]
	case orderKey:
		var buf [keyBuffer]byte
		key, err := f.appendKey(buf[:0], v)
		if err != nil {
			return 0, false, err
		}
		g, ok = l.keys[string(key)]
	default:
		g, ok = l.ords[ordinal(whole(v), l.signed)]
	}
	if ok {
		return uint64(g), true, nil
	}
	n, ok := l.otherwise()
	return n, ok, nil
}
