package plan

import (
	"errors"
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
	// fault is why scan gave up: the statement is too complex, or what begins at broken never ends.
	fault  lexFault
	broken int
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
	if l.scan(sql, from, opt) {
		return nil
	}
	if l.fault == faultComplex {
		return l.tooComplex()
	}
	return syntaxNear(errSyntax, l.src, l.broken)
}

// scan is Lex without an error; ok is false if there would be one.
func (l *Lexer) scan(sql []byte, from int, opt LexOptions) (ok bool) {
	l.src, l.opt, l.noFold = sql, opt, false
	for {
		again, err := l.pass(from)
		if err != nil || !again {
			return err == nil
		}
		l.noFold = true
	}
}

// lexFault is a fault of a text that is given its words later.
type lexFault uint8

const (
	faultOpen lexFault = iota + 1
	faultComplex
)

// errFault says that the fault is in the lexer.
var errFault = errors.New("the text is faulty")

// unterminated notes that a quote or comment begins at start and never ends.
func (l *Lexer) unterminated(start int) error {
	l.fault, l.broken = faultOpen, start
	return errFault
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
			l.fault = faultComplex
			return false, errFault
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

var seedHi, seedLo = maphash.MakeSeed(), maphash.MakeSeed()

// Digest hashes the normalized text.
func (l *Lexer) Digest() Digest { return digestOf(l.norm) }

func digestOf(text []byte) Digest {
	return Digest{Hi: maphash.Bytes(seedHi, text), Lo: maphash.Bytes(seedLo, text)}
}
