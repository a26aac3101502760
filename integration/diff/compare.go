package diff

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
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
	case plain.Columns == nil && ballast.InsertID != plain.InsertID:
		return "insert ids differ"
	case plain.Columns == nil && ballast.Info != plain.Info:
		return "the texts of the answers differ"
	case plain.Columns == nil && ballast.Warnings != plain.Warnings:
		return "the numbers of warnings differ"
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
	typeFloat   = 4
	typeDouble  = 5
	typeDecimal = 246
)

// equalCell compares two cells; floating point sums may differ in the last bits, since the order of addition is free on both sides.
func equalCell(b, p *string, c Column) bool {
	if b == nil || p == nil {
		return b == p
	}
	if *b == *p {
		return true
	}
	if c.Type == typeDecimal && c.Decimals == 0 { // of a prepared statement
		x, okX := new(big.Rat).SetString(*b)
		y, okY := new(big.Rat).SetString(*p)
		return okX && okY && x.Cmp(y) == 0
	}
	if c.Type != typeFloat && c.Type != typeDouble {
		return false
	}
	x, errX := strconv.ParseFloat(*b, 64)
	y, errY := strconv.ParseFloat(*p, 64)
	return errX == nil && errY == nil && math.Abs(x-y) <= 1e-12*math.Max(math.Abs(x), math.Abs(y))
}

const (
	typeLong      = 3
	typeJSON      = 245
	typeLonglong  = 8
	typeYear      = 13
	typeFirstBlob = 249
	typeBlob      = 252
	typeString    = 254
)

// equalColumn compares two definitions. The decimals of a string column mean nothing (MariaDB gives 39 for strings of a UNION and 0 elsewhere).
func equalColumn(b, p Column) bool {
	if p.Type >= typeFirstBlob && p.Type <= typeString {
		b.Decimals = p.Decimals
	}
	if p.Type == typeJSON { // a temporary table makes another one of it
		b.Decimals, b.Charset = p.Decimals, p.Charset
	}
	b.Type, p.Type = family(b.Type), family(p.Type)
	b.Charset, p.Charset = charset(b.Charset), charset(p.Charset)
	return b == p
}

// family makes one type of those whose choice depends on how a server computes an answer: BLOBs of different greatest lengths (a temporary
// table in between makes another one), and integers (a parameter counts as BIGINT, the same value as a literal as INT).
func family(t byte) byte {
	switch {
	case t >= typeFirstBlob && t <= typeBlob:
		return typeBlob
	case t == typeLong:
		return typeLonglong
	}
	return t
}

// forgetLengths makes one type of the strings and decimals that differ in their greatest length only: a parameter may be longer than the
// literal that has the same value, and a temporary table turns long strings into BLOBs (and the YEAR
// that YEAR() gives into an integer). MySQL takes a number beside a DECIMAL for one with 30 decimals, and prints all of them.
func forgetLengths(columns []Column) {
	for i := range columns {
		switch t := columns[i].Type; {
		case t >= typeFirstBlob && t < typeString:
			columns[i].Type = typeBlob
		case t == typeYear:
			columns[i].Type = typeLonglong
		case t == typeDecimal:
			columns[i].Decimals = 0
		}
	}
}

var warningsInInfo = regexp.MustCompile("Warnings: [0-9]+")

// forgetWarnings takes the number of warnings off an answer.
func (a *Answer) forgetWarnings() {
	a.Warnings = 0
	a.Info = warningsInInfo.ReplaceAllString(a.Info, "Warnings: ?")
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
