package engine

import (
	"strconv"
	"strings"

	"ballast/sqlfront/wire"
)

// columnNumber names a column by its position from 1, as ORDER BY counts.
func columnNumber(i int) string { return "#" + strconv.Itoa(i+1) }

func columnNumbers(columns []int) string {
	var b strings.Builder
	for i, c := range columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(columnNumber(c))
	}
	return b.String()
}

// columnsDiffer says in which column two answers differ first.
func columnsDiffer(a, b []wire.Column) error {
	if len(a) != len(b) {
		return errColumnsDiffer.New(strconv.Itoa(len(a)) + " and " + strconv.Itoa(len(b)) + " columns")
	}
	for i := range a {
		if !sameColumns(a[i:i+1], b[i:i+1]) {
			return errColumnsDiffer.New("column '" + a[i].Name + "' is " + typeName(a[i]) + " and " + typeName(b[i]))
		}
	}
	return errColumnsDiffer.New("unknown column")
}
