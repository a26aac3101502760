package collate

import (
	"bytes"
	"compress/flate"
	"embed"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"
)

// The weights of code points, written from a MySQL server by the test of integration/rules. MariaDB's are the same, which that test holds.
//
//go:embed tables
var files embed.FS

// table holds the weights of code points, in pages of 256.
type table struct {
	// class tells how the weights of a page are found; at gives the place of an explicit page's first character.
	class [pageCount]byte
	at    [pageCount]int32
	// starts and weights: character i of the explicit pages has the weights starts[i] to starts[i+1].
	starts  []uint32
	weights []uint16
}

const pageCount = (utf8.MaxRune + 1) / 256

// The classes of pages: explicit weights, or a rule that all characters of the page follow.
const (
	classExplicit = iota
	// classReplaced: every character has the weight of U+FFFD, as supplementary characters have in general_ci.
	classReplaced
	// classHan, classHanExtension and classUnassigned: the two weights that the Unicode collation algorithm implies from the code point.
	classHan
	classHanExtension
	classUnassigned
	// classSame: the weight is the code point.
	classSame
	classCount
)

// implied gives the weights of a character of a page that has a class.
func implied(class byte, r rune) (first, second uint16) {
	bases := [classCount]uint16{classHan: 0xFB40, classHanExtension: 0xFB80, classUnassigned: 0xFBC0}
	return bases[class] + uint16(r>>15), uint16(r&0x7FFF) | 0x8000
}

// PageClass finds the class that gives all weights of a page of 256 characters; false when the page has to be explicit. Characters that are not
// in weights fit any class. It is for the tool that writes the tables.
func PageClass(page rune, weights map[rune][]byte) (class byte, ok bool) {
	for class := byte(classReplaced); class < classCount; class++ {
		fits := true
		for r := page << 8; r < (page+1)<<8 && fits; r++ {
			if w, stored := weights[r]; stored {
				fits = bytes.Equal(w, appendClass(nil, class, r))
			}
		}
		if fits {
			return class, true
		}
	}
	return classExplicit, false
}

func appendClass(dst []byte, class byte, r rune) []byte {
	switch class {
	case classReplaced:
		return append(dst, 0xFF, 0xFD)
	case classSame:
		return append(dst, byte(r>>8), byte(r))
	}
	first, second := implied(class, r)
	return append(dst, byte(first>>8), byte(first), byte(second>>8), byte(second))
}

// loader reads a table once, when it is first needed.
func loader(name string) func() *table {
	return sync.OnceValue(func() *table {
		t, err := readTable(name)
		if err != nil { // the file is part of the program: tests read every one
			panic(err)
		}
		return t
	})
}

func readTable(name string) (*table, error) {
	packed, err := files.ReadFile("tables/" + name)
	if err != nil {
		return nil, fmt.Errorf("weight table: %w", err)
	}
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		return nil, fmt.Errorf("weight table %s: %w", name, err)
	}
	if len(raw) < 4+pageCount || binary.BigEndian.Uint32(raw) != pageCount {
		return nil, fmt.Errorf("weight table %s: not %d pages", name, pageCount)
	}
	t := &table{starts: []uint32{0}}
	copy(t.class[:], raw[4:])
	raw = raw[4+pageCount:]
	for page, class := range t.class {
		if class != classExplicit {
			continue
		}
		t.at[page] = int32(len(t.starts) - 1)
		for range 256 {
			if len(raw) == 0 || len(raw) < 1+2*int(raw[0]) {
				return nil, fmt.Errorf("weight table %s: cut off", name)
			}
			n := 2 * int(raw[0])
			for i := 1; i <= n; i += 2 {
				t.weights = append(t.weights, uint16(raw[i])<<8|uint16(raw[i+1]))
			}
			t.starts = append(t.starts, uint32(len(t.weights)))
			raw = raw[1+n:]
		}
	}
	return t, nil
}

func (c *Collation) appendWeights(dst []byte, s string) ([]byte, bool) {
	t := c.load()
	start := len(dst)
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 || c.three && r > 0xFFFF {
				return dst, false
			}
		}
		i += size
		if class := t.class[r>>8]; class != classExplicit {
			dst = appendClass(dst, class, r)
			continue
		}
		at := t.at[r>>8] + r&0xFF
		for _, w := range t.weights[t.starts[at]:t.starts[at+1]] {
			dst = append(dst, byte(w>>8), byte(w))
		}
	}
	if c.pad {
		for len(dst)-start >= 2 && dst[len(dst)-2] == 0 && dst[len(dst)-1] == ' ' {
			dst = dst[:len(dst)-2]
		}
	}
	return dst, true
}
