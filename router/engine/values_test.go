package engine

import (
	"testing"

	"ballast/sqlfront/wire"
)

func TestValues(t *testing.T) {
	cols := append(TextColumns("name"), wire.Column{Name: "n", Type: wire.TypeLongLong, Charset: wire.CollationBinary})
	check(t, &Values{Columns: cols, Rows: [][]any{{"a", 1}, {nil, int64(-2)}, {[]byte("b"), true}}}, nil, "a|1", "NULL|-2", "b|1")
	check(t, &Values{Columns: cols, Rows: [][]any{{"a"}}}, nil, "error: does not fit")
	check(t, &Values{Columns: cols, Rows: [][]any{{struct{}{}, 1}}}, nil, "error: encode a struct")
}
