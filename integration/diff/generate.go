package diff

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// Generator makes statements over generatedTables from a seed: the same seed gives the same statements.
//
// Where MySQL leaves an answer free the generator must not ask: rows under a LIMIT are ordered by something unique; of values that are equal
// but print differently ('a' and 'A', 'b' and 'b ') no one is asked to be chosen, so such columns are grouped by their bytes.
type Generator struct {
	r    *rand.Rand
	mode mode
	// plain keeps to values that every server takes in every mode, for the rows to begin with.
	plain bool
	// stored says that the values made are stored, not compared.
	stored bool
	// params, when not nil, collects the values of ? markers: the statement being made is a prepared one.
	params *[]any
}

// NewGenerator seeds a generator.
func NewGenerator(seed uint64) *Generator {
	g := &Generator{r: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}
	g.mode = modes[seed%uint64(len(modes))]
	return g
}

// Generated is one statement and how its answer is compared.
type Generated struct {
	SQL string
	// Args are the parameters of a prepared statement; nil means that it goes as text.
	Args []any
	// Ordered says that the order of the rows is fixed.
	Ordered bool
	// Counted says that only the number of rows is fixed.
	Counted bool
	// Write marks a statement that changes rows.
	Write bool
	// After says that it asks about the statement before it, and so is left out where that was refused.
	After bool
	last  string
}

func (g *Generator) pick(of ...string) string { return of[g.r.IntN(len(of))] }
func (g *Generator) chance(percent int) bool  { return g.r.IntN(100) < percent }
func (g *Generator) table() *Table            { return &generatedTables[g.r.IntN(len(generatedTables))] }
func (g *Generator) list(n int, f func() string) string {
	out := make([]string, n)
	for i := range out {
		out[i] = f()
	}
	return strings.Join(out, ", ")
}

// marker stands in the text for a parameter until the text is complete: pieces of a statement are not made in the order of the text.
var marker = regexp.MustCompile("\x01([0-9]+)\x02")

// param makes a marker of a value where parameters are wanted, else gives the literal.
func (g *Generator) param(literal string, value any) string {
	if g.params == nil || !g.chance(50) {
		return literal
	}
	*g.params = append(*g.params, value)
	return fmt.Sprintf("\x01%d\x02", len(*g.params)-1)
}

// withParams lets f make a statement whose literals may be parameters.
func (g *Generator) withParams(f func() Generated) Generated {
	var values []any
	g.params = &values
	st := f()
	g.params = nil
	st.Args = []any{}
	st.SQL = marker.ReplaceAllStringFunc(st.SQL, func(m string) string {
		i, err := strconv.Atoi(m[1 : len(m)-1])
		if err != nil {
			return m
		}
		st.Args = append(st.Args, values[i])
		return "?"
	})
	return st
}

// withoutParams keeps to literals until the function that it gives is called.
func (g *Generator) withoutParams() func() {
	params := g.params
	g.params = nil
	return func() { g.params = params }
}

func (g *Generator) text(s string) string {
	if g.params == nil && g.mode.quotes && g.chance(10) && !strings.Contains(s, `"`) {
		return `"` + s + `"`
	}
	if g.chance(20) && g.params != nil {
		return g.param("'"+strings.ReplaceAll(s, "'", "''")+"'", []byte(s))
	}
	return g.param("'"+strings.ReplaceAll(s, "'", "''")+"'", s)
}

// integer is a whole number; as a parameter it may come in any of the types that drivers send numbers in.
func (g *Generator) integer(v int64) string {
	text := strconv.FormatInt(v, 10)
	if g.params == nil || !g.chance(25) {
		return g.param(text, v)
	}
	switch g.r.IntN(4) {
	case 0:
		return g.param(text, text)
	case 1:
		return g.param(text, float64(v))
	case 2:
		return g.param(text, []byte(text))
	}
	if v < 0 {
		return g.param(text, int8(v))
	}
	return g.param(text, uint64(v))
}

// count is a number of rows, for LIMIT.
func (g *Generator) count(v int) string { return g.param(strconv.Itoa(v), int64(v)) }

// literal gives a value for a column, from a pool small enough that rows match.
func (g *Generator) literal(column string) string {
	if g.chance(3) && column != "id" && column != "f" {
		return g.param("NULL", nil)
	}
	return g.value(column)
}

