package plan

import "hash/maphash"

// The normalized text is mostly the client's own. So what belongs to it is copied in long pieces, not token by token: src[from:told] is what
// was taken over since the last copy, and it grows as long as tokens follow each other directly or with one space between.

// begin starts a token at p. Whatever separated it from the token before becomes one space.
func (l *Lexer) begin(p int) {
	if p != l.told && (p != l.told+1 || l.src[l.told] != ' ' || l.told == l.from && len(l.norm) == 0) {
		l.gap(p)
	}
}

// gap is begin for tokens that something else than a space stands between.
func (l *Lexer) gap(p int) {
	l.norm = append(l.norm, l.src[l.from:l.told]...)
	if len(l.norm) > 0 {
		l.norm = append(l.norm, ' ')
	}
	l.from, l.told = p, p
}

// take ends a token that the normalized text takes over as it is, before p. The space that nearly always follows is passed, too.
func (l *Lexer) take(p int) {
	l.pos, l.told = p, p
	if p < len(l.src) && l.src[p] == ' ' {
		l.pos++
	}
}

// flush copies everything before p, where a token begins or has just ended, and gives the length of the normalized text.
func (l *Lexer) flush(p int) int {
	l.norm = append(l.norm, l.src[l.from:p]...)
	l.from, l.told = p, p
	return len(l.norm)
}

// add records the literal src[start:stop] and puts a marker in its place.
func (l *Lexer) add(st *lexState, kind LitKind, start, stop int) *Literal {
	n := len(l.lits)
	if n == cap(l.lits) {
		l.lits = append(l.lits, Literal{})
	}
	l.lits = l.lits[:n+1]
	lit := &l.lits[n]
	*lit = Literal{Raw: l.src[start:stop], Kind: kind}
	l.norm = append(append(l.norm, l.src[l.from:start]...), '?')
	l.from, l.told, l.pos = stop, stop, stop
	st.prev, st.castWord = prevOther, false
	if st.rows != rowsInside {
		l.outside(st)
	}
	return lit
}

// outside is what a literal outside of rows means: rows end before it, and there may be only so many.
func (l *Lexer) outside(st *lexState) {
	if len(l.lits) > maxLiterals {
		l.fault = faultComplex
	}
	if st.rows == rowsBetween || st.rows == rowsWanted {
		st.rows = rowsDone
	}
}

// literal decides whether the literal src[start:stop] becomes a slot or stays in the text; it gives the slot, or nil.
func (l *Lexer) literal(st *lexState, kind LitKind, start, stop int, verbatim bool) *Literal {
	l.begin(start)
	if l.slotted && !verbatim && !l.opt.verbatim {
		return l.add(st, kind, start, stop)
	}
	l.take(stop)
	st.prev, st.castWord = prevOther, false
	return nil
}

// operator takes over n bytes.
func (l *Lexer) operator(st *lexState, n int, as prevToken) {
	if as == prevOther && st.rows != rowsInside {
		l.count()
	}
	if st.rows == rowsBetween && as != prevComma {
		st.rows = rowsDone
	}
	l.begin(l.pos)
	l.take(l.pos + n)
	st.prev, st.castWord = as, false
	if l.verb == 0 {
		l.verb = kwOther
	}
}

// count counts a name, keyword or operator.
func (l *Lexer) count() {
	if l.words++; l.words > maxWords {
		l.fault = faultComplex
	}
}

// finish ends the statement.
func (l *Lexer) finish(end, next int) {
	l.norm = append(l.norm, l.src[l.from:l.told]...)
	l.end, l.next = end, next
}

// Digest names a normalized statement within one process (the hash is seeded at start-up, so nobody can prepare two statements that share one).
type Digest struct {
	Hi, Lo uint64
}

var seedHi, seedLo = maphash.MakeSeed(), maphash.MakeSeed()

// Digest hashes the normalized text.
func (l *Lexer) Digest() Digest { return digestOf(l.norm) }

func digestOf(text []byte) Digest {
	return Digest{Hi: maphash.Bytes(seedHi, text), Lo: maphash.Bytes(seedLo, text)}
}
