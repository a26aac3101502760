// Package rulestest makes strategies, types and values for tests: every kind of step over every type of field, with values that lie on the
// edges where evaluators go wrong. What it makes depends on nothing but the Chooser, so a test that fails can be repeated.
package rulestest

import (
	"math"
	"strconv"

	"ballast/rules"
)

// Chooser gives numbers in [0, n). *rand.Rand of math/rand/v2 is one.
type Chooser interface{ IntN(n int) int }

// Types gives the types of fields that tests run over, each by the column definition that it is the type of.
func Types() map[string]rules.FieldType {
	return map[string]rules.FieldType{
		"BIGINT":                                 {Kind: rules.FieldInt, Bits: 64, Nullable: true},
		"BIGINT UNSIGNED":                        {Kind: rules.FieldUint, Bits: 64, Nullable: true},
		"INT NOT NULL":                           {Kind: rules.FieldInt, Bits: 32},
		"SMALLINT UNSIGNED":                      {Kind: rules.FieldUint, Bits: 16, Nullable: true},
		"TINYINT":                                {Kind: rules.FieldInt, Bits: 8, Nullable: true},
		"DECIMAL(18,0)":                          {Kind: rules.FieldDecimal, Length: 18, Nullable: true},
		"DECIMAL(12,4)":                          {Kind: rules.FieldDecimal, Length: 12, Scale: 4, Nullable: true},
		"DECIMAL(60,10)":                         {Kind: rules.FieldDecimal, Length: 60, Scale: 10, Nullable: true},
		"DECIMAL(65,30)":                         {Kind: rules.FieldDecimal, Length: 65, Scale: 30, Nullable: true},
		"INT(8) ZEROFILL":                        {Kind: rules.FieldUint, Bits: 32, Nullable: true},
		"BIGINT(20) UNSIGNED ZEROFILL":           {Kind: rules.FieldUint, Bits: 64, Nullable: true},
		"DECIMAL(10,2) ZEROFILL":                 {Kind: rules.FieldDecimal, Length: 10, Scale: 2, Nullable: true},
		"YEAR":                                   {Kind: rules.FieldYear, Nullable: true},
		"DATE":                                   {Kind: rules.FieldDate, Nullable: true},
		"DATETIME":                               {Kind: rules.FieldDateTime, Nullable: true},
		"DATETIME(6)":                            {Kind: rules.FieldDateTime, Scale: 6, Nullable: true},
		"TIMESTAMP(3) NULL":                      {Kind: rules.FieldTimestamp, Scale: 3, Nullable: true},
		"TIME(6)":                                {Kind: rules.FieldTime, Scale: 6, Nullable: true},
		"TIME":                                   {Kind: rules.FieldTime, Nullable: true},
		"BINARY(4)":                              {Kind: rules.FieldBinary, Length: 4, Fixed: true, Nullable: true},
		"VARBINARY(12)":                          {Kind: rules.FieldBinary, Length: 12, Nullable: true},
		"VARCHAR(12) COLLATE utf8mb4_bin":        text("utf8mb4_bin", false),
		"VARCHAR(12) COLLATE utf8mb4_general_ci": text("utf8mb4_general_ci", false),
		"CHAR(12) COLLATE utf8mb4_general_ci":    text("utf8mb4_general_ci", true),
		"VARCHAR(12) COLLATE utf8mb4_0900_ai_ci": text("utf8mb4_0900_ai_ci", false),
		"CHAR(12) COLLATE utf8mb4_0900_ai_ci":    text("utf8mb4_0900_ai_ci", true),
		"VARCHAR(12) COLLATE utf8mb4_0900_bin":   text("utf8mb4_0900_bin", false),
		"VARCHAR(12) COLLATE utf8mb3_general_ci": text("utf8mb3_general_ci", false),
		"VARCHAR(12) COLLATE utf8mb3_bin":        text("utf8mb3_bin", false),
		"VARCHAR(12) COLLATE latin1_swedish_ci":  text("latin1_swedish_ci", false),
		"CHAR(12) COLLATE latin1_bin":            text("latin1_bin", true),
		"VARCHAR(12) COLLATE ascii_general_ci":   text("ascii_general_ci", false),
		"VARCHAR(12) COLLATE ascii_bin":          text("ascii_bin", false),
	}
}

func text(collation string, fixed bool) rules.FieldType {
	return rules.FieldType{Kind: rules.FieldString, Length: 12, Collation: collation, Fixed: fixed, Nullable: true}
}

func pick[T any](c Chooser, of ...T) T { return of[c.IntN(len(of))] }

// bits gives any 64-bit pattern.
func bits(c Chooser) uint64 { return uint64(c.IntN(1<<32))<<32 | uint64(c.IntN(1<<32)) }

