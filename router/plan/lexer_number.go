package plan

// number handles 12, 1.5, .5, 1e5, 0x1F, 0b01; a word that merely begins with digits is a name.
func (l *Lexer) number(st *lexState, start int) {
	src := l.src
	p, kind := l.scanNumber(l.pos)
	if kind == 0 || st.prev == prevDot {
		for p < len(src) && class[src[p]] <= clWord {
			p++
		}
		l.begin(start)
		l.take(p)
		st.prev, st.prevKey, st.castWord = prevWord, 0, false
		return
	}
	verbatim := kind == LitInt && (st.prev == prevBy || st.prev == prevComma && st.byDepth >= 0 && st.depth == st.byDepth) ||
		st.typeOpen >= 0 && st.depth == st.typeOpen
	l.literal(st, kind, start, p, verbatim)
}

// signedNumber takes a sign and the number behind it as one literal, inside a row of VALUES.
func (l *Lexer) signedNumber(st *lexState) bool {
	q := l.skipSpaces(l.pos + 1)
	if q >= len(l.src) || class[l.src[q]] != clDigit && (l.src[q] != '.' || q+1 >= len(l.src) || class[l.src[q+1]] != clDigit) {
		return false
	}
	p, kind := l.scanNumber(q)
	if kind != LitInt && kind != LitDecimal && kind != LitFloat {
		return false
	}
	sign := l.pos
	if lit := l.literal(st, kind, sign, p, false); lit != nil {
		lit.body = uint32(q - sign)
	}
	return true
}

// scanNumber gives the end of the number at p and its kind; 0 if it is a name.
func (l *Lexer) scanNumber(p int) (int, LitKind) {
	src := l.src
	if src[p] == '0' && p+1 < len(src) {
		if end := hexRun(src, p); end > 0 {
			return end, LitHexNumber
		}
		if end := bitRun(src, p); end > 0 {
			return end, LitBit
		}
	}
	kind := LitInt
	for p < len(src) && class[src[p]] == clDigit {
		p++
	}
	if p < len(src) && src[p] == '.' {
		kind = LitDecimal
		p++
		for p < len(src) && class[src[p]] == clDigit {
			p++
		}
	}
	if p < len(src) && (src[p]|0x20) == 'e' {
		q := p + 1
		if q < len(src) && (src[q] == '+' || src[q] == '-') {
			q++
		}
		if q < len(src) && class[src[q]] == clDigit {
			for q < len(src) && class[src[q]] == clDigit {
				q++
			}
			if q == len(src) || class[src[q]] > clWord {
				return q, LitFloat
			}
			if kind == LitDecimal {
				return q, LitFloat
			}
		}
	}
	if kind == LitInt && p < len(src) && class[src[p]] <= clWord {
		return p, 0
	}
	return p, kind
}

// hexRun gives the end of 0x…, or 0.
func hexRun(src []byte, p int) int {
	if p+2 >= len(src) || src[p] != '0' || src[p+1] != 'x' {
		return 0
	}
	q := p + 2
	for q < len(src) && isHex(src[q]) {
		q++
	}
	if q == p+2 || q < len(src) && class[src[q]] <= clWord {
		return 0
	}
	return q
}

// bitRun gives the end of 0b…, or 0.
func bitRun(src []byte, p int) int {
	if p+2 >= len(src) || src[p] != '0' || src[p+1] != 'b' {
		return 0
	}
	q := p + 2
	for q < len(src) && (src[q] == '0' || src[q] == '1') {
		q++
	}
	if q == p+2 || q < len(src) && class[src[q]] <= clWord {
		return 0
	}
	return q
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || (c|0x20) >= 'a' && (c|0x20) <= 'f' }
