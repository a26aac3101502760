package plan

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
	norm []byte // what lexer_norm.go has written so far
	lits []Literal
	opt  LexOptions

	pos     int
	from    int // src[from:told] belongs to the normalized text, too, but is not copied yet
	told    int // offset in src after the last token
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
	// fault is why the text can't be read: the statement is too complex, or what begins at broken never ends.
	fault  lexFault
	broken int
}

// lexFault is a fault of a text, without its words.
type lexFault uint8

const (
	faultOpen lexFault = iota + 1
	faultComplex
)

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

	rows      rowsState
	rowStart  int // offset of the row's "(" in norm
	rowLits   int
	first     int // offset of the first row in norm
	firstEnd  int
	rowFolded bool
	again     bool // rows that had been folded turned out to be unlike a later one
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

// Lex reads the statement that begins at sql[from]. It fails only on a string, a quoted name or a comment that never ends, and on statements
// that are too complex.
func (l *Lexer) Lex(sql []byte, from int, opt LexOptions) error {
	switch {
	case l.scan(sql, from, opt):
		return nil
	case l.fault == faultComplex:
		return l.tooComplex()
	}
	return syntaxNear(errSyntax, l.src, l.broken)
}

// scan is Lex without an error; ok is false if there would be one.
func (l *Lexer) scan(sql []byte, from int, opt LexOptions) (ok bool) {
	l.src, l.opt, l.noFold = sql, opt, false
	for l.pass(from) {
		l.noFold = true
	}
	return l.fault == 0
}

// unterminated notes that a quote or comment begins at start and never ends.
func (l *Lexer) unterminated(start int) {
	l.fault, l.broken = faultOpen, start
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

// pass does the work; again means that a pass without folding is needed.
func (l *Lexer) pass(from int) (again bool) {
	l.norm, l.lits = l.norm[:0], l.lits[:0]
	l.pos, l.from, l.told, l.verb, l.slotted, l.inExec, l.sawExec, l.markers, l.fault = from, from, from, 0, false, false, false, 0, 0
	l.row0, l.rows, l.stride, l.words, l.deepest = 0, 0, 0, 0, 0
	st := lexState{byDepth: -1, typeOpen: -1}
	src := l.src
	for l.pos < len(src) && l.fault == 0 {
		switch class[src[l.pos]] {
		case clSpace:
			l.pos++
		case clWord:
			l.word(&st)
		case clDigit:
			l.number(&st, l.pos)
		case clQuote:
			l.quoted(&st)
		case clComma:
			l.operator(&st, 1, prevComma)
		case clOpen:
			l.open(&st)
		case clClose:
			if l.close(&st); st.again {
				return true
			}
		case clDash:
			l.dash(&st)
		case clHash:
			l.skipLine()
		case clSlash:
			if l.follows('*') {
				l.comment(&st)
			} else {
				l.operator(&st, 1, prevOther)
			}
		case clStar:
			if l.inExec && l.follows('/') {
				l.inExec = false
				l.pos += 2
			} else {
				l.operator(&st, 1, prevOther)
			}
		case clMark:
			l.begin(l.pos)
			l.add(&st, LitMarker, l.pos, l.pos+1)
			l.markers++
		case clAt:
			l.variable(&st)
		case clDot:
			if l.pos+1 < len(src) && class[src[l.pos+1]] == clDigit && st.prev != prevWord {
				l.number(&st, l.pos)
			} else {
				l.operator(&st, 1, prevDot)
			}
		case clSemicolon:
			l.finish(l.pos, l.pos+1)
			return false
		default:
			if st.rows == rowsBetween || st.rows == rowsWanted {
				st.rows = rowsDone
			}
			l.operator(&st, 1, prevOther)
		}
	}
	if l.inExec && l.fault == 0 {
		l.unterminated(len(src))
	}
	l.finish(len(src), len(src))
	return false
}

// follows says whether c is the byte behind the one at pos.
func (l *Lexer) follows(c byte) bool { return l.pos+1 < len(l.src) && l.src[l.pos+1] == c }

// dash handles what begins with a minus sign: a comment, a signed number in a row, an arrow, or an operator.
func (l *Lexer) dash(st *lexState) {
	switch {
	case l.dashComment():
		l.skipLine()
	case st.rows == rowsInside && st.depth == 1 && (st.prev == prevOpen || st.prev == prevComma) && l.signedNumber(st):
	case l.follows('>'):
		n := 2
		if l.pos+2 < len(l.src) && l.src[l.pos+2] == '>' {
			n = 3
		}
		l.operator(st, n, prevArrow)
	default:
		l.operator(st, 1, prevOther)
	}
}
