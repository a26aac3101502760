package plan

import (
	"ballast/sqlfront/wire"
)

// Args is one statement on its way: its text, taken apart, and the values of its slots. A session keeps one and reuses it; the zero Args
// is ready. What it holds is valid until the next statement is put into it.
type Args struct {
	lex Lexer
	// Text is the statement as the client wrote it, without the ';' behind it.
	Text []byte
	// Next is the offset of the following statement in the text given to Plan; it is the text's length if this was the last.
	Next int

	lits               []Literal
	row0, rows, stride int
	arena              []byte
	// params are those of one execution of a prepared statement. They become literals only where somebody asks for a slot: what goes to the
	// node in the client's own form must not be read here.
	params []wire.Param
	// bound says that parameters stand in place of the text's markers.
	bound bool
}

// slot gives the literal of a slot; slots behind folded rows are shifted by the rows that the plan does not know.
func (a *Args) slot(i int) *Literal {
	if a.rows > 1 && i >= a.row0+a.stride {
		i += (a.rows - 1) * a.stride
	}
	return a.read(i)
}

// rowSlot gives the literal of a slot as it is in the folded row with that number.
func (a *Args) rowSlot(i, row int) *Literal {
	if a.rows > 1 {
		if i >= a.row0+a.stride {
			i += (a.rows - 1) * a.stride
		} else if i >= a.row0 {
			i += row * a.stride
		}
	}
	return a.read(i)
}

// read gives a literal, made of a parameter where one stands for it.
func (a *Args) read(i int) *Literal {
	l := &a.lits[i]
	if l.Kind == LitMarker && int(l.body) < len(a.params) {
		*l, a.arena = paramLiteral(&a.params[l.body], a.arena)
	}
	return l
}

// readAll makes literals of all parameters.
func (a *Args) readAll() {
	for i := range a.lits {
		a.read(i)
	}
}

// Trim drops the buffers that are larger than ordinary statements need: a session calls it when its client may stay silent for long.
func (a *Args) Trim() {
	const text, literals = 2 << 10, 128 // bytes, and literals of 40 bytes
	if cap(a.lex.norm) > text || cap(a.lex.lits) > literals || cap(a.arena) > text {
		*a = Args{}
	}
}

// fromLexer takes over what the lexer found.
func (a *Args) fromLexer() {
	l := &a.lex
	a.Text, a.Next, a.lits, a.bound = l.Text(), l.next, l.lits, false
	a.params = nil
	a.row0, a.rows, a.stride = l.row0, l.rows, l.stride
}

// Prepared is a statement with ? markers, taken apart once.
type Prepared struct {
	// Text is the statement as the client wrote it.
	Text []byte
	// Markers is the number of parameters.
	Markers int

	planner            *Planner
	norm               []byte
	digest             Digest
	lits               []Literal
	row0, rows, stride int
}

// Bind puts the parameters of one execution into a; it fails on a wrong number of them and on malformed values. They must stay unchanged
// while a is in use.
func (p *Prepared) Bind(params []wire.Param, a *Args) error {
	if len(params) != p.Markers {
		return errParamCount.New()
	}
	a.lex.Reset()
	a.Text, a.Next, a.bound = p.Text, len(p.Text), p.Markers > 0
	a.row0, a.rows, a.stride = p.row0, p.rows, p.stride
	a.lex.lits, a.arena = append(a.lex.lits[:0], p.lits...), a.arena[:0]
	a.lits, a.params = a.lex.lits, params
	return checkParams(params)
}

// BindLiterals is Bind with values that are literals already, for EXECUTE … USING.
func (p *Prepared) BindLiterals(values []Literal, a *Args) error {
	if len(values) != p.Markers {
		return errParamCount.New()
	}
	a.lex.Reset()
	a.Text, a.Next, a.bound = p.Text, len(p.Text), p.Markers > 0
	a.row0, a.rows, a.stride = p.row0, p.rows, p.stride
	a.lex.lits = append(a.lex.lits[:0], p.lits...)
	a.lits, a.params = a.lex.lits, nil
	for i := range a.lits {
		if a.lits[i].Kind == LitMarker {
			a.lits[i] = values[a.lits[i].body]
		}
	}
	return nil
}
