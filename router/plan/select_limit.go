package plan

import (
	"math"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"ballast/router/engine"
)

// limitPlan is LIMIT with the slots of its numbers; nil is no LIMIT.
type limitPlan struct {
	offset, count limitValue
}

// limitValue is a number, or the slot that holds it.
type limitValue struct {
	fixed uint64
	slot  *slotExpr
}

func (pc *planCtx) readLimit(l *ast.Limit) (*limitPlan, error) {
	if l == nil {
		return nil, nil
	}
	count, err := readLimitValue(l.Count)
	if err != nil {
		return nil, err
	}
	offset, err := readLimitValue(l.Offset)
	return &limitPlan{offset: offset, count: count}, err
}

func readLimitValue(e ast.ExprNode) (limitValue, error) {
	switch e := e.(type) {
	case nil:
		return limitValue{}, nil
	case *slotExpr:
		return limitValue{slot: e}, nil
	case *test_driver.ValueExpr:
		switch n := e.GetValue().(type) {
		case uint64:
			return limitValue{fixed: n}, nil
		case int64:
			if n >= 0 {
				return limitValue{fixed: uint64(n)}, nil
			}
		}
	}
	return limitValue{}, errLimitValue.New()
}

func (v limitValue) value(bc *bindCtx) (uint64, error) {
	if v.slot == nil {
		return v.fixed, nil
	}
	lit := bc.value(v.slot.kind, v.slot.index)
	if lit.Kind != LitInt {
		return 0, errLimitValue.New()
	}
	var buf [24]byte
	num, _ := lit.numberOf(buf[:0], false)
	n, ok := num.magnitude()
	if !ok || num.neg && n != 0 || !num.isInt() {
		return 0, errLimitValue.New()
	}
	return n, nil
}

// window is a LIMIT with its numbers.
type window struct {
	set           bool
	offset, count uint64
}

func (l *limitPlan) window(bc *bindCtx) (window, error) {
	if l == nil {
		return window{}, nil
	}
	count, err := l.count.value(bc)
	if err != nil {
		return window{}, err
	}
	offset, err := l.offset.value(bc)
	return window{set: true, offset: offset, count: count}, err
}

// reach is how many rows from the start are needed, at most the largest number there is.
func (w window) reach() uint64 {
	if w.offset > math.MaxUint64-w.count {
		return math.MaxUint64
	}
	return w.offset + w.count
}

// limit puts the LIMIT on top of a tree.
func (w window) limit(in engine.Node) engine.Node {
	if !w.set {
		return in
	}
	return &engine.Limit{Input: in, Offset: w.offset, Count: w.count}
}

// rows is reach for engine.Sort: -1 where there is no bound.
func (w window) rows() int64 {
	if n := w.reach(); w.set && n <= math.MaxInt64 {
		return int64(n)
	}
	return -1
}
