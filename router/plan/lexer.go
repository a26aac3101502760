package plan

import (
	"bytes"
	"hash/maphash"
)

// Digest names a normalized statement within one process (the hash is seeded at start-up, so nobody can prepare two statements that share one).
type Digest struct {
	Hi, Lo uint64
}

// LexOptions is what the meaning of a text depends on.
type LexOptions struct {
	Flags Flags
	// Server is the version of the nodes as one number (90704, 101106), and MariaDB their flavor: they decide which /*!NNNNN comments are code.
	Server  int
	MariaDB bool
	// verbatim keeps all literals in the text.
	verbatim bool
}

// Lexer takes one statement's text apart: the normalized text (literals as ?, comments gone, runs of spaces one space), its literals in
// order, and where the statement ends. A Lexer is reused; it allocates only to grow its buffers. Not safe for concurrent use.
//
// Rows of a VALUES list that look alike are folded into the first one, so that bulk INSERTs of any length share a digest: the literals of
// all rows are kept, Rows counts them, Stride is the number of literals per row and Row0 the index of the first.
type Lexer struct {
	src  []byte
	norm []byte
	lits []Literal
	opt  LexOptions

	pos     int
	end     int // offset in src after the statement's last byte, without ';'
	next    int // offset in src where the following statement starts
	verb    keyword
	slotted bool
	inExec  bool
	sawExec bool // an executable comment was met, executed or not
	markers int
	row0    int
	rows    int
	stride  int
	noFold  bool
	words   int // names, keywords and operators outside of rows
	deepest int // parentheses
}

// token classes that the next token's meaning may depend on.
type prevToken uint8

const (
	prevNone prevToken = iota
	prevWord
	prevBy
	prevComma
	prevOpen
	prevDot
	prevArrow
	prevEscape
	prevOther
)

// lexState is the context of one pass.
type lexState struct {
	prev     prevToken
	prevKey  keyword
	depth    int
	byDepth  int // depth of the innermost ORDER BY or GROUP BY list, -1 outside
	castWord bool
	typeOpen int // depth inside the parentheses of CAST's type, -1 outside
	space    bool

	rows      rowsState
	rowStart  int // offset of the row's "(" in norm
	rowLits   int
	first     int // offset of the first row in norm
	firstEnd  int
	rowFolded bool
}

type rowsState uint8

const (
	rowsNone rowsState = iota
	rowsWanted
	rowsInside
	rowsBetween
	rowsDone
)

// Reset makes the lexer forget the last statement but keep its buffers, unless they grew past a bound.
func (l *Lexer) Reset() {
	const keep = 1 << 20
	if cap(l.norm) > keep {
		l.norm = nil
	}
	if cap(l.lits) > keep/32 {
		l.lits = nil
	}
	l.norm, l.lits, l.src = l.norm[:0], l.lits[:0], nil
}

// Lex reads the statement that begins at sql[from]. It fails only on a string, a quoted name or a comment that never ends.
func (l *Lexer) Lex(sql []byte, from int, opt LexOptions) error {
	l.src, l.opt, l.noFold = sql, opt, false
	for {
		again, err := l.pass(from)
		if err != nil || !again {
			return err
		}
		l.noFold = true
	}
}

// Norm is the normalized text, valid until the next call of Lex.
func (l *Lexer) Norm() []byte { return l.norm }

// Text is the statement as written, without the ';' behind it.
func (l *Lexer) Text() []byte { return l.src[:l.end] }

// Next is the offset where the following statement begins: len(sql) if there is none.
func (l *Lexer) Next() int { return l.next }

// Markers counts the ? of a prepared statement among the literals.
func (l *Lexer) Markers() int { return l.markers }

// Empty says that the text holds no token.
func (l *Lexer) Empty() bool { return len(l.norm) == 0 }

