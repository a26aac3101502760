package pruning_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ballast/rules"
	"ballast/rules/catalog"
)

// twoFields makes a table with two balancing fields and fills it.
func (b *bench) twoFields(name, clause string) *catalog.Table {
	b.t.Helper()
	b.exec("CREATE TABLE " + name + " (n INT AUTO_INCREMENT PRIMARY KEY, a INT NULL, b VARCHAR(10) NOT NULL)")
	for _, a := range []string{"NULL", "0", "1", "-1", "2", "5", "7", "100"} {
		for _, s := range []string{"''", "'a'", "'B'", "'c '", "'5'", "'é'"} {
			b.exec("INSERT INTO " + name + " (a, b) VALUES (" + a + ", " + s + ")")
		}
	}
	c, err := rules.ParseClause(clause)
	if err != nil {
		b.t.Fatal(err)
	}
	return &catalog.Table{
		Name: catalog.Name{Schema: "app", Table: name}, Kind: catalog.Sharded, Shape: 1, Strategy: &c.Strategy,
		Columns: []catalog.Column{
			{Name: "n", Type: "int", DataType: "int", HasDefault: true},
			{Name: "a", Type: "int", DataType: "int", Nullable: true, HasDefault: true, Field: rules.FieldType{Kind: rules.FieldInt, Bits: 32, Nullable: true}},
			{Name: "b", Type: "varchar(10)", DataType: "varchar", Field: rules.FieldType{Kind: rules.FieldString, Length: 10, Collation: "utf8mb4_general_ci"}},
		},
	}
}

// randomCondition makes a condition on a and b.
func randomCondition(r *rand.Rand, depth int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	number := func() string {
		return pick("0", "1", "-1", "2", "5", "7", "100", "3", "5.5", "'5'", "NULL", "1e0", "TRUE", "- 1", "99")
	}
	text := func() string {
		return pick("''", "'a'", "'A'", "'b'", "'C'", "'5'", "'e'", "'é '", "NULL", "5", "x'61'")
	}
	compare := func() string { return pick("=", "=", "=", "<=>", "<>", "<", "<=", ">", ">=") }
	if depth > 0 {
		switch r.IntN(6) {
		case 0, 1:
			return "(" + randomCondition(r, depth-1) + " AND " + randomCondition(r, depth-1) + ")"
		case 2, 3:
			return "(" + randomCondition(r, depth-1) + " OR " + randomCondition(r, depth-1) + ")"
		case 4:
			return "NOT (" + randomCondition(r, depth-1) + ")"
		}
	}
	switch r.IntN(12) {
	case 0, 1:
		return "a " + compare() + " " + number()
	case 2, 3:
		return "b " + compare() + " " + text()
	case 4:
		return number() + " " + compare() + " a"
	case 5:
		return "a" + pick("", " NOT") + " IN (" + number() + ", " + number() + ")"
	case 6:
		return "b" + pick("", " NOT") + " IN (" + text() + ", " + text() + ")"
	case 7:
		return "a" + pick("", " NOT") + " BETWEEN " + number() + " AND " + number()
	case 8:
		return "(a, b) " + pick("=", "<>") + " (" + number() + ", " + text() + ")"
	case 9:
		return "(a, b) IN ((" + number() + ", " + text() + "), (" + number() + ", " + text() + "))"
	case 10:
		return "a IS" + pick("", " NOT") + " NULL"
	}
	return pick("n > 20", "n = 7", "a = n", "a = b", "1", "0", "(a > 1) IS TRUE", "b LIKE 'a%'", "a = 5 XOR b = 'a'", "a = a")
}

func TestRandomConditionsFindTheirRows(t *testing.T) {
	b := newBench(t, nil)
	snap := *b.env.Snapshot
	tables := []*catalog.Table{
		b.twoFields("hashed", "BALANCE BY (a, b) HASH MOD 61"),
		b.twoFields("listed", "BALANCE BY (a, b) LIST ((NULL, 0) (HASH MOD 5), (1, 5) (LIST (('a', 'b'), (''), DEFAULT)), DEFAULT (HASH MOD 7))"),
		b.twoFields("moded", "BALANCE BY (a) LIST ((NULL, -1), (0, 1), DEFAULT (MOD 20))"),
		b.twoFields("ranged", "BALANCE BY (b) RANGE (MINVALUE, 'a', 'b', 'c', MAXVALUE) ON (n0, n1, n2, n3)"),
	}
	snap.Tables = tables
	if err := snap.Compile(); err != nil {
		t.Fatal(err)
	}
	b.env.Snapshot = &snap
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	checked, pruned := 0, 0
	for range 6000 {
		tab := tables[r.IntN(len(tables))]
		where := randomCondition(r, r.IntN(4))
		rows, err := b.conn.QueryContext(context.Background(), "SELECT a, b FROM "+tab.Name.Table+" WHERE "+where)
		if err != nil {
			continue
		}
		nodes, refused := b.planned("DELETE FROM " + tab.Name.Table + " WHERE " + where)
		if refused != nil {
			t.Errorf("seed %d: %s: %v", seed, where, refused)
		}
		checked++
		if len(nodes) < len(tab.Placement.Nodes()) {
			pruned++
		}
		for rows.Next() {
			var a sql.NullInt64
			var s string
			if err := rows.Scan(&a, &s); err != nil {
				t.Fatal(err)
			}
			key := []rules.Value{{Kind: rules.Null}, {Kind: rules.Bytes, S: s}}
			if a.Valid {
				key[0] = rules.Value{Kind: rules.Int, I: a.Int64}
			}
			switch strings.Join(tab.Strategy.By, ",") {
			case "a":
				key = key[:1]
			case "b":
				key = key[1:]
			}
			at, err := tab.Placement.Node(key)
			if err != nil {
				t.Fatalf("%s: %v: %v", tab.Name, key, err)
			}
			if !nodes[at] {
				t.Errorf("seed %d: %s WHERE %s finds (%s, %q) on node %d; planned %v", seed, tab.Name.Table, where, fmt.Sprint(a), s, at, nodes)
				break
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			break
		}
	}
	t.Logf("%d conditions, %d of them pruned", checked, pruned)
}
