package merge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/mysql"

	"ballast/router/plan"
	"ballast/sqlfront/wire"
)

// prepared are statements with parameters and some values for them, which reuse one plan. None of the parameters decides the type of a column:
// over several nodes they are written into the text as literals, which are of narrower types than a marker.
var prepared = []struct {
	sql    string
	values [][]any
}{
	{"SELECT id, v + ? FROM t WHERE v > ? ORDER BY id LIMIT ?, ?", [][]any{{1, 0, 2, 5}, {100, -20, 0, 3}, {1, 0, 0, 0}, {1, 0, 55, 100}}},
	{"SELECT g, COUNT(*) FROM t WHERE id > ? GROUP BY g HAVING COUNT(*) > ? AND MAX(v) < ? ORDER BY g", [][]any{{0, 2, 100}, {-100, 9, 19}, {0, 0, 0}}},
	{"SELECT v % ? AS m, SUM(v * ?) FROM t GROUP BY m ORDER BY m LIMIT ?", [][]any{{3, 2, 2}, {5, 1, 10}}},
	{"SELECT COUNT(*), COUNT(DISTINCT g) FROM t WHERE id IN (?, ?)", [][]any{{1, 2}, {1, 5}, {1, 1}, {1000, 1001}}},
	{"SELECT id FROM t WHERE id = ? UNION ALL SELECT id FROM t WHERE id = ? ORDER BY 1", [][]any{{1, 5}, {1, 6}, {9999, 1}}},
	{"SELECT id FROM t WHERE s LIKE ? ORDER BY s, id LIMIT ?", [][]any{{"a%", 3}, {"%", 1}, {"nothing", 2}}},
	{"SELECT ROUND(AVG(v), 1), COALESCE(SUM(d), 0) FROM t WHERE v > ?", [][]any{{5}, {1000}}},
	{"SELECT t.id, j.id FROM t JOIN j ON t.id = j.id WHERE t.id = ? OR t.id = ? ORDER BY t.id", [][]any{{1, 5}, {2, 3}}},
	{"SELECT DISTINCT g + ? FROM t ORDER BY 1", [][]any{{1}, {10}}},
}

func TestPrepared(t *testing.T) {
	b := newBench(t, theTables())
	ctx := context.Background()
	env := *b.env
	env.Funcs = noFuncs{}
	for _, p := range prepared {
		pr, _, err := b.planner.Prepare(ctx, &env, []byte(p.sql))
		if err != nil {
			t.Errorf("%s: %v", p.sql, err)
			continue
		}
		for _, values := range p.values {
			got, tree := b.executePrepared(ctx, &env, pr, values)
			if d := difference(got, b.plainPrepared(p.sql, values), strings.Contains(p.sql, "ORDER BY")); d != "" {
				t.Errorf("%s %v\n%s\n%s", p.sql, values, tree, d)
			}
		}
	}
}

func (b *bench) executePrepared(ctx context.Context, env *plan.Env, pr *plan.Prepared, values []any) (answer, string) {
	var lits []plan.Literal
	for _, v := range values {
		l := plan.Literal{Kind: plan.LitInt, Bare: true, Raw: []byte(fmt.Sprint(v))}
		if _, ok := v.(string); ok {
			l.Kind = plan.LitString
		}
		lits = append(lits, l)
	}
	var a plan.Args
	var bound plan.Bound
	err := pr.BindLiterals(lits, &a)
	if err == nil {
		var pl *plan.Plan
		if pl, err = pr.Plan(ctx, env, &a); err == nil {
			err = pl.Bind(ctx, env, &a, nil, &bound)
		}
	}
	if err != nil {
		return answer{err: err}, ""
	}
	if bound.Single != nil {
		text := pr.Inline(nil, &a, env.Flags)
		if !bound.Single.Verbatim {
			text = bound.Single.SQL
		}
		out := b.direct(bound.Single.Node, string(text), wire.Binary)
		if bound.Single.Verbatim { // forwarded as a prepared statement, markers and all
			plain := b.plainPrepared(string(pr.Text), values)
			out.columns = plain.columns
		}
		return out, "node " + string(text)
	}
	rows, err := bound.Root.Run(ctx, b, wire.Binary)
	if err != nil {
		return answer{err: err}, plan.TreeText(bound.Root)
	}
	out := answer{columns: columnTexts(rows.Columns())}
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			out.err = err
			break
		}
		out.rows = append(out.rows, rowText(rows.Columns(), row, wire.Binary))
	}
	return out, plan.TreeText(bound.Root)
}

// plainPrepared executes on the plain server with real parameters.
func (b *bench) plainPrepared(sql string, values []any) answer {
	st, err := b.conns[nodeCount].Prepare(sql)
	if err != nil {
		return answer{err: err}
	}
	var r *mysql.Result
	r, err = st.Execute(values...)
	if closing := st.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return answer{err: err}
	}
	cols, rows := rawRows(r)
	out := answer{columns: columnTexts(cols)}
	for _, row := range rows {
		out.rows = append(out.rows, rowText(cols, row, wire.Binary))
	}
	return out
}
