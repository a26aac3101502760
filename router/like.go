package router

import (
	"unicode"
	"unicode/utf8"
)

// like matches a name against a LIKE pattern as SHOW does: % and _ stand for characters, a backslash takes their meaning away, case does
// not matter.
func like(name, pattern string) bool {
	for len(pattern) > 0 {
		p, size := utf8.DecodeRuneInString(pattern)
		if p == '%' {
			pattern = pattern[size:]
			if pattern == "" {
				return true
			}
			for i := range name {
				if like(name[i:], pattern) {
					return true
				}
			}
			return like("", pattern)
		}
		escaped := false
		if p == '\\' && len(pattern) > size {
			pattern = pattern[size:]
			p, size = utf8.DecodeRuneInString(pattern)
			escaped = true
		}
		if name == "" {
			return false
		}
		n, width := utf8.DecodeRuneInString(name)
		if (p != '_' || escaped) && unicode.ToLower(n) != unicode.ToLower(p) {
			return false
		}
		name, pattern = name[width:], pattern[size:]
	}
	return name == ""
}
