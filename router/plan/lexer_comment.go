package plan

import "bytes"

// dashComment says whether "--" at pos begins a comment: it must be followed by a space, a control character or the end.
func (l *Lexer) dashComment() bool {
	src, p := l.src, l.pos
	return p+1 < len(src) && src[p+1] == '-' && (p+2 == len(src) || src[p+2] <= ' ')
}

func (l *Lexer) skipLine() {
	if i := bytes.IndexByte(l.src[l.pos:], '\n'); i >= 0 {
		l.pos += i + 1
	} else {
		l.pos = len(l.src)
	}
}

// skipSpaces gives the offset of the first byte from p on that is neither space nor inside a plain comment.
func (l *Lexer) skipSpaces(p int) int {
	src := l.src
	for p < len(src) {
		switch {
		case class[src[p]] == clSpace:
			p++
		case src[p] == '/' && p+2 < len(src) && src[p+1] == '*' && src[p+2] != '!' && src[p+2] != '+':
			i := bytes.Index(src[p+2:], []byte("*/"))
			if i < 0 {
				return p
			}
			p += i + 4
		default:
			return p
		}
	}
	return p
}

// comment handles everything that begins with "/*".
func (l *Lexer) comment(st *lexState) {
	src, start := l.src, l.pos
	body := start + 2
	close := bytes.Index(src[body:], []byte("*/"))
	if close < 0 {
		l.unterminated(start)
		return
	}
	stop := body + close + 2
	if body < len(src) && src[body] == '+' && st.prev == prevWord && st.prevKey.takesHint() {
		l.begin(start)
		l.take(stop)
		return
	}
	code, at := l.executable(body)
	l.sawExec = l.sawExec || at > 0
	if code && !l.inExec {
		l.inExec = true
		l.pos = at
		return
	}
	if at > 0 && !code {
		// a skipped version comment may hold plain comments, which nest once
		for {
			inner := bytes.Index(src[at:stop-2], []byte("/*"))
			if inner < 0 {
				break
			}
			at = stop
			more := bytes.Index(src[at:], []byte("*/"))
			if more < 0 {
				l.unterminated(start)
				return
			}
			stop = at + more + 2
		}
	}
	l.pos = stop
}

// executable says whether the comment whose body begins at p is code for the nodes' server, and where the code begins (0: a plain comment).
func (l *Lexer) executable(p int) (code bool, at int) {
	src := l.src
	switch {
	case p < len(src) && src[p] == '!':
		p++
	case l.opt.MariaDB && p+1 < len(src) && src[p] == 'M' && src[p+1] == '!':
		p += 2
	default:
		return false, 0
	}
	v, n := 0, 0
	for n < 6 && p+n < len(src) && class[src[p+n]] == clDigit {
		v = v*10 + int(src[p+n]-'0')
		n++
	}
	if n < 5 {
		return true, p
	}
	p += n
	if v > l.opt.Server {
		return false, p
	}
	if l.opt.MariaDB && v >= 50700 && v <= 99999 && src[p-n-1] == '!' && src[p-n-2] == '*' {
		return false, p
	}
	return true, p
}
