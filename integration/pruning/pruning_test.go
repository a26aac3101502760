package pruning_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// conditions are the forms that a column and one or two literals stand in.
var conditions = []string{
	"k = %s", "%s = k", "k <=> %s", "k <> %s", "k < %s", "k <= %s", "k > %s", "k >= %s", "NOT k > %s", "NOT (k <> %s)", "k IN (%s)", "(k) = (%s)", "(k, n) IN ((%s, 1), (%[1]s, 2), (%[1]s, n))",
	"k = %s AND k = %[1]s", "k = %s OR k = 5", "k IN (%s, 5)", "k IN ('5', %s)", "k BETWEEN %s AND %[1]s", "k BETWEEN %s AND 100", "k NOT BETWEEN 1 AND %s", "k IS NULL OR k = %s", "k > %s AND k < 101", "k >= 'a' AND k < %s", "%s",
}

func TestConditionsFindTheirRows(t *testing.T) {
	b := newBench(t, columns())
	lits := literals()
	checked, pruned, found := 0, 0, 0
	for _, c := range columns() {
		tab := b.tables[c.name]
		all := len(tab.Placement.Nodes())
		for _, form := range conditions {
			for _, lit := range lits {
				where := fmt.Sprintf(form, lit)
				rows, err := b.keys(c.name, where)
				if err != nil {
					continue // the server refuses the comparison
				}
				nodes, refused := b.planned("DELETE FROM " + c.name + " WHERE " + where)
				if refused != nil {
					t.Errorf("%s: %s: %v", c.name, where, refused)
					continue
				}
				checked++
				if len(nodes) < all {
					pruned++
				}
				for _, k := range rows {
					found++
					if at := b.stored(tab, k); !nodes[at] {
						t.Errorf("%s WHERE %s finds %q on node %d; planned %v", c.name, where, k.String, at, nodes)
						break
					}
				}
			}
		}
	}
	t.Logf("%d conditions, %d of them pruned, %d rows found", checked, pruned, found)
	if pruned*5 < checked {
		t.Errorf("only %d of %d conditions were pruned", pruned, checked)
	}
}

func (b *bench) keys(table, where string) ([]sql.NullString, error) {
	rows, err := b.conn.QueryContext(context.Background(), "SELECT CAST(k AS CHAR) FROM "+table+" WHERE "+where)
	if strings.HasPrefix(table, "c_var") || strings.HasPrefix(table, "c_bin") || strings.HasPrefix(table, "c_latin") || strings.HasPrefix(table, "c_char") {
		if err == nil {
			rows.Close()
		}
		rows, err = b.conn.QueryContext(context.Background(), "SELECT k FROM "+table+" WHERE "+where)
	}
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

func TestStoredRowsAreWhereTheyWereSent(t *testing.T) {
	b := newBench(t, columns())
	checked, sent, failed := 0, 0, 0
	for _, c := range columns() {
		tab := b.tables[c.name]
		for _, lit := range append(literals(), "DEFAULT") {
			for _, form := range []string{"INSERT INTO %s (k) VALUES (%s)", "INSERT IGNORE INTO %s (k) VALUES (%s)", "REPLACE INTO %s SET k = %s", "INSERT INTO %s (n, k) VALUES (NULL, %s), (NULL, %[2]s)"} {
				statement := fmt.Sprintf(form, c.name, lit)
				checked++
				nodes, refused := b.planned(statement)
				if refused != nil {
					continue
				}
				sent++
				b.exec("BEGIN")
				r, err := b.conn.ExecContext(t.Context(), statement)
				if err != nil {
					failed++
					b.exec("ROLLBACK")
					continue
				}
				id, err := r.LastInsertId()
				if err != nil {
					t.Fatal(err)
				}
				rows, err := b.keys(c.name, fmt.Sprintf("n >= %d", id))
				if err != nil {
					t.Fatal(err)
				}
				for _, k := range rows {
					if at := b.stored(tab, k); !nodes[at] || len(nodes) > 1 {
						t.Errorf("%s stores %q, which belongs on node %d; sent to %v", statement, k.String, at, nodes)
					}
				}
				b.exec("ROLLBACK")
			}
		}
	}
	t.Logf("%d statements, %d of them sent, %d failed on the server as they should", checked, sent, failed)
}
