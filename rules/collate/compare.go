package collate

import "bytes"

// CompareKeys orders two keys as the servers order the strings: below zero, zero, above. Under PAD SPACE the shorter key counts as
// filled up with spaces, so that "a\t" sorts before "a".
func (c *Collation) CompareKeys(a, b []byte) int {
	n := min(len(a), len(b))
	if r := bytes.Compare(a[:n], b[:n]); r != 0 || len(a) == len(b) {
		return r
	}
	if !c.pad {
		return len(a) - len(b)
	}
	if len(a) > n {
		return c.comparePad(a[n:])
	}
	return -c.comparePad(b[n:])
}

// comparePad compares the rest of a longer key with spaces.
func (c *Collation) comparePad(rest []byte) int {
	space := c.space()
	for len(rest) >= len(space) {
		if r := bytes.Compare(rest[:len(space)], space); r != 0 {
			return r
		}
		rest = rest[len(space):]
	}
	return 0
}

// space is the weight of a space.
func (c *Collation) space() []byte {
	if c.form == formWeights {
		return []byte{0, ' '}
	}
	return []byte{' '}
}

// Compare orders two strings under the collation; false when one is no text of the character set.
func (c *Collation) Compare(a, b string) (int, bool) {
	var bufA, bufB [64]byte
	ka, ok := c.AppendKey(bufA[:0], a)
	if !ok {
		return 0, false
	}
	kb, ok := c.AppendKey(bufB[:0], b)
	if !ok {
		return 0, false
	}
	return c.CompareKeys(ka, kb), true
}

// Equal says whether two strings are one under the collation; false also when one is no text of the character set.
func (c *Collation) Equal(a, b string) bool {
	r, ok := c.Compare(a, b)
	return ok && r == 0
}