// pass does the work; again means that rows which had been folded turned out to be unlike a later one, so a pass without folding is needed.
func (l *Lexer) pass(from int) (again bool, err error) {
	l.norm, l.lits = l.norm[:0], l.lits[:0]
	l.pos, l.verb, l.slotted, l.inExec, l.sawExec, l.markers = from, 0, false, false, false, 0
	l.row0, l.rows, l.stride, l.words, l.deepest = 0, 0, 0, 0, 0
	st := lexState{byDepth: -1, typeOpen: -1}
	src := l.src
	for l.pos < len(src) {
		if l.words > maxWords || l.deepest > maxDepth || len(l.lits) > maxLiterals && st.rows != rowsInside && st.rows != rowsBetween {
			return false, l.tooComplex()
		}
		c := src[l.pos]
		switch class[c] {
		case clSpace:
			l.pos++
			st.space = true
			continue
		case clWord:
			if err = l.word(&st); err != nil {
				return false, err
			}
			continue
		case clDigit:
			l.number(&st, l.pos)
			continue
		}
		switch c {
		case '\'', '"', '`':
			if err = l.quoted(&st, c, l.pos); err != nil {
				return false, err
			}
		case '-':
			if l.dashComment() {
				l.skipLine()
				st.space = true
			} else if st.rows == rowsInside && st.depth == 1 && (st.prev == prevOpen || st.prev == prevComma) && l.signedNumber(&st) {
				continue
			} else if l.pos+1 < len(src) && src[l.pos+1] == '>' {
				n := 2
				if l.pos+2 < len(src) && src[l.pos+2] == '>' {
					n = 3
				}
				l.operator(&st, n, prevArrow)
			} else {
				l.operator(&st, 1, prevOther)
			}
		case '#':
			l.skipLine()
			st.space = true
		case '/':
			if l.pos+1 < len(src) && src[l.pos+1] == '*' {
				if err = l.comment(&st); err != nil {
					return false, err
				}
			} else {
				l.operator(&st, 1, prevOther)
			}
		case '*':
			if l.inExec && l.pos+1 < len(src) && src[l.pos+1] == '/' {
				l.inExec = false
				l.pos += 2
				st.space = true
			} else {
				l.operator(&st, 1, prevOther)
			}
		case '?':
			l.emitSpace(&st)
			l.add(&st, Literal{Raw: src[l.pos : l.pos+1], Kind: LitMarker})
			l.markers++
			l.pos++
		case '@':
			if err = l.variable(&st); err != nil {
				return false, err
			}
		case '.':
			if l.pos+1 < len(src) && class[src[l.pos+1]] == clDigit && st.prev != prevWord {
				l.number(&st, l.pos)
			} else {
				l.operator(&st, 1, prevDot)
			}
		case '(':
			l.open(&st)
		case ')':
			if l.close(&st) {
				return true, nil
			}
		case ',':
			l.operator(&st, 1, prevComma)
		case ';':
			l.end = l.pos
			l.next = l.pos + 1
			return false, nil
		default:
			if st.rows == rowsBetween || st.rows == rowsWanted {
				st.rows = rowsDone
			}
			l.operator(&st, 1, prevOther)
		}
	}
	if l.inExec {
		return false, l.unterminated(len(src))
	}
	l.end, l.next = len(src), len(src)
	return false, nil
}

// emitSpace writes the one space that stands for whatever separated two tokens.
func (l *Lexer) emitSpace(st *lexState) {
	if st.space && len(l.norm) > 0 {
		l.norm = append(l.norm, ' ')
	}
	st.space = false
}

func (l *Lexer) operator(st *lexState, n int, as prevToken) {
	if as == prevOther && st.rows != rowsInside {
		l.words++
	}
	if st.rows == rowsBetween && as != prevComma {
		st.rows = rowsDone
	}
	l.emitSpace(st)
	l.norm = append(l.norm, l.src[l.pos:l.pos+n]...)
	l.pos += n
	st.prev, st.castWord = as, false
	if l.verb == 0 {
		l.verb = kwOther
	}
}

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

// add records a literal and writes its marker.
func (l *Lexer) add(st *lexState, lit Literal) {
	l.lits = append(l.lits, lit)
	l.norm = append(l.norm, '?')
	st.prev, st.castWord = prevOther, false
	if st.rows == rowsBetween || st.rows == rowsWanted {
		st.rows = rowsDone
	}
}

