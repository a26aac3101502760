package plan

import (
	"encoding/binary"
	"math/bits"
)

// quoted handles a plain string or a quoted name.
func (l *Lexer) quoted(st *lexState) {
	start, q := l.pos, l.src[l.pos]
	if q != '`' && (q != '"' || l.opt.Flags&ANSIQuotes == 0) {
		l.stringLiteral(st, LitString, start, start, st.prev == prevArrow || st.prev == prevEscape)
		return
	}
	stop := l.stringEnd(start)
	if stop < 0 {
		return
	}
	l.begin(start)
	l.take(stop)
	st.prev, st.prevKey, st.castWord = prevWord, 0, false
	if st.rows == rowsBetween || st.rows == rowsWanted {
		st.rows = rowsDone
	}
}

// stringLiteral handles the literal that begins at start and whose quote is at quote.
func (l *Lexer) stringLiteral(st *lexState, kind LitKind, start, quote int, verbatim bool) {
	stop := l.stringEnd(quote)
	if stop < 0 {
		return
	}
	if lit := l.literal(st, kind, start, stop, verbatim); lit != nil {
		lit.body, lit.noEscape = uint32(quote-start), l.opt.Flags&NoBackslashEscapes != 0
	}
}

// prefixed handles N'…', x'…' and b'…', whose prefix touches the quote; false says that the word is no prefix.
func (l *Lexer) prefixed(st *lexState, word []byte, quote int) bool {
	q := l.src[quote]
	if len(word) != 1 || q == '`' || q == '"' && l.opt.Flags&ANSIQuotes != 0 {
		return false
	}
	kind := LitString
	switch c := word[0] | 0x20; {
	case c == 'n':
	case c == 'x' && q == '\'':
		kind = LitHexString
	case c == 'b' && q == '\'':
		kind = LitBit
	default:
		return false
	}
	l.stringLiteral(st, kind, quote-1, quote, false)
	return true
}

// introduced handles _charset at start followed by a literal at q; false says that there is none.
func (l *Lexer) introduced(st *lexState, start, q int) bool {
	src := l.src
	if q >= len(src) {
		return false
	}
	kind, stop := LitString, 0
	switch c := src[q] | 0x20; {
	case src[q] == '\'' || src[q] == '"' && l.opt.Flags&ANSIQuotes == 0:
		stop = l.stringEnd(q)
	case c == 'x' && q+1 < len(src) && src[q+1] == '\'':
		kind, stop = LitHexString, l.stringEnd(q+1)
	case c == 'b' && q+1 < len(src) && src[q+1] == '\'':
		kind, stop = LitBit, l.stringEnd(q+1)
	case src[q] == '0' && hexRun(src, q) > 0:
		kind, stop = LitHexNumber, hexRun(src, q)
	default:
		return false
	}
	if stop < 0 {
		return true
	}
	if lit := l.literal(st, kind, start, stop, false); lit != nil {
		lit.body, lit.introduced, lit.noEscape = uint32(q-start), true, l.opt.Flags&NoBackslashEscapes != 0
	}
	return true
}

// stringEnd finds the end of the quoted text that begins at start; -1, and a fault, if there is none.
func (l *Lexer) stringEnd(start int) int {
	src, q := l.src, l.src[start]
	escape := q
	if q != '`' && l.opt.Flags&NoBackslashEscapes == 0 && (q != '"' || l.opt.Flags&ANSIQuotes == 0) {
		escape = '\\'
	}
	for p := start + 1; p < len(src); p++ {
		p = skipPlain(src, p, q, escape)
		switch {
		case p == len(src):
		case src[p] != q: // an escape
			p++
		case p+1 < len(src) && src[p+1] == q: // a doubled quote
			p++
		default:
			return p + 1
		}
	}
	l.unterminated(start)
	return -1
}

// skipPlain gives the offset of the first a or b in src from p on, or len(src).
func skipPlain(src []byte, p int, a, b byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; p+8 <= len(src); p += 8 {
		w := binary.LittleEndian.Uint64(src[p:])
		x, y := w^ones*uint64(a), w^ones*uint64(b)
		// The lowest high bit that is set marks the first byte that became zero.
		if found := ((x-ones)&^x | (y-ones)&^y) & highs; found != 0 {
			return p + bits.TrailingZeros64(found)/8
		}
	}
	for p < len(src) && src[p] != a && src[p] != b {
		p++
	}
	return p
}
