package collate

import "unicode/utf8"

// table holds the weights of code points, in pages of 256.
type table struct {
	// pages gives the page of each code point; 0 is the page whose characters all have the rule's own weight.
	pages [(utf8.MaxRune + 1) / 256]uint16
	// starts and weights: the character at place i of all pages has the weights starts[i] to starts[i+1].
	starts  []uint32
	weights []uint16
	// other gives the weights of characters outside the pages.
	other func(dst []byte, r rune) []byte
}

func (c *Collation) appendWeights(dst []byte, s string) ([]byte, bool) {
	t := c.weights
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 || c.three && r > 0xFFFF {
				return dst, false
			}
		}
		i += size
		page := t.pages[r>>8]
		if page == 0 {
			dst = t.other(dst, r)
			continue
		}
		at := int(page-1)<<8 | int(r&0xFF)
		for _, w := range t.weights[t.starts[at]:t.starts[at+1]] {
			dst = append(dst, byte(w>>8), byte(w))
		}
	}
	if c.pad {
		for n := len(dst); n >= 2 && dst[n-2] == 0 && dst[n-1] == ' '; n -= 2 {
			dst = dst[:n-2]
		}
	}
	return dst, true
}
