package rules

import (
	"strings"
	"unicode/utf8"
)

// tokenKind classes the tokens of SQL text, as far as a clause needs.
type tokenKind uint8

const (
	tokenEnd    tokenKind = iota
	tokenWord             // a name or keyword without quotes, user and system variables included
	tokenName             // a name in backquotes; text holds it without
	tokenString           // a string; text holds its value
	tokenNumber           // digits, with a point perhaps
	tokenHex              // X'…'; text holds the bytes
	tokenMark             // any other character
	tokenOpen             // the start of a comment /*!999999 whose content is a clause
	tokenClose            // its end
	tokenBad              // an unfinished string, name or comment
)

type token struct {
	kind       tokenKind
	text       string
	start, end int // in the source
}

func (t token) is(word string) bool { return t.kind == tokenWord && strings.EqualFold(t.text, word) }

func (t token) mark(c byte) bool { return t.kind == tokenMark && t.text[0] == c }

// clauseComment opens a comment that plain servers skip and that holds a clause.
const clauseComment = "/*!999999"

// lexer cuts SQL text into tokens. It knows quotes and comments of MySQL.
type lexer struct {
	src string
	pos int
	// plainBackslash is set under NO_BACKSLASH_ESCAPES, ansi under ANSI_QUOTES.
	plainBackslash, ansi bool
	inside               bool // between tokenOpen and tokenClose
}

func (l *lexer) next() token {
	if bad, ok := l.skipBlank(); !ok {
		return bad
	}
	start := l.pos
	if start >= len(l.src) {
		return token{kind: tokenEnd, start: start, end: start}
	}
	if strings.HasPrefix(l.src[start:], clauseComment) {
		l.pos += len(clauseComment)
		l.inside = true
		return token{kind: tokenOpen, start: start, end: l.pos}
	}
	if l.inside && strings.HasPrefix(l.src[start:], "*/") {
		l.pos += 2
		l.inside = false
		return token{kind: tokenClose, start: start, end: l.pos}
	}
	switch c := l.src[start]; {
	case (c == 'x' || c == 'X') && start+1 < len(l.src) && l.src[start+1] == '\'':
		return l.hex(start)
	case c == '\'' || c == '"' && !l.ansi:
		return l.quoted(start, tokenString)
	case c == '`' || c == '"':
		return l.quoted(start, tokenName)
	case isDigit(c):
		return l.number(start)
	case isWordByte(c) || c == '@':
		for l.pos < len(l.src) && (isWordByte(l.src[l.pos]) || l.src[l.pos] == '@') {
			l.pos++
		}
		return token{tokenWord, l.src[start:l.pos], start, l.pos}
	}
	_, size := utf8.DecodeRuneInString(l.src[start:])
	l.pos += size
	return token{tokenMark, l.src[start:l.pos], start, l.pos}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= utf8.RuneSelf
}

// skipBlank skips white space and comments; false with a bad token for a comment without end.
func (l *lexer) skipBlank() (token, bool) {
	for l.pos < len(l.src) {
		rest := l.src[l.pos:]
		switch {
		case strings.IndexByte(" \t\r\n\v\f\x00", rest[0]) >= 0:
			l.pos++
		case rest[0] == '#' || strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest) - 1
			}
			l.pos += n + 1
		case strings.HasPrefix(rest, "/*") && !strings.HasPrefix(rest, clauseComment):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				start := l.pos
				l.pos = len(l.src)
				return token{tokenBad, rest, start, l.pos}, false
			}
			l.pos += n + 4
		default:
			return token{}, true
		}
	}
	return token{}, true
}

func (l *lexer) number(start int) token {
	point := false
	for l.pos < len(l.src) && (isDigit(l.src[l.pos]) || l.src[l.pos] == '.' && !point) {
		point = point || l.src[l.pos] == '.'
		l.pos++
	}
	if l.pos < len(l.src) && isWordByte(l.src[l.pos]) { // 1e3, 0x1F, a name that begins with digits
		for l.pos < len(l.src) && isWordByte(l.src[l.pos]) {
			l.pos++
		}
		return token{tokenWord, l.src[start:l.pos], start, l.pos}
	}
	return token{tokenNumber, l.src[start:l.pos], start, l.pos}
}

// quoted reads a string or name whose first quote stands at start.
func (l *lexer) quoted(start int, kind tokenKind) token {
	quote := l.src[start]
	var text strings.Builder
	for i := start + 1; i < len(l.src); i++ {
		c := l.src[i]
		switch {
		case c == quote && i+1 < len(l.src) && l.src[i+1] == quote:
			text.WriteByte(quote)
			i++
		case c == quote:
			l.pos = i + 1
			return token{kind, text.String(), start, l.pos}
		case c == '\\' && kind == tokenString && !l.plainBackslash && i+1 < len(l.src):
			i++
			text.WriteByte(unescape(l.src[i]))
		default:
			text.WriteByte(c)
		}
	}
	l.pos = len(l.src)
	return token{tokenBad, l.src[start:], start, l.pos}
}

// unescape gives the character that a backslash and c stand for.
func unescape(c byte) byte {
	switch c {
	case '0':
		return 0
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	case 'Z':
		return 26
	}
	return c
}

func (l *lexer) hex(start int) token {
	end := strings.IndexByte(l.src[start+2:], '\'')
	if end < 0 || end%2 != 0 {
		l.pos = len(l.src)
		return token{tokenBad, l.src[start:], start, l.pos}
	}
	digits := l.src[start+2 : start+2+end]
	l.pos = start + 3 + end
	raw, ok := unhex(digits)
	if !ok {
		return token{tokenBad, l.src[start:l.pos], start, l.pos}
	}
	return token{tokenHex, raw, start, l.pos}
}
