package engine

import (
	"context"

	"ballast/sqlfront/wire"
)

// Distinct drops rows whose keys repeat. Over sorted input it compares with the row before; with Unsorted it holds the set of keys.
type Distinct struct {
	Input Node
	Keys  []Key
	// Unsorted says that equal rows need not follow each other.
	Unsorted bool
	// Budget bounds the bytes held when Unsorted; 0 means DefaultBudget.
	Budget int64
}

// Inputs is the input with repeated rows.
func (d *Distinct) Inputs() []Node { return []Node{d.Input} }

// Describe lists the keys.
func (d *Distinct) Describe() Desc {
	detail := describeKeys(d.Keys)
	if d.Unsorted {
		detail += " in memory"
	}
	return Desc{Name: "Distinct", Detail: detail}
}

// Run runs the input.
func (d *Distinct) Run(ctx context.Context, sh Shards, f wire.Format) (Rows, error) {
	in, err := d.Input.Run(ctx, sh, f)
	if err != nil {
		return nil, err
	}
	reader, err := newKeyReader(d.Keys, shape{columns: in.Columns(), format: f})
	if err != nil {
		return nil, closeWith(in, err)
	}
	r := &distinctRows{Rows: in, keys: reader}
	if d.Unsorted {
		held := newBudget(d.Budget)
		r.set = newValueSet(&held)
	}
	return r, nil
}

type distinctRows struct {
	Rows
	keys    *keyReader
	set     *valueSet // nil over sorted input
	last    []value
	kept    []byte
	current []value
	any     bool
}

func (r *distinctRows) Next() ([]byte, error) {
	for {
		row, err := r.Rows.Next()
		if err != nil {
			return nil, err
		}
		if r.current, err = r.keys.read(row, r.current[:0]); err != nil {
			return nil, err
		}
		if r.set != nil {
			added, err := r.set.add(r.current)
			if err != nil {
				return nil, err
			}
			if added {
				return row, nil
			}
			continue
		}
		if r.any && r.keys.equal(r.last, r.current) {
			continue
		}
		r.any = true
		r.last = append(r.last[:0], r.current...)
		r.kept = keepValues(r.kept, r.last)
		return row, nil
	}
}

// valueSet is a bounded set of tuples of values.
type valueSet struct {
	members map[string]struct{}
	held    *budget
	buf     []byte
}

func newValueSet(b *budget) *valueSet { return &valueSet{members: map[string]struct{}{}, held: b} }

// clear empties the set; its owner frees the budget.
func (s *valueSet) clear() { clear(s.members) }

// add reports whether the tuple was new.
func (s *valueSet) add(tuple []value) (bool, error) {
	s.buf = s.buf[:0]
	for _, v := range tuple {
		s.buf = identity(s.buf, v)
	}
	if _, ok := s.members[string(s.buf)]; ok {
		return false, nil
	}
	if err := s.held.take(len(s.buf) + rowOverhead); err != nil {
		return false, err
	}
	s.members[string(s.buf)] = struct{}{}
	return true, nil
}
