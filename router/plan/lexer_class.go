package plan

// The classes of bytes; everything up to clWord continues a word.
const (
	clDigit uint8 = iota
	clWord
	clSpace
	clQuote
	clComma
	clDot
	clOpen
	clClose
	clDash
	clHash
	clSlash
	clStar
	clMark
	clAt
	clSemicolon
	clOther
)

var class = classes()

func classes() (t [256]uint8) {
	own := map[byte]uint8{'\'': clQuote, '"': clQuote, '`': clQuote, ',': clComma, '.': clDot, '(': clOpen, ')': clClose, '-': clDash, '#': clHash,
		'/': clSlash, '*': clStar, '?': clMark, '@': clAt, ';': clSemicolon, '_': clWord, '$': clWord, ' ': clSpace}
	for c := range t {
		switch {
		case c >= '0' && c <= '9':
			t[c] = clDigit
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= 0x80:
			t[c] = clWord
		case c >= '\t' && c <= '\r':
			t[c] = clSpace
		default:
			t[c] = clOther
			if k, ok := own[byte(c)]; ok {
				t[c] = k
			}
		}
	}
	return t
}
