package engine

import "math"

// bitMerger is BIT_AND, BIT_OR and BIT_XOR over integers. They are never NULL: over no rows the nodes give the neutral value.
type bitMerger struct {
	inputs
	op   AggFunc
	bits uint64
}

func (m *bitMerger) reset() {
	m.bits = 0
	if m.op == BitAnd {
		m.bits = math.MaxUint64
	}
}

func (m *bitMerger) merge(row []byte, fields []field) error {
	v, err := m.value(0, row, fields)
	if err != nil || v.kind != unsigned {
		return err
	}
	switch m.op {
	case BitAnd:
		m.bits &= v.u
	case BitOr:
		m.bits |= v.u
	default:
		m.bits ^= v.u
	}
	return nil
}

func (m *bitMerger) result() (cell, error) { return m.shape.uintCell(m.out, m.bits), nil }
