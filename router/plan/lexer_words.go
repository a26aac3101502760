package plan

// word handles a name or keyword, and the literals that begin with a word.
func (l *Lexer) word(st *lexState) {
	src, start := l.src, l.pos
	p := start + 1
	for p < len(src) && class[src[p]] <= clWord {
		p++
	}
	word := src[start:p]
	if p < len(src) && class[src[p]] == clQuote && st.prev != prevDot && l.prefixed(st, word, p) {
		return
	}
	if st.rows != rowsInside {
		l.count()
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
	if word[0] == '_' && introducer(word) && l.introduced(st, start, l.skipSpaces(p)) {
		return
	}
	if key >= kwNull && key <= kwTimestamp && l.keyword(st, key, start, p) {
		return
	}
	l.begin(start)
	l.take(p)
	if st.rows == rowsBetween || st.rows == rowsWanted {
		st.rows = rowsDone
	}
	st.castWord = (key == kwType || key == kwTime) && st.prevKey == kwAs && st.prev == prevWord
	st.prevKey, st.prev = key, prevWord
	switch key {
	case kwBy:
		st.prev, st.byDepth = prevBy, st.depth
	case kwEscape:
		st.prev = prevEscape
	case kwValues, kwValue:
		if st.depth == 0 && st.rows == rowsNone && (l.verb == kwInsert || l.verb == kwReplace) {
			if q := l.skipSpaces(p); q < len(src) && src[q] == '(' {
				st.rows = rowsWanted
			}
		}
	case kwEndsBy:
		if st.depth <= st.byDepth {
			st.byDepth = -1
		}
	}
}

// keyword handles the words that are, or begin, a literal; false says that this one does not, here.
func (l *Lexer) keyword(st *lexState, key keyword, start, end int) bool {
	q := l.skipSpaces(end)
	switch key {
	case kwNull, kwTrue, kwFalse, kwDefault:
		if st.rows != rowsInside || st.depth != 1 || st.prev != prevOpen && st.prev != prevComma {
			return false
		}
		if q >= len(l.src) || l.src[q] != ',' && l.src[q] != ')' {
			return false
		}
		l.literal(st, key.literal(), start, end, false)
		return true
	}
	if q >= len(l.src) || l.src[q] != '\'' && (l.src[q] != '"' || l.opt.Flags&ANSIQuotes != 0) {
		return false
	}
	l.stringLiteral(st, key.literal(), start, q, false)
	return true
}

// variable takes over @name, @`name`, @'name' and @@name.
func (l *Lexer) variable(st *lexState) {
	src, start := l.src, l.pos
	p := start + 1
	if p < len(src) && src[p] == '@' {
		p++
	}
	if p < len(src) && class[src[p]] == clQuote {
		if p = l.stringEnd(p); p < 0 {
			return
		}
	} else {
		for p < len(src) && (class[src[p]] <= clWord || src[p] == '.') {
			p++
		}
	}
	l.begin(start)
	l.take(p)
	st.prev, st.prevKey, st.castWord = prevWord, 0, false
}
