package plan

import (
	"bytes"
)

func (l *Lexer) open(st *lexState) {
	l.emitSpace(st)
	if l.verb == 0 {
		l.slotted = true // a parenthesised SELECT
	}
	if st.rows == rowsWanted || st.rows == rowsBetween && st.prev == prevComma {
		if st.depth == 0 {
			st.rows = rowsInside
			st.rowStart, st.rowLits = len(l.norm), len(l.lits)
			if l.rows == 0 {
				l.row0 = len(l.lits)
			}
		}
	}
	if st.castWord && st.typeOpen < 0 {
		st.typeOpen = st.depth + 1
	}
	st.castWord = false
	st.depth++
	l.deepest = max(l.deepest, st.depth)
	l.norm = append(l.norm, '(')
	l.pos++
	st.prev = prevOpen
}

func (l *Lexer) close(st *lexState) (again bool) {
	l.emitSpace(st)
	l.norm = append(l.norm, ')')
	l.pos++
	st.prev = prevOther
	if st.typeOpen == st.depth {
		st.typeOpen = -1
	}
	if st.depth > 0 {
		st.depth--
	}
	if st.depth < st.byDepth {
		st.byDepth = -1
	}
	if st.rows != rowsInside || st.depth != 0 {
		return false
	}
	st.rows = rowsBetween
	switch {
	case l.rows == 0:
		st.first, st.firstEnd = st.rowStart, len(l.norm)
		l.rows, l.stride = 1, len(l.lits)-st.rowLits
	case l.noFold:
	case len(l.lits)-st.rowLits == l.stride && bytes.Equal(l.norm[st.rowStart:], l.norm[st.first:st.firstEnd]):
		l.norm = l.norm[:st.firstEnd]
		l.rows++
		st.rowFolded = true
	case st.rowFolded:
		return true
	default:
		l.noFold = true // the second row is unlike the first: nothing was folded yet
	}
	return false
}