// literal decides whether a literal that ends at pos becomes a slot or stays in the text.
func (l *Lexer) literal(st *lexState, lit Literal, verbatim bool) {
	l.emitSpace(st)
	if l.slotted && !verbatim && !l.opt.verbatim {
		l.add(st, lit)
		return
	}
	l.norm = append(l.norm, lit.Raw...)
	st.prev, st.castWord = prevOther, false
}

func (l *Lexer) word(st *lexState) error {
	src, start := l.src, l.pos
	p := start + 1
	for p < len(src) && class[src[p]] <= clWord {
		p++
	}
	word := src[start:p]
	if p < len(src) && (src[p] == '\'' || src[p] == '"' && l.opt.Flags&ANSIQuotes == 0) && st.prev != prevDot {
		if ok, err := l.prefixed(st, word, p); ok || err != nil {
			return err
		}
	}
	if st.rows != rowsInside {
		l.words++
	}
	var key keyword
	if st.prev != prevDot {
		key = lookup(word)
	}
	if l.verb == 0 {
		l.verb = key
		if key == 0 {
			l.verb = kwOther
		}
		l.slotted = l.slotted || key.slotted()
	}
	if word[0] == '_' && introducer(word) {
		if q := l.skipSpaces(p); q < len(src) {
			if ok, err := l.introduced(st, start, q); ok || err != nil {
				return err
			}
		}
	}
	if key != 0 {
		if done, err := l.keyword(st, key, start, p); done || err != nil {
			return err
		}
	}
	l.emitSpace(st)
	l.norm = append(l.norm, word...)
	l.pos = p
	if st.rows == rowsBetween || st.rows == rowsWanted {
		st.rows = rowsDone
	}
	st.castWord = (key == kwType || key == kwTime) && st.prevKey == kwAs && st.prev == prevWord
	st.prevKey = key
	switch key {
	case kwBy:
		st.prev = prevBy
		st.byDepth = st.depth
	case kwEscape:
		st.prev = prevEscape
	case kwValues, kwValue:
		st.prev = prevWord
		if st.depth == 0 && st.rows == rowsNone && (l.verb == kwInsert || l.verb == kwReplace) {
			if q := l.skipSpaces(p); q < len(src) && src[q] == '(' {
				st.rows = rowsWanted
			}
		}
	case kwEndsBy:
		st.prev = prevWord
		if st.depth <= st.byDepth {
			st.byDepth = -1
		}
	default:
		st.prev = prevWord
	}
	return nil
}

// keyword handles the words that are, or begin, a literal.
func (l *Lexer) keyword(st *lexState, key keyword, start, end int) (done bool, err error) {
	switch key {
	case kwNull, kwTrue, kwFalse, kwDefault:
		if st.rows != rowsInside || st.depth != 1 || st.prev != prevOpen && st.prev != prevComma {
			return false, nil
		}
		if q := l.skipSpaces(end); q >= len(l.src) || l.src[q] != ',' && l.src[q] != ')' {
			return false, nil
		}
		l.literal(st, Literal{Raw: l.src[start:end], Kind: key.literal()}, false)
		l.pos = end
		return true, nil
	case kwDate, kwTime, kwTimestamp:
		q := l.skipSpaces(end)
		if q >= len(l.src) || l.src[q] != '\'' && (l.src[q] != '"' || l.opt.Flags&ANSIQuotes != 0) {
			return false, nil
		}
		stop, err := l.stringEnd(q)
		if err != nil {
			return false, err
		}
		l.literal(st, Literal{Raw: l.src[start:stop], Kind: key.literal(), body: uint32(q - start), noEscape: l.opt.Flags&NoBackslashEscapes != 0}, false)
		l.pos = stop
		return true, nil
	}
	return false, nil
}

// prefixed handles N'…', x'…', b'…' and _charset'…', whose prefix touches the quote.
func (l *Lexer) prefixed(st *lexState, word []byte, quote int) (bool, error) {
	start := quote - len(word)
	kind := LitString
	switch {
	case len(word) == 1 && (word[0]|0x20) == 'n':
	case len(word) == 1 && (word[0]|0x20) == 'x' && l.src[quote] == '\'':
		kind = LitHexString
	case len(word) == 1 && (word[0]|0x20) == 'b' && l.src[quote] == '\'':
		kind = LitBit
	default:
		return false, nil
	}
	stop, err := l.stringEnd(quote)
	if err != nil {
		return false, err
	}
	l.literal(st, Literal{Raw: l.src[start:stop], Kind: kind, body: uint32(len(word)), noEscape: l.opt.Flags&NoBackslashEscapes != 0}, false)
	l.pos = stop
	return true, nil
}

