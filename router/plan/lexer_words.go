package plan

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
