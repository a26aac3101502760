package rules

import "strings"

// SplitClause takes the placement clause off the text of a CREATE TABLE or ALTER TABLE statement, also out of the comment /*!999999 … */ that
// SHOW CREATE TABLE shows. It gives the statement without the clause; c is nil when there is none, or when the text is another
// statement. In CREATE TABLE the clause may stand anywhere behind the table's name outside parentheses, before a SELECT; in ALTER TABLE it follows
// the name and is all that the statement does.
func SplitClause(createOrAlter string) (stmt string, c *Clause, err error) {
	return SplitClauseMode(createOrAlter, false, false)
}

// SplitClauseMode is SplitClause for a session with ANSI_QUOTES or NO_BACKSLASH_ESCAPES in its sql_mode.
func SplitClauseMode(createOrAlter string, ansiQuotes, noBackslashEscapes bool) (stmt string, c *Clause, err error) {
	p := newParser(lexer{src: createOrAlter, ansi: ansiQuotes, plainBackslash: noBackslashEscapes})
	alter := p.tok.is("ALTER")
	if !alter && !p.tok.is("CREATE") || !p.tableName() {
		return createOrAlter, nil, nil
	}
	depth := 0
	for p.tok.kind != tokenEnd && p.tok.kind != tokenBad {
		switch {
		case p.tok.mark('('):
			depth++
		case p.tok.mark(')'):
			depth--
		case depth > 0:
		case p.tok.kind == tokenOpen:
			return p.cut(true)
		case p.startsClause():
			return p.cut(false)
		case p.tok.is("SELECT"), p.tok.is("WITH"), p.tok.is("VALUES"), p.tok.is("LIKE"):
			return createOrAlter, nil, nil
		}
		if alter {
			return createOrAlter, nil, nil
		}
		p.take()
	}
	return createOrAlter, nil, nil
}

// tableName reads up to the table's name and past it; false when this is no CREATE TABLE or ALTER TABLE.
func (p *parser) tableName() bool {
	p.take()
	for p.tok.is("TEMPORARY") || p.tok.is("IGNORE") || p.tok.is("OR") || p.tok.is("REPLACE") {
		p.take()
	}
	if !p.word("TABLE") {
		return false
	}
	if p.word("IF") {
		p.word("NOT")
		p.word("EXISTS")
	}
	for {
		if p.tok.kind != tokenWord && p.tok.kind != tokenName {
			return false
		}
		p.take()
		if !p.mark('.') {
			return true
		}
	}
}

// startsClause says whether the token ahead begins a clause; GLOBAL and SINGLE alone are words that could be something else.
func (p *parser) startsClause() bool {
	after := p.lex // a copy looks further
	next := after.next()
	switch {
	case p.tok.is("BALANCE"):
		return next.is("BY")
	case p.tok.is("GLOBAL"):
		return !next.mark('=')
	case p.tok.is("SINGLE"):
		return next.is("ON") || next.kind == tokenEnd || next.mark(';')
	}
	return false
}

// cut parses the clause at the token ahead and takes it out of the text.
func (p *parser) cut(wrapped bool) (string, *Clause, error) {
	src, start := p.lex.src, p.tok.start
	if wrapped {
		p.take()
		if !p.tok.is("BALANCE") && !p.tok.is("GLOBAL") && !p.tok.is("SINGLE") {
			return src, nil, nil
		}
	}
	c := p.clause()
	if wrapped {
		p.need(p.tok.kind == tokenClose, "the end of the comment")
		p.take()
	}
	if p.err != nil {
		return src, nil, p.err
	}
	before := strings.TrimRight(src[:start], " \t\r\n")
	after := strings.TrimSpace(src[p.prev:])
	if after != "" && after != ";" {
		before += " "
	}
	return before + after, &c, nil
}
