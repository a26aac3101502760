package plan

import (
	"strconv"
	"time"
)

// fixedFunc is a function whose value is computed once per statement, so that all nodes store the same.
type fixedFunc struct {
	name   string
	digits int
}

// value gives the literal that stands in a hole.
func (bc *bindCtx) value(kind slotKind, index int) Literal {
	switch kind {
	case slotLiteral:
		return *bc.args.rowSlot(index, bc.row)
	case slotFunc:
		if bc.env.Funcs == nil {
			return Literal{Kind: LitNull, Bare: true}
		}
		return bc.env.Funcs.SessionValue(SessionFunc(index))
	case slotUserVar:
		if bc.env.Funcs == nil {
			return Literal{Kind: LitNull, Bare: true}
		}
		return bc.env.Funcs.UserVar(bc.plan.UserVars[index])
	case slotID:
		return intLiteral(bc.id)
	case slotFixed:
		return bc.fixedValue(index)
	}
	return Literal{Kind: LitNull, Bare: true}
}

// appendValue writes what stands in a hole that is not a literal of the text.
func (bc *bindCtx) appendValue(dst []byte, kind slotKind, index int) []byte {
	switch kind {
	case slotName:
		lit := bc.args.rowSlot(index, bc.row)
		text := lit.Raw
		if lit.Bare {
			text = []byte{'?'}
		} else if lit.Kind == LitString {
			text = lit.Bytes(nil)
		}
		for _, c := range text {
			if c == '`' {
				dst = append(dst, c)
			}
			dst = append(dst, c)
		}
		return dst
	case slotID:
		return strconv.AppendUint(dst, bc.id, 10)
	}
	lit := bc.value(kind, index)
	return lit.AppendSQL(dst, bc.env.Flags)
}

// fixedValue computes a function once per statement.
func (bc *bindCtx) fixedValue(index int) Literal {
	if bc.fixed == nil {
		bc.fixed = make([]Literal, len(bc.plan.fixed))
	}
	if bc.fixed[index].Kind == 0 {
		bc.fixed[index] = bc.plan.fixed[index].evaluate(bc, time.Now())
	}
	return bc.fixed[index]
}
