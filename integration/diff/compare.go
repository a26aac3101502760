package diff

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Refused says whether an answer of Ballast is a refusal of its own kind rather than an error that MySQL gives: its message ends with
// one of our error ids and a hint.
func Refused(a Answer) bool {
	return a.Number != 0 && len(a.Message) > 9 && a.Message[len(a.Message)-1] == ']' && a.Message[len(a.Message)-8:len(a.Message)-5] == "[BL"
}

// Difference says how two answers differ; "" when they agree. With ordered false the rows are compared as a multiset.
func Difference(ballast, plain Answer, ordered bool) string {
	switch {
	case ballast.Number != plain.Number || ballast.State != plain.State:
		return "one is an error, or the errors differ"
	case plain.Number != 0:
		return ""
	case len(ballast.Columns) != len(plain.Columns):
		return "the number of columns differs"
	case plain.Columns == nil && ballast.Affected != plain.Affected:
		return "affected rows differ"
	case len(ballast.Rows) != len(plain.Rows):
		return "the number of rows differs"
	}
	for i, c := range plain.Columns {
		if !equalColumn(ballast.Columns[i], c) {
			return fmt.Sprintf("column %d differs: %+v, should be %+v", i+1, ballast.Columns[i], c)
		}
	}
	b, p := ballast.Rows, plain.Rows
	if !ordered {
		b, p = sorted(b), sorted(p)
	}
	for i := range p {
		for j := range p[i] {
			if !equalCell(b[i][j], p[i][j], plain.Columns[j]) {
				return fmt.Sprintf("row %d differs: %s, should be %s", i+1, rowText(b[i]), rowText(p[i]))
			}
		}
	}
	return ""
}

func sorted(rows [][]*string) [][]*string {
	out := slices.Clone(rows)
	slices.SortFunc(out, func(a, b []*string) int {
		x, y := rowText(a), rowText(b)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return out
}

const (
	typeFloat  = 4
	typeDouble = 5
)

// equalCell compares two cells; floating point sums may differ in the last bits, since the order of addition is free on both sides.
func equalCell(b, p *string, c Column) bool {
	if b == nil || p == nil {
		return b == p
	}
	if *b == *p {
		return true
	}
	if c.Type != typeFloat && c.Type != typeDouble {
		return false
	}
	x, errX := strconv.ParseFloat(*b, 64)
	y, errY := strconv.ParseFloat(*p, 64)
	return errX == nil && errY == nil && math.Abs(x-y) <= 1e-12*math.Max(math.Abs(x), math.Abs(y))
}

const (
	typeFirstBlob = 249
	typeString    = 254
)

// equalColumn compares two definitions. The decimals of a string column mean nothing (MariaDB gives 39 for strings of a UNION and 0 elsewhere).
func equalColumn(b, p Column) bool {
	if p.Type >= typeFirstBlob && p.Type <= typeString {
		b.Decimals = p.Decimals
	}
	b.Charset, p.Charset = charset(b.Charset), charset(p.Charset)
	return b == p
}

// charset makes one id of utf8mb4's collations: a column definition tells the character set; which collation it names depends on how
// character_set_results was set.
func charset(collation uint16) uint16 {
	switch collation {
	case 46, 255:
		return 45
	}
	return collation
}
