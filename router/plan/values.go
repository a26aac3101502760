package plan

import "strconv"

// value gives the literal that stands in a hole.
func (bc *bindCtx) value(kind slotKind, index int) Literal {
	switch kind {
	case slotLiteral:
		return *bc.args.rowSlot(index, bc.row)
	case slotFunc:
		if bc.env.Funcs != nil {
			return bc.env.Funcs.SessionValue(SessionFunc(index))
		}
	case slotUserVar:
		if bc.env.Funcs != nil {
			return bc.env.Funcs.UserVar(bc.plan.UserVars[index])
		}
	case slotID:
		return intLiteral(bc.id)
	case slotClock:
		return bc.clockValue()
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
	case slotFunc:
		return bc.appendSessionValue(dst, SessionFunc(index))
	case slotID:
		return strconv.AppendUint(dst, bc.id, 10)
	case slotAuto:
		if bc.id != 0 {
			return strconv.AppendUint(dst, bc.id, 10)
		}
		return bc.args.rowSlot(index, bc.row).AppendSQL(dst, bc.env.Flags)
	}
	lit := bc.value(kind, index)
	return lit.AppendSQL(dst, bc.env.Flags)
}

// appendSessionValue writes a value of the session with the type that the function has: MariaDB types a number by its digits, so a bare 3
// would be an INT where FOUND_ROWS() is a BIGINT.
func (bc *bindCtx) appendSessionValue(dst []byte, f SessionFunc) []byte {
	lit := bc.value(slotFunc, int(f))
	if lit.Kind != LitInt {
		return lit.AppendSQL(dst, bc.env.Flags)
	}
	switch f {
	case FuncConnectionID:
		return append(lit.AppendSQL(append(dst, "CAST("...), bc.env.Flags), " AS UNSIGNED)"...)
	case FuncFoundRows, FuncRowCount:
		from := len(dst)
		dst = lit.AppendSQL(dst, bc.env.Flags)
		if from < len(dst) && dst[from] == '-' {
			from++
		}
		digits := string(dst[from:])
		dst = append(dst[:from], "00000000000000000000"[:max(0, 20-len(digits))]...)
		return append(dst, digits...)
	default:
		return append(lit.AppendSQL(append(dst, '('), bc.env.Flags), "|0)"...)
	}
}

// fixedValue computes a function once per row; all nodes get the same text.
func (bc *bindCtx) fixedValue(index int) Literal {
	for len(bc.fixed) < len(bc.plan.fixed) {
		bc.fixed = append(bc.fixed, Literal{})
	}
	if bc.fixed[index].Kind == 0 {
		bc.fixed[index] = bc.plan.fixed[index].evaluate()
	}
	return bc.fixed[index]
}

// atRow moves to a row; functions that give another value at each call give new ones.
func (bc *bindCtx) atRow(row int) {
	bc.row, bc.id = row, 0
	clear(bc.fixed)
}
