package pruning_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"ballast/router/plan"
	"ballast/sqlfront/wire"
)

// arguments are what a driver sends as parameters.
func arguments() []any {
	out := []any{nil, 0.0, 5.0, 5.5, -0.5, 1e30, 9007199254740993.0, []byte("abc"), []byte{5}, []byte{0xa1}, []byte("5")}
	for _, i := range []int64{0, 1, -1, 5, -5, 6, 65, 100, 101, 127, 128, -129, 2024, 24, 20240105, 9007199254740993, 9941971237863475, math.MaxInt64, math.MinInt64} {
		out = append(out, i)
	}
	out = append(out, uint64(math.MaxUint64), uint64(1<<63))
	for _, l := range literals() {
		if strings.HasPrefix(l, "'") && !strings.Contains(l, "\\") && !strings.Contains(l, "+") {
			out = append(out, strings.ReplaceAll(strings.Trim(l, "'"), "''", "'"))
		}
	}
	return out
}

// param is an argument as the Go driver sends it.
func param(a any) wire.Param {
	switch a := a.(type) {
	case int64:
		return wire.Param{Type: 8, Value: binary.LittleEndian.AppendUint64(nil, uint64(a))}
	case uint64:
		return wire.Param{Type: 8, Unsigned: true, Value: binary.LittleEndian.AppendUint64(nil, a)}
	case float64:
		return wire.Param{Type: 5, Value: binary.LittleEndian.AppendUint64(nil, math.Float64bits(a))}
	case string:
		return wire.Param{Type: 254, Value: []byte(a)}
	case []byte:
		return wire.Param{Type: 254, Value: a}
	}
	return wire.Param{Type: 6, Null: true}
}

// plannedPrepared gives the nodes that the planner names for an execution.
func (b *bench) plannedPrepared(statement string, args []any) (nodes map[int]bool, refused error) {
	pr, p, err := b.planner.Prepare(context.Background(), b.env, []byte(statement))
	if err != nil {
		return nil, err
	}
	params := make([]wire.Param, len(args))
	for i := range args {
		params[i] = param(args[i])
	}
	var a plan.Args
	var out plan.Bound
	if err := pr.Bind(params, &a); err != nil {
		return nil, err
	}
	if p, err = pr.Plan(context.Background(), b.env, &a); err != nil {
		return nil, err
	}
	if err := p.Bind(context.Background(), b.env, &a, nil, &out); err != nil {
		return nil, err
	}
	return nodesOf(&out), nil
}

func TestPreparedConditionsFindTheirRows(t *testing.T) {
	b := newBench(t, columns())
	checked, found := 0, 0
	for _, c := range columns() {
		tab := b.tables[c.name]
		list := "CAST(k AS CHAR)"
		if tab.Columns[1].Field.Collation != "" || strings.Contains(c.name, "binary") {
			list = "k"
		}
		for _, where := range []string{"k = ?", "? = k", "k <=> ?", "k < ?", "k >= ?", "NOT k > ?", "k IN (?, 5)", "k IN (?, '5')", "k IN (?, ?)", "(k, n) IN ((?, 1), (5, n))", "k BETWEEN ? AND ?", "k = -?", "k = ? + 0"} {
			statements := map[string]*sql.Stmt{}
			for _, arg := range arguments() {
				st := b.statement(statements, "SELECT "+list+" FROM "+c.name+" WHERE "+where, arg)
				args := []any{arg, arg}[:strings.Count(where, "?")]
				rows, err := readKeys(st, args)
				if err != nil {
					continue
				}
				nodes, refused := b.plannedPrepared("DELETE FROM "+c.name+" WHERE "+where, args)
				if refused != nil {
					t.Errorf("%s: %s with %v: %v", c.name, where, arg, refused)
					continue
				}
				checked++
				for _, k := range rows {
					found++
					if at := b.stored(tab, k); !nodes[at] {
						t.Errorf("%s WHERE %s with %T %v finds %q on node %d; planned %v", c.name, where, arg, arg, k.String, at, nodes)
						break
					}
				}
			}
			for _, st := range statements {
				if err := st.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("%d executions, %d rows found", checked, found)
}

// statement gives a prepared statement that was executed with arguments of one type only: MySQL keeps the types of the first execution
// and bends later arguments to them, so a router must not share a statement between executions of different types.
func (b *bench) statement(have map[string]*sql.Stmt, text string, arg any) *sql.Stmt {
	b.t.Helper()
	key := fmt.Sprintf("%T", arg)
	if have[key] == nil {
		st, err := b.conn.PrepareContext(b.t.Context(), text)
		if err != nil {
			b.t.Fatal(err)
		}
		have[key] = st
	}
	return have[key]
}

func readKeys(st *sql.Stmt, args []any) ([]sql.NullString, error) {
	rows, err := st.QueryContext(context.Background(), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []sql.NullString
	for rows.Next() {
		var k sql.NullString
		if err := rows.Scan(&k); err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, rows.Err()
}

func TestPreparedRowsAreWhereTheyWereSent(t *testing.T) {
	b := newBench(t, columns())
	checked, sent := 0, 0
	for _, c := range columns() {
		tab := b.tables[c.name]
		for _, form := range []string{"INSERT INTO %s (k) VALUES (?)", "INSERT IGNORE INTO %s (k) VALUES (?)", "INSERT INTO %s (n, k) VALUES (NULL, ?), (NULL, ?)"} {
			statement := fmt.Sprintf(form, c.name)
			for _, arg := range arguments() {
				args := []any{arg, arg}[:strings.Count(form, "?")]
				checked++
				nodes, refused := b.plannedPrepared(statement, args)
				if refused != nil {
					continue
				}
				sent++
				b.exec("BEGIN")
				st, err := b.conn.PrepareContext(t.Context(), statement)
				if err != nil {
					t.Fatal(err)
				}
				r, err := st.ExecContext(t.Context(), args...)
				if err == nil {
					id, idErr := r.LastInsertId()
					if idErr != nil {
						t.Fatal(idErr)
					}
					rows, keysErr := b.keys(c.name, fmt.Sprintf("n >= %d", id))
					if keysErr != nil {
						t.Fatal(keysErr)
					}
					for _, k := range rows {
						if at := b.stored(tab, k); !nodes[at] || len(nodes) > 1 {
							t.Errorf("%s with %T %v stores %q, which belongs on node %d; sent to %v", statement, arg, arg, k.String, at, nodes)
						}
					}
				}
				if err := st.Close(); err != nil {
					t.Fatal(err)
				}
				b.exec("ROLLBACK")
			}
		}
	}
	t.Logf("%d executions, %d of them sent", checked, sent)
}
