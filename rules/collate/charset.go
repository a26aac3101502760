package collate

import "unicode/utf8"

// latin1 in MySQL is cp1252 with the five bytes that cp1252 leaves free standing for the control characters of the same number.
// latin1High gives the characters of the bytes 0x80..0x9F; all others are the code points of the same number.
var latin1High = [32]rune{
	0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F,
	0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
}

// latin1Byte gives the byte that stores r in latin1.
func latin1Byte(r rune) (byte, bool) {
	if r < 0x80 || r >= 0xA0 && r <= 0xFF {
		return byte(r), true
	}
	for i, high := range latin1High {
		if high == r {
			return byte(0x80 + i), true
		}
	}
	return 0, false
}

// Encode gives the bytes that store the UTF-8 text s in the collation's character set; false when it can't be stored.
func (c *Collation) Encode(dst []byte, s string) ([]byte, bool) {
	if c.Charset() != "latin1" {
		if c != Binary && !c.holds(s) {
			return dst, false
		}
		return append(dst, s...), true
	}
	start := len(dst)
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			dst = append(dst, s[i])
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		b, ok := latin1Byte(r)
		if !ok || r == utf8.RuneError && size == 1 {
			return dst[:start], false
		}
		dst = append(dst, b)
		i += size
	}
	return dst, true
}

func (c *Collation) appendLatin1(dst []byte, s string) ([]byte, bool) {
	start := len(dst)
	dst, ok := c.Encode(dst, s)
	if !ok {
		return dst, false
	}
	if c.bytes != nil {
		for i := start; i < len(dst); i++ {
			dst[i] = c.bytes[dst[i]]
		}
	}
	for c.pad && len(dst) > start && dst[len(dst)-1] == ' ' {
		dst = dst[:len(dst)-1]
	}
	return dst, true
}
