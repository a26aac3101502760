package plan

// keyword marks the words that the lexer must know; 0 is any other word.
type keyword uint8

const (
	kwOther keyword = iota + 1
	kwSelect
	kwInsert
	kwReplace
	kwUpdate
	kwDelete
	kwWith
	kwCall
	kwDo
	kwValues
	kwValue
	kwBy
	kwEndsBy
	kwAs
	kwType
	kwEscape
	kwNull
	kwTrue
	kwFalse
	kwDefault
	kwDate
	kwTime
	kwTimestamp
	kwCreate
	kwAlter
	kwShow
	kwSet
	kwExplain
	kwLoad
)

// slotted says whether the literals of a statement that begins with this word become slots.
func (k keyword) slotted() bool {
	switch k {
	case kwSelect, kwInsert, kwReplace, kwUpdate, kwDelete, kwWith, kwCall, kwDo:
		return true
	}
	return false
}

func (k keyword) takesHint() bool {
	switch k {
	case kwSelect, kwInsert, kwReplace, kwUpdate, kwDelete:
		return true
	}
	return false
}

func (k keyword) literal() LitKind {
	switch k {
	case kwNull:
		return LitNull
	case kwTrue:
		return LitTrue
	case kwFalse:
		return LitFalse
	case kwDefault:
		return LitDefault
	case kwDate:
		return LitDate
	case kwTime:
		return LitTime
	case kwTimestamp:
		return LitTimestamp
	}
	return 0
}

// lookup finds a word without regard to case. It is called for every word of every statement, so it goes by length and first letter.
func lookup(w []byte) keyword {
	if len(w) < 2 || len(w) > 9 {
		return 0
	}
	switch len(w) {
	case 2:
		switch w[0] | 0x20 {
		case 'b':
			return match(w, "by", kwBy)
		case 'a':
			return match(w, "as", kwAs)
		case 'd':
			return match(w, "do", kwDo)
		}
	case 3:
		switch w[0] | 0x20 {
		case 's':
			return match(w, "set", kwSet)
		case 'f':
			return match(w, "for", kwEndsBy)
		case 'd':
			return match(w, "dec", kwType)
		}
	case 4:
		switch w[0] | 0x20 {
		case 'c':
			if k := match(w, "call", kwCall); k != 0 {
				return k
			}
			return match(w, "char", kwType)
		case 'd':
			return match(w, "date", kwDate)
		case 'f':
			return 0
		case 'i':
			return match(w, "into", kwEndsBy)
		case 'l':
			if k := match(w, "load", kwLoad); k != 0 {
				return k
			}
			return match(w, "lock", kwEndsBy)
		case 'n':
			return match(w, "null", kwNull)
		case 'r':
			return match(w, "rows", kwEndsBy)
		case 's':
			return match(w, "show", kwShow)
		case 't':
			if k := match(w, "true", kwTrue); k != 0 {
				return k
			}
			return match(w, "time", kwTime)
		case 'w':
			return match(w, "with", kwWith)
		}
	case 5:
		switch w[0] | 0x20 {
		case 'a':
			return match(w, "alter", kwAlter)
		case 'f':
			if k := match(w, "false", kwFalse); k != 0 {
				return k
			}
			return match(w, "float", kwType)
		case 'l':
			return match(w, "limit", kwEndsBy)
		case 'n':
			return match(w, "nchar", kwType)
		case 'r':
			return match(w, "range", kwEndsBy)
		case 'u':
			return match(w, "union", kwEndsBy)
		case 'v':
			return match(w, "value", kwValue)
		}
	case 6:
		switch w[0] | 0x20 {
		case 'b':
			return match(w, "binary", kwType)
		case 'c':
			return match(w, "create", kwCreate)
		case 'd':
			return match(w, "delete", kwDelete)
		case 'e':
			if k := match(w, "escape", kwEscape); k != 0 {
				return k
			}
			return match(w, "except", kwEndsBy)
		case 'h':
			return match(w, "having", kwEndsBy)
		case 'i':
			return match(w, "insert", kwInsert)
		case 's':
			return match(w, "select", kwSelect)
		case 'u':
			return match(w, "update", kwUpdate)
		case 'v':
			return match(w, "values", kwValues)
		}
	case 7:
		switch w[0] | 0x20 {
		case 'd':
			if k := match(w, "default", kwDefault); k != 0 {
				return k
			}
			return match(w, "decimal", kwType)
		case 'e':
			return match(w, "explain", kwExplain)
		case 'r':
			return match(w, "replace", kwReplace)
		}
	case 8:
		return match(w, "datetime", kwType)
	case 9:
		if k := match(w, "timestamp", kwTimestamp); k != 0 {
			return k
		}
		return match(w, "separator", kwEndsBy)
	}
	return 0
}

func match(w []byte, lower string, k keyword) keyword {
	for i := range len(lower) {
		if w[i]|0x20 != lower[i] {
			return 0
		}
	}
	return k
}

// introducer says whether a word is a character set's name behind an underscore.
func introducer(w []byte) bool {
	var lower [9]byte
	if len(w) < 4 || len(w) > 1+len(lower) {
		return false
	}
	for i, c := range w[1:] {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	switch string(lower[:len(w)-1]) {
	case "utf8mb4", "utf8mb3", "utf8", "latin1", "binary", "ascii", "ucs2", "utf16", "utf16le", "utf32", "gbk", "gb2312", "gb18030", "big5",
		"sjis", "cp932", "ujis", "eucjpms", "euckr", "latin2", "latin5", "latin7", "cp1250", "cp1251", "cp1256", "cp1257", "cp850", "cp852",
		"cp866", "koi8r", "koi8u", "greek", "hebrew", "tis620", "macroman", "macce", "swe7", "dec8", "hp8", "keybcs2", "armscii8", "geostd8":
		return true
	}
	return false
}

// The classes of bytes; everything up to clWord continues a word.
const (
	clDigit uint8 = iota
	clWord
	clSpace
	clOther
)

var class = classes()

func classes() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= '0' && c <= '9':
			t[c] = clDigit
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '$', c >= 0x80:
			t[c] = clWord
		case c == ' ', c >= '\t' && c <= '\r':
			t[c] = clSpace
		default:
			t[c] = clOther
		}
	}
	return t
}
