package plan

import (
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/encoding/charmap"

	"ballast/rules/collate"
)

// unsafeString views bytes as a string for the time of one bind: the bytes belong to the statement's text and do not change meanwhile.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// charsetOf gives the character set of a string literal: its introducer or the session's.
func (l *Literal) charsetOf(env *Env) string {
	if in := l.Introducer(); in != "" {
		return lowerASCII(in)
	}
	if l.Kind == LitBytes || l.Kind == LitHexNumber || l.Kind == LitHexString || l.Kind == LitBit {
		return "binary"
	}
	return env.Charset
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// utf8Of gives a string literal's value as UTF-8; ok is false if its bytes are no text of its character set, or that set is not known.
// A binary value counts as text of the column's character set.
func (l *Literal) utf8Of(env *Env, column string) (s string, ok bool) {
	b := l.Bytes(nil)
	cs := l.charsetOf(env)
	if cs == "binary" {
		cs = column
	}
	switch cs {
	case "utf8mb4", "utf8", "utf8mb3", "":
		return unsafeString(b), utf8.Valid(b)
	case "ascii":
		for _, c := range b {
			if c >= 0x80 {
				return "", false
			}
		}
		return unsafeString(b), true
	case "latin1":
		out := make([]byte, 0, len(b)+8)
		for _, c := range b {
			out = utf8.AppendRune(out, charmap.Windows1252.DecodeByte(c))
		}
		return unsafeString(out), true
	}
	return "", false
}

// holds says whether a column of the collation can store the text without loss.
func holds(collation, s string) bool {
	c, ok := collate.Lookup(collation)
	if !ok {
		return false
	}
	if plainASCII(s) {
		return true
	}
	_, ok = c.Encode(nil, s)
	return ok
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
