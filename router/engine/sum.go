package engine

// sumMerger is SUM and AVG: exact over decimals and integers, in float64 over floats as on the servers. NULL when nothing was added.
//
// For SUM the only argument is the partial sum, for AVG a partial sum and a count; with DISTINCT the one argument is the value itself.
type sumMerger struct {
	inputs
	average bool
	set     *valueSet // not nil for DISTINCT
	any     bool
	small   int64 // of integers, beside sum
	sum     decimal
	buf     cell
	fsum    float64
	count   int64
}

func (m *sumMerger) distinct(on bool, held *budget) {
	if on {
		m.set = newValueSet(held)
	}
}

func (m *sumMerger) reset() {
	m.any, m.small, m.sum, m.fsum, m.count = false, 0, decimal{}, 0, 0
	if m.set != nil {
		m.set.clear()
	}
}

func (m *sumMerger) merge(row []byte, fields []field) error {
	v, err := m.value(0, row, fields)
	if err != nil || v.kind == null {
		return err
	}
	n := int64(1)
	switch {
	case m.set != nil:
		added, err := m.set.add([]value{v})
		if err != nil || !added {
			return err
		}
	case m.average:
		c, err := m.value(1, row, fields)
		if err != nil {
			return err
		}
		n = c.i
		if c.kind == unsigned {
			n = int64(c.u)
		}
	}
	m.any = true
	m.count += n
	if m.floats() {
		m.fsum += v.float()
		return nil
	}
	if n, ok := v.smallInt(); ok {
		if sum := m.small + n; (sum > m.small) == (n > 0) { // no overflow
			m.small = sum
			return nil
		}
	}
	d, ok := v.number()
	if !ok {
		return errBadRow.New()
	}
	if m.sum.unscaled == nil {
		m.sum = decimalOf(0)
	}
	m.sum = m.sum.add(d)
	return nil
}

// smallInt gives a number without a fraction, if it is far from overflowing.
func (v *value) smallInt() (int64, bool) {
	switch v.kind {
	case integer:
		return v.i, true
	case exact:
		digits, neg := v.b, false
		if len(digits) > 0 && digits[0] == '-' {
			digits, neg = digits[1:], true
		}
		n, ok := smallNumber(digits)
		if neg {
			return -int64(n), ok
		}
		return int64(n), ok
	}
	return 0, false
}

// floats says whether the result is a float: then so is the arithmetic.
func (m *sumMerger) floats() bool {
	c := classOf(m.shape.columns[m.out])
	return c == classFloat || c == classDouble
}

func (m *sumMerger) result() (cell, error) {
	if !m.any || m.average && m.count == 0 {
		return nil, nil
	}
	if m.floats() {
		f := m.fsum
		if m.average {
			f /= float64(m.count)
		}
		return m.shape.floatCell(m.out, f), nil
	}
	if m.sum.unscaled == nil && !m.average && m.shape.columns[m.out].Decimals == 0 {
		m.buf = m.shape.intCellIn(m.buf, m.out, m.small)
		return m.buf, nil
	}
	d := decimalOf(m.small)
	if m.sum.unscaled != nil {
		d = m.sum.add(d)
	}
	if m.average {
		d = d.quo(decimalOf(m.count))
	}
	return m.shape.decimalCell(m.out, d), nil
}