// Value makes a value of the type, not NULL: often a small one, or one at an end of the type.
func Value(c Chooser, t rules.FieldType) rules.Value {
	for {
		if v, ok := t.Parse(valueText(c, t)); ok {
			return v
		}
	}
}

func valueText(c Chooser, t rules.FieldType) string {
	switch t.Kind {
	case rules.FieldUint:
		return strconv.FormatUint(pick(c, bits(c), bits(c)>>c.IntN(64), uint64(c.IntN(300)), 0, uint64(math.MaxUint64)>>(64-t.Bits), 1<<63, 1<<63-1), 10)
	case rules.FieldInt:
		return strconv.FormatInt(pick(c, int64(bits(c)), int64(bits(c))>>c.IntN(64), int64(c.IntN(300)-150), 0, -1, int64(math.MinInt64)>>(64-t.Bits), int64(math.MaxInt64)>>(64-t.Bits)), 10)
	case rules.FieldYear:
		return strconv.Itoa(pick(c, 0, 1901, 2155, 1970, 2000, 2024, 1901+c.IntN(255)))
	case rules.FieldDecimal:
		return decimalText(c, t)
	case rules.FieldDate:
		return dateText(c)
	case rules.FieldDateTime, rules.FieldTimestamp:
		day := dateText(c)
		if t.Kind == rules.FieldTimestamp {
			day = pick(c, "1970-01-02", "2024-03-10", "2024-11-03", "2037-12-31", "2000-02-29", strconv.Itoa(1971+c.IntN(66))+"-06-01")
		}
		return day + " " + clock(c, 24) + fractionText(c, t.Scale)
	case rules.FieldTime:
		return pick(c, "", "-") + clock(c, pick(c, 1, 2, 24, 839)) + fractionText(c, t.Scale)
	case rules.FieldBinary:
		return choose(c, t.Length, "\x00", "a", "A", " ", "\xff", "\\", "'", "0")
	default:
		return choose(c, t.Length, letters(t.Collation)...)
	}
}

func letters(collation string) []string {
	out := []string{"a", "A", "b", "Z", " ", " ", "\t", "0", "'", "\\", "~", "_", "\x01"}
	switch collation {
	case "ascii_bin", "ascii_general_ci":
		return out
	case "latin1_bin", "latin1_swedish_ci":
		return append(out, "é", "É", "ä", "Å", "ß", "ü", "y", "ÿ", "€", "Ž", "÷", "×", "æ", "þ")
	}
	out = append(out, "é", "É", "ä", "ß", "ss", "ſ", "İ", "ı", "中", "か", "が", "ガ", "가", "힣", "Я", "я", "Ω", "ﬁ", "e\u0301", "\u00ad", "\u200b", "\ufffd", "\u3000")
	if collation != "utf8mb3_general_ci" && collation != "utf8mb3_bin" {
		out = append(out, "😀", "🙂", "𐐀", "𐐨", "𠀀", "\U0010fffd")
	}
	return out
}

// choose strings a few of the pieces together, at most as many as fit.
func choose(c Chooser, length int, pieces ...string) string {
	out := ""
	for range c.IntN(length/2 + 1) {
		out += pieces[c.IntN(len(pieces))]
	}
	return out
}

func digits(c Chooser, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte('0' + c.IntN(10))
	}
	return string(out)
}

func decimalText(c Chooser, t rules.FieldType) string {
	whole := digits(c, c.IntN(t.Length-t.Scale+1))
	if c.IntN(2) == 0 {
		whole = digits(c, min(3, t.Length-t.Scale))
	}
	out := pick(c, "", "-") + "0" + whole
	if t.Scale > 0 && c.IntN(3) > 0 {
		out += "." + digits(c, 1+c.IntN(t.Scale))
	}
	return out
}

func dateText(c Chooser) string {
	return pick(c, "1970-01-01", "1969-12-31", "2024-02-29", "0001-01-01", "9999-12-31", "1900-03-01",
		strconv.Itoa(1000+c.IntN(9000))+"-0"+strconv.Itoa(1+c.IntN(9))+"-"+strconv.Itoa(10+c.IntN(19)),
		strconv.Itoa(1960+c.IntN(20))+"-0"+strconv.Itoa(1+c.IntN(9))+"-"+strconv.Itoa(10+c.IntN(19)))
}

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

func clock(c Chooser, hours int) string {
	return two(c.IntN(hours)) + ":" + pick(c, "00", "59", "30") + ":" + pick(c, "00", "59", two(c.IntN(60)))
}

func fractionText(c Chooser, scale int) string {
	if scale == 0 || c.IntN(2) == 0 {
		return ""
	}
	return "." + digits(c, 1+c.IntN(scale))
}