// introduced handles _charset followed by a literal at q.
func (l *Lexer) introduced(st *lexState, start, q int) (bool, error) {
	src := l.src
	kind, stop := LitString, 0
	var err error
	switch {
	case src[q] == '\'' || src[q] == '"' && l.opt.Flags&ANSIQuotes == 0:
		stop, err = l.stringEnd(q)
	case (src[q]|0x20) == 'x' && q+1 < len(src) && src[q+1] == '\'':
		kind = LitHexString
		stop, err = l.stringEnd(q + 1)
	case (src[q]|0x20) == 'b' && q+1 < len(src) && src[q+1] == '\'':
		kind = LitBit
		stop, err = l.stringEnd(q + 1)
	case src[q] == '0' && hexRun(src, q) > 0:
		kind, stop = LitHexNumber, hexRun(src, q)
	default:
		return false, nil
	}
	if err != nil {
		return false, err
	}
	l.literal(st, Literal{Raw: src[start:stop], Kind: kind, body: uint32(q - start), introduced: true, noEscape: l.opt.Flags&NoBackslashEscapes != 0}, false)
	l.pos = stop
	return true, nil
}

// quoted handles a plain string or a quoted name.
func (l *Lexer) quoted(st *lexState, q byte, start int) error {
	stop, err := l.stringEnd(start)
	if err != nil {
		return err
	}
	if q == '`' || q == '"' && l.opt.Flags&ANSIQuotes != 0 {
		l.emitSpace(st)
		l.norm = append(l.norm, l.src[start:stop]...)
		l.pos = stop
		st.prev, st.prevKey, st.castWord = prevWord, 0, false
		if st.rows == rowsBetween || st.rows == rowsWanted {
			st.rows = rowsDone
		}
		return nil
	}
	verbatim := st.prev == prevArrow || st.prev == prevEscape
	l.literal(st, Literal{Raw: l.src[start:stop], Kind: LitString, noEscape: l.opt.Flags&NoBackslashEscapes != 0}, verbatim)
	l.pos = stop
	return nil
}

// stringEnd finds the end of the quoted text that begins at start.
func (l *Lexer) stringEnd(start int) (int, error) {
	src, q := l.src, l.src[start]
	escapes := q != '`' && l.opt.Flags&NoBackslashEscapes == 0 && (q != '"' || l.opt.Flags&ANSIQuotes == 0)
	for p := start + 1; p < len(src); {
		switch {
		case src[p] == q:
			if p+1 < len(src) && src[p+1] == q {
				p += 2
				continue
			}
			return p + 1, nil
		case src[p] == '\\' && escapes:
			p += 2
		default:
			p++
		}
	}
	return 0, l.unterminated(start)
}

// variable copies @name, @`name`, @'name' and @@name.
func (l *Lexer) variable(st *lexState) error {
	src, start := l.src, l.pos
	p := start + 1
	if p < len(src) && src[p] == '@' {
		p++
	}
	if p < len(src) && (src[p] == '\'' || src[p] == '"' || src[p] == '`') {
		stop, err := l.stringEnd(p)
		if err != nil {
			return err
		}
		p = stop
	} else {
		for p < len(src) && (class[src[p]] <= clWord || src[p] == '.') {
			p++
		}
	}
	l.emitSpace(st)
	l.norm = append(l.norm, src[start:p]...)
	l.pos = p
	st.prev, st.prevKey, st.castWord = prevWord, 0, false
	return nil
}

var seedHi, seedLo = maphash.MakeSeed(), maphash.MakeSeed()

// Digest hashes the normalized text.
func (l *Lexer) Digest() Digest { return digestOf(l.norm) }

func digestOf(text []byte) Digest {
	return Digest{Hi: maphash.Bytes(seedHi, text), Lo: maphash.Bytes(seedLo, text)}
}
