package plan

import (
	"bytes"
)

// open handles an opening parenthesis, which may begin a row.
func (l *Lexer) open(st *lexState) {
	p := l.pos
	l.begin(p)
	l.take(p + 1)
	if l.verb == 0 {
		l.slotted = true // a parenthesised SELECT
	}
	if st.rows == rowsWanted || st.rows == rowsBetween && st.prev == prevComma {
		if st.depth == 0 {
			st.rows = rowsInside
			st.rowStart, st.rowLits = l.flush(p), len(l.lits)
			l.told = p + 1
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
	if l.deepest = max(l.deepest, st.depth); l.deepest > maxDepth {
		l.fault = faultComplex
	}
	st.prev = prevOpen
}

// close handles a closing parenthesis, which may end a row: one like the first leaves no trace in the normalized text.
func (l *Lexer) close(st *lexState) {
	l.begin(l.pos)
	l.take(l.pos + 1)
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
		return
	}
	st.rows = rowsBetween
	l.flush(l.told)
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
		st.again = true
	default:
		l.noFold = true // the second row is unlike the first: nothing was folded yet
	}
}
