package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-mysql-org/go-mysql/mysql"

	"ballast/router/engine"
	"ballast/router/plan"
	"ballast/rules/failure"
	"ballast/sqlfront/wire"
)

// answer is what a statement came to.
type answer struct {
	columns []string
	rows    []string
	err     error
}

// noFuncs answers for a session that has nothing.
type noFuncs struct{}

func (noFuncs) SessionValue(f plan.SessionFunc) plan.Literal {
	if f == plan.FuncNow {
		return plan.Literal{Kind: plan.LitDecimal, Bare: true, Raw: []byte("1800000000.123456")}
	}
	return plan.Literal{Kind: plan.LitNull, Bare: true}
}
func (noFuncs) UserVar(string) plan.Literal { return plan.Literal{Kind: plan.LitNull, Bare: true} }

// spread runs the statement through planner and engine; the tree's text comes along for messages.
func (b *bench) spread(sql string, f wire.Format) (answer, string) {
	ctx := context.Background()
	env := *b.env
	env.Funcs = noFuncs{}
	var a plan.Args
	var bound plan.Bound
	pl, err := b.planner.Plan(ctx, &env, []byte(sql), 0, &a)
	if err == nil {
		err = pl.Bind(ctx, &env, &a, nil, &bound)
	}
	if err != nil {
		return answer{err: err}, ""
	}
	if bound.Single != nil {
		text := sql
		if !bound.Single.Verbatim {
			text = string(bound.Single.SQL)
		}
		return b.direct(bound.Single.Node, text, f), fmt.Sprintf("node %d %s", bound.Single.Node, text)
	}
	tree := plan.TreeText(bound.Root)
	rows, err := bound.Root.Run(ctx, b, f)
	if err != nil {
		return answer{err: err}, tree
	}
	out := answer{columns: columnTexts(rows.Columns())}
	for {
		row, err := rows.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			out.err = err
			break
		}
		out.rows = append(out.rows, rowText(rows.Columns(), row, f))
	}
	if err := rows.Close(); err != nil {
		out.err = errors.Join(out.err, err)
	}
	return out, tree
}

// direct runs the statement on one connection.
func (b *bench) direct(conn int, sql string, f wire.Format) answer {
	cols, rows, err := b.query(conn, sql, f)
	out := answer{err: err, columns: columnTexts(cols)}
	for _, r := range rows {
		out.rows = append(out.rows, rowText(cols, r, f))
	}
	return out
}

// columnTexts gives what must be equal of columns. INT and BIGINT, CHAR and VARCHAR, and the decimals of strings, depend on whether the server happened to use a
// temporary table for the same expression.
func columnTexts(cols []wire.Column) []string {
	var out []string
	for _, c := range cols {
		switch c.Type {
		case wire.TypeLong:
			c.Type = wire.TypeLongLong
		case wire.TypeVarString, wire.TypeString:
			c.Type, c.Decimals = wire.TypeVarString, 0
		}
		out = append(out, fmt.Sprintf("%s:%d/%d/%v", c.Name, c.Type, c.Decimals, c.Flags&wire.FlagUnsigned != 0))
	}
	return out
}

// rowText decodes a row with another implementation than ours.
func rowText(cols []wire.Column, row []byte, f wire.Format) string {
	var fields []*mysql.Field
	for _, c := range cols {
		fields = append(fields, &mysql.Field{Name: []byte(c.Name), Type: byte(c.Type), Flag: c.Flags, Charset: c.Charset, Decimal: c.Decimals})
	}
	values, err := mysql.RowData(row).Parse(fields, f == wire.Binary, nil)
	if err != nil {
		return err.Error()
	}
	var out []string
	for i, v := range values {
		switch x := v.Value().(type) {
		case nil:
			out = append(out, "NULL")
		case []byte:
			if cols[i].Type == wire.TypeNewDecimal && bytes.IndexByte(x, '.') >= 0 {
				x = bytes.TrimRight(bytes.TrimRight(x, "0"), ".") // how many zeros end a computed decimal depends on temporary tables, too
			}
			out = append(out, fmt.Sprintf("%q", x))
		default:
			out = append(out, fmt.Sprint(x))
		}
	}
	return strings.Join(out, "|")
}

// refused says whether the answer is one of our refusals, rather than the server's error.
func (a answer) refused() bool {
	var f *failure.Error
	return errors.As(a.err, &f) && f.Kind.Number == 1235
}

// difference says how two answers differ; "" if they don't.
func difference(got, want answer, ordered bool) string {
	if got.err != nil || want.err != nil {
		if number(got.err) != number(want.err) {
			return fmt.Sprintf("error %v, plain server %v", got.err, want.err)
		}
		return ""
	}
	if !slices.Equal(got.columns, want.columns) {
		return fmt.Sprintf("columns %v, plain server %v", got.columns, want.columns)
	}
	g, w := slices.Clone(got.rows), slices.Clone(want.rows)
	if !ordered {
		slices.Sort(g)
		slices.Sort(w)
	}
	if !slices.Equal(g, w) {
		at := 0
		for at < len(g) && at < len(w) && g[at] == w[at] {
			at++
		}
		return fmt.Sprintf("row %d of %d on\n  %s\nplain server, of %d\n  %s", at+1, len(g), shortened(g[at:]), len(w), shortened(w[at:]))
	}
	return ""
}

// shortened prints the first rows.
func shortened(rows []string) string { return strings.Join(rows[:min(len(rows), 15)], "\n  ") }

func number(err error) int {
	var my *mysql.MyError
	var f *failure.Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &my):
		return int(my.Code)
	case errors.As(err, &f):
		return int(f.Kind.Number)
	}
	return -1
}

var _ engine.Shards = (*bench)(nil)
