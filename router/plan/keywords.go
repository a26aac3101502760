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

// wordTable holds each keyword at a place of its own, so that a word is compared with one keyword at most.
var wordTable = placeWords()

// maxWord is the length of the longest keyword; wordFactor was tried out so that no two share a place.
const (
	maxWord    = len("timestamp")
	wordFactor = 0x2265b1f5
)

type tableWord struct {
	text string
	key  keyword
}

func placeWords() (t [512]tableWord) {
	words := map[string]keyword{
		"select": kwSelect, "insert": kwInsert, "replace": kwReplace, "update": kwUpdate, "delete": kwDelete, "with": kwWith, "call": kwCall, "do": kwDo,
		"create": kwCreate, "alter": kwAlter, "show": kwShow, "set": kwSet, "explain": kwExplain, "load": kwLoad,
		"values": kwValues, "value": kwValue, "by": kwBy, "as": kwAs, "escape": kwEscape,
		"null": kwNull, "true": kwTrue, "false": kwFalse, "default": kwDefault, "date": kwDate, "time": kwTime, "timestamp": kwTimestamp,
		"for": kwEndsBy, "into": kwEndsBy, "lock": kwEndsBy, "rows": kwEndsBy, "limit": kwEndsBy, "range": kwEndsBy, "union": kwEndsBy,
		"except": kwEndsBy, "having": kwEndsBy, "separator": kwEndsBy,
		"dec": kwType, "char": kwType, "float": kwType, "nchar": kwType, "binary": kwType, "decimal": kwType, "datetime": kwType,
	}
	for w, k := range words {
		t[wordPlace([]byte(w))] = tableWord{w, k}
	}
	return t
}

// wordPlace gives a word's place by its first, second and last letter and its length, without regard to case.
func wordPlace(w []byte) uint32 {
	n := len(w)
	h := uint32(w[0]|0x20) | uint32(w[1]|0x20)<<8 | uint32(w[n-1]|0x20)<<16 | uint32(n)<<24
	return h * wordFactor >> (32 - 9)
}

// lookup finds a word without regard to case. It is called for every word of every statement.
func lookup(w []byte) keyword {
	if len(w) < 2 || len(w) > maxWord {
		return 0
	}
	t := &wordTable[wordPlace(w)]
	if len(t.text) != len(w) {
		return 0
	}
	for i := range len(w) {
		if w[i]|0x20 != t.text[i] {
			return 0
		}
	}
	return t.key
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