// value is a literal that is not NULL.
func (g *Generator) value(column string) string {
	if forms := odd[column]; forms != nil && !g.plain && !g.stored && g.chance(10) {
		return g.pick(forms...)
	}
	switch column {
	case "id":
		switch n := g.r.IntN(24); {
		case g.plain:
		case n == 0:
			return g.text(strconv.Itoa(g.r.IntN(40)))
		case n == 1:
			return g.pick("9223372036854775807", "-9223372036854775808", "1e1", "7.0", "3.5", "'5abc'", "' 6'", "0x07", "b'101'", "TRUE", "-(4)", "+8", "'1e1'", "'7.0'", "9223372036854775808")
		}
		return g.integer(int64(g.r.IntN(60) - 20))
	case "a":
		if !g.plain && g.chance(4) {
			return g.pick("2147483647", "-2147483648", "2.5", "'3'", "1.0", "FALSE")
		}
		return g.integer(int64(g.r.IntN(10) - 3))
	case "b":
		if !g.plain && g.chance(4) {
			return g.pick("18446744073709551615", "9223372036854775808", "'4'", "-1", "1.5")
		}
		return g.integer(int64(g.r.IntN(8)))
	case "c":
		return g.pick(fmt.Sprintf("%d.%03d", g.r.IntN(20)-10, g.r.IntN(1000)), "0.000", "1.5", "-0.001", "999999999.999", g.text("1.50"), g.param("2.5", 2.5), "3", "25e-1")
	case "e", "g":
		return g.pick("0.5", "-1.25", "1e10", "3", g.param("0.5", 0.5), g.param("-1.25", -1.25), "0.1")
	case "s", "k", "tx":
		if g.plain {
			return g.text(g.pick(words...))
		}
		return g.pick(g.text("a"), g.text("A"), g.text("b "), g.text("B"), g.text("é"), g.text("e"), g.text(""), g.text("ß"), g.text("it's"), g.text("zz"), g.text("b"), g.text("12"), "'a' 'b'",
			g.pick(g.mode.strings...))
	case "vb", "bl":
		return g.pick(g.text("a"), g.text("A"), g.text("b "), "x'00ff'", "0x41", g.text("zz"), g.text(""), "b'1100001'", g.text("12"))
	case "dt":
		return g.pick(g.text("2024-01-02 03:04:05.678"), g.text("2024-01-02 03:04:05"), g.text("1999-12-31 23:59:59.999"), g.text("2038-01-19 03:14:08"), g.text("2024-02-29"), "TIMESTAMP '2024-01-02 03:04:05'", "20240102030405")
	case "ts":
		return g.pick(g.text("2024-01-02 03:04:05.67"), g.text("2024-01-02 03:04:05"), g.text("1999-12-31 23:59:59.99"), g.text("2024-10-27 01:30:00"), g.text("2024-10-27 02:30:00"), g.text("2024-02-29"))
	case "y":
		return g.pick(g.text("2024-02-29"), g.text("2023-01-01"), g.text("1000-01-01"), g.text("9999-12-31"), "DATE '2024-01-02'", "20230101")
	case "ti":
		return g.pick(g.text("01:02:03"), g.text("-00:00:01"), g.text("100:00:00"), g.text("00:00:00"), "120000")
	case "yr":
		return g.pick("2024", "1999", "'2000'", "2155")
	case "bi":
		return g.pick("1", "2", "b'11'", "1023", "0")
	case "en":
		return g.pick("'x'", "'y'", "'Z'", "'z'", "1", "3")
	case "se":
		return g.pick("'p'", "'q'", "'p,r'", "''", "5", "'r,p'")
	case "js":
		return g.pick(`'{"a": 1}'`, `'[1, 2]'`, `'"t"'`, `'null'`)
	default:
		return g.integer(int64(g.r.IntN(20) - 5))
	}
}

var words = []string{"a", "A", "b ", "B", "é", "e", "", "ß", "it's", "zz", "b", "12"}

// Row makes the values of a full row with the given key.
func (g *Generator) Row(t *Table, id int) string {
	return g.row(t, id, func(c string) string { return g.literal(c) })
}

func (g *Generator) row(t *Table, id int, value func(column string) string) string {
	g.stored = true
	defer func() { g.stored = false }()
	var out []string
	for _, c := range generatedColumns {
		switch {
		case c.name == "id":
			out = append(out, strconv.Itoa(id))
		case t.isKey(c.name):
			out = append(out, g.keyValue(c.name))
		default:
			out = append(out, value(c.name))
		}
	}
	return "(" + strings.Join(out, ", ") + ")"
}

// keyValue is a value for a balancing field, nearly always written plainly: what only the server can tell is refused there.
func (g *Generator) keyValue(column string) string {
	if !g.plain && g.chance(2) {
		return g.value(column)
	}
	switch column {
	case "c":
		return g.pick(fmt.Sprintf("%d.%03d", g.r.IntN(20)-10, g.r.IntN(1000)), "0.000", "1.5", "-0.001", "999999999.999", "'1.50'", "3", "2.5")
	case "dt", "ts":
		return g.pick("'2024-01-02 03:04:05.67'", "'2024-01-02 03:04:05'", "'1999-12-31 23:59:59.99'", "'2031-01-19 03:14:08'", "'2024-02-29'")
	case "y":
		return g.pick("'2024-02-29'", "'2023-01-01'", "'2024-03-05'", "'2024-03-15'", "'2024-03-25'", "'1999-12-31'")
	case "s", "k", "vb":
		return g.text(g.pick(words...))
	}
	return g.value(column)
}
