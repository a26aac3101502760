package engine

// String gives the function as SQL writes it.
func (f AggFunc) String() string {
	switch f {
	case First:
		return "FIRST"
	case Count:
		return "COUNT"
	case Sum:
		return "SUM"
	case Min:
		return "MIN"
	case Max:
		return "MAX"
	case Avg:
		return "AVG"
	case CountDistinct:
		return "COUNT DISTINCT"
	case SumDistinct:
		return "SUM DISTINCT"
	case AvgDistinct:
		return "AVG DISTINCT"
	case BitAnd:
		return "BIT_AND"
	case BitOr:
		return "BIT_OR"
	case BitXor:
		return "BIT_XOR"
	}
	return "?"
}

// merger merges one aggregate over the rows of a group.
type merger interface {
	reset()
	merge(row []byte, fields []field) error
	result() (cell, error)
	// target is the column that the result replaces; needed is how many columns merge must see.
	target() int
	needed() int
}

// newMerger chooses how to merge by function and by the types of the partial values.
func newMerger(a Agg, s shape, held *budget) (merger, error) {
	in, err := bindInputs(a, s)
	if err != nil {
		return nil, err
	}
	switch a.Func {
	case Count:
		return &countMerger{inputs: in}, numeric(a, s, in.keys[:1])
	case Min, Max:
		return &extremeMerger{inputs: in, smallest: a.Func == Min}, nil
	case Sum, SumDistinct:
		m := &sumMerger{inputs: in}
		m.distinct(a.Func == SumDistinct, held)
		return m, numeric(a, s, in.keys[:1])
	case Avg, AvgDistinct:
		m := &sumMerger{inputs: in, average: true}
		m.distinct(a.Func == AvgDistinct, held)
		return m, numeric(a, s, in.keys)
	case BitAnd, BitOr, BitXor:
		if classOf(s.columns[a.Out]) != classUint {
			break // over binary strings
		}
		return &bitMerger{inputs: in, op: a.Func}, nil
	case CountDistinct:
		return &countDistinctMerger{inputs: in, set: newValueSet(held)}, nil
	}
	return nil, errAggregate.New(a.Func.String(), typeName(s.columns[a.Out]))
}

// numeric refuses partial values that are no numbers (the arguments of DISTINCT aggregates can be anything), and results of a type that no server
// gives: counts are integers, sums are not.
func numeric(a Agg, s shape, keys []boundKey) error {
	for _, k := range keys {
		if !k.class.numeric() {
			return errAggregate.New(a.Func.String(), typeName(s.columns[k.Column]))
		}
	}
	counts := a.Func == Count || a.Func == CountDistinct
	if out := classOf(s.columns[a.Out]); !out.numeric() || counts != (out == classInt || out == classUint) {
		return errAggregate.New(a.Func.String(), typeName(s.columns[a.Out]))
	}
	return nil
}

// inputs reads the partial values of one aggregate.
type inputs struct {
	shape shape
	out   int
	keys  []boundKey
	width int
}

func bindInputs(a Agg, s shape) (inputs, error) {
	in := inputs{shape: s, out: a.Out, width: a.Out + 1}
	if a.Out >= len(s.columns) || len(a.Arg) == 0 {
		return in, errBadRow.New()
	}
	for i, c := range a.Arg {
		k := Key{Column: c, Weight: -1}
		if i < len(a.ArgWeight) {
			k.Weight = a.ArgWeight[i]
		}
		if i < len(a.ArgPad) {
			k.Pad = a.ArgPad[i]
		}
		b, err := bindPartial(k, s, a.Func)
		if err != nil {
			return in, err
		}
		in.keys = append(in.keys, b)
		in.width = max(in.width, b.Column+1, b.Weight+1, b.Pad+1)
	}
	return in, nil
}

// bindPartial is bindKey, but lets FLOAT pass in text rows where only the printed value matters: MIN and MAX print what they compare.
func bindPartial(k Key, s shape, f AggFunc) (boundKey, error) {
	if k.Column < len(s.columns) && classOf(s.columns[k.Column]) == classFloat && (f == Min || f == Max) {
		return boundKey{Key: Key{Column: k.Column, Weight: -1}, class: classFloat}, nil
	}
	return bindKey(k, s)
}

func (in *inputs) target() int { return in.out }
func (in *inputs) needed() int { return in.width }

func (in *inputs) value(i int, row []byte, fields []field) (value, error) {
	return readKey(&in.shape, row, fields, &in.keys[i])
}

// raw is the output column itself, where value may give a weight or another column that orders it.
func (in *inputs) raw(row []byte, fields []field) cell { return cellOf(row, fields[in.out]) }

// countMerger adds counts up.
type countMerger struct {
	inputs
	total int64
	buf   cell
}

func (m *countMerger) reset() { m.total = 0 }

func (m *countMerger) merge(row []byte, fields []field) error {
	v, err := m.value(0, row, fields)
	if err != nil {
		return err
	}
	switch v.kind {
	case integer:
		m.total += v.i
	case unsigned:
		m.total += int64(v.u)
	}
	return nil
}

func (m *countMerger) result() (cell, error) {
	m.buf = m.shape.intCellIn(m.buf, m.out, m.total)
	return m.buf, nil
}

// extremeMerger is MIN and MAX: it keeps the bytes of the best value.
type extremeMerger struct {
	inputs
	smallest bool
	best     value
	one      [1]value
	kept     []byte
	cell     cell
	buf      []byte
}

func (m *extremeMerger) reset() {
	m.best = value{}
	m.cell = nil
}

func (m *extremeMerger) merge(row []byte, fields []field) error {
	v, err := m.value(0, row, fields)
	if err != nil || v.kind == null {
		return err
	}
	if m.cell != nil {
		c := compare(&v, &m.best)
		if c == 0 || c < 0 != m.smallest {
			return nil
		}
	}
	m.one[0] = v
	m.kept = keepValues(m.kept, m.one[:])
	m.best = m.one[0]
	m.buf = append(m.buf[:0], m.raw(row, fields)...)
	m.cell = m.buf
	return nil
}

func (m *extremeMerger) result() (cell, error) { return m.cell, nil }

// countDistinctMerger counts different tuples without NULLs.
type countDistinctMerger struct {
	inputs
	set   *valueSet
	tuple []value
}

func (m *countDistinctMerger) reset() { m.set.clear() }

func (m *countDistinctMerger) merge(row []byte, fields []field) error {
	m.tuple = m.tuple[:0]
	for i := range m.keys {
		v, err := m.value(i, row, fields)
		if err != nil || v.kind == null {
			return err
		}
		m.tuple = append(m.tuple, v)
	}
	_, err := m.set.add(m.tuple)
	return err
}

func (m *countDistinctMerger) result() (cell, error) {
	return m.shape.intCell(m.out, int64(len(m.set.members))), nil
}
