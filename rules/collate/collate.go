package collate

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// form says how a collation turns characters into weights.
type form uint8

const (
	formBytes   form = iota + 1 // the bytes of the string, as stored in UTF-8
	formLatin1                  // one byte per character of latin1 (which is cp1252), mapped by a table of 256 weights
	formWeights                 // two bytes per weight, from a table over the code points
)

// Collation is one supported collation. It is immutable and safe for use by several goroutines.
type Collation struct {
	name string
	form form
	// pad is set where trailing spaces are ignored (PAD SPACE).
	pad bool
	// ascii is set where only U+0000..U+007F can be stored; three is set for utf8mb3, which holds no supplementary characters.
	ascii, three bool
	bytes        *[256]byte
	// table names the file of weights, load reads it once.
	table string
	load  func() *table
}

// Name gives the collation's name, with utf8mb3 for utf8.
func (c *Collation) Name() string { return c.name }

// Charset gives the character set that the collation belongs to: "binary", "utf8mb4", "utf8mb3", "latin1" or "ascii".
func (c *Collation) Charset() string {
	if i := strings.IndexByte(c.name, '_'); i >= 0 {
		return c.name[:i]
	}
	return c.name
}

// Table gives the name of the file of weights that the collation needs, "" if it needs none.
func (c *Collation) Table() string { return c.table }

// PadSpace says whether trailing spaces are ignored when comparing.
func (c *Collation) PadSpace() bool { return c.pad }

// ByBytes says whether the key is the value's own bytes (without trailing spaces under PAD SPACE), so that no WEIGHT_STRING is needed in SQL.
func (c *Collation) ByBytes() bool {
	return c.form == formBytes || c.form == formLatin1 && c.bytes == nil
}

// Lookup finds a collation by name; the utf8_ prefix stands for utf8mb3_.
func Lookup(name string) (*Collation, bool) {
	if rest, ok := strings.CutPrefix(name, "utf8_"); ok {
		name = "utf8mb3_" + rest
	}
	c, ok := collations[name]
	return c, ok
}

// Supported lists the names that Lookup knows, sorted (without the utf8_ spellings).
func Supported() []string {
	out := make([]string, 0, len(collations))
	for name := range collations {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// Key appends the key of s under the named collation to dst. It errs when the collation is not supported or s is no text of its
// character set (invalid UTF-8, or a character that latin1, ascii or utf8mb3 lacks).
func Key(dst []byte, collation, s string) ([]byte, error) {
	c, ok := Lookup(collation)
	if !ok {
		return dst, fmt.Errorf("collation %s is not supported for keys", collation)
	}
	dst, ok = c.AppendKey(dst, s)
	if !ok {
		return dst, fmt.Errorf("not a text of the character set %s", c.Charset())
	}
	return dst, nil
}

// AppendKey appends the key of s to dst, without allocating when dst has room. It gives false, and dst as it was, when s is no text
// of the character set.
func (c *Collation) AppendKey(dst []byte, s string) ([]byte, bool) {
	start := len(dst)
	var ok bool
	switch c.form {
	case formLatin1:
		dst, ok = c.appendLatin1(dst, s)
	case formWeights:
		dst, ok = c.appendWeights(dst, s)
	default:
		dst, ok = c.appendBytes(dst, s)
	}
	if !ok {
		return dst[:start], false
	}
	return dst, true
}

func (c *Collation) appendBytes(dst []byte, s string) ([]byte, bool) {
	if c != Binary && !c.holds(s) {
		return dst, false
	}
	if c.pad {
		s = strings.TrimRight(s, " ")
	}
	return append(dst, s...), true
}

// Holds says whether the character set can store the UTF-8 text s.
func (c *Collation) Holds(s string) bool {
	if c.form != formLatin1 || c.ascii {
		return c == Binary || c.holds(s)
	}
	var buf [64]byte
	_, ok := c.Encode(buf[:0], s)
	return ok
}

// holds is Holds for character sets whose stored form is UTF-8.
func (c *Collation) holds(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < utf8.RuneSelf {
			continue
		}
		if c.ascii || !utf8.ValidString(s) {
			return false
		}
		if !c.three {
			return true
		}
		for _, r := range s {
			if r > 0xFFFF {
				return false
			}
		}
		return true
	}
	return true
}
