package rules_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"ballast/dbserver"
	"ballast/integration/cluster"
	"ballast/rules"
	"ballast/rules/rulestest"
)

// The size of the run: rows per type, strategies per type and of two fields.
const (
	rowsPerType       = 150
	strategiesPerType = 40
	strategiesOfTwo   = 120
	nodeCount         = 4
)

// TestPredicatesEqualEvaluator is I1: for every row of a live table the Go evaluator and the nodes' SQL predicates must name the same node.
func TestPredicatesEqualEvaluator(t *testing.T) {
	s := pool.Servers(t, cluster.Shape{Nodes: 1})
	t.Logf("%s, seed %d", s.Flavour, *seed)
	c := rand.New(rand.NewPCG(*seed, 1))
	conn := connection(t, s.Nodes[0].DB)
	run(t, conn, "CREATE DATABASE predicates")
	tables := map[string]*table{}
	names := typeNames(s.Flavour)
	for _, name := range names {
		tables[name] = newTable(t, conn, c, fmt.Sprintf("one%d", len(tables)), name)
		t.Run(name, func(t *testing.T) { tables[name].check(t, conn, c, strategiesPerType) })
	}
	t.Run("two fields", func(t *testing.T) {
		for i := range 8 {
			two := newTable(t, conn, c, fmt.Sprintf("two%d", i), names[c.IntN(len(names))], names[c.IntN(len(names))])
			two.check(t, conn, c, strategiesOfTwo/8)
		}
	})
}

// typeNames gives the column definitions that the server knows.
func typeNames(flavour dbserver.Flavour) []string {
	var names []string
	for name := range rulestest.Types() {
		if flavour == dbserver.MySQL || !strings.Contains(name, "_0900_") {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

func connection(t *testing.T, db *sql.DB) *sql.Conn {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // what the test set in the session must not reach the pool
		if err := conn.Raw(func(any) error { return driver.ErrBadConn }); !errors.Is(err, driver.ErrBadConn) {
			t.Error(err)
		}
		if err := conn.Close(); err != nil && !errors.Is(err, sql.ErrConnDone) {
			t.Error(err)
		}
	})
	return conn
}

func run(t *testing.T, conn *sql.Conn, query string) {
	t.Helper()
	if _, err := conn.ExecContext(t.Context(), query); err != nil {
		t.Fatalf("%.1000s: %v", query, err)
	}
}

// each runs a query and does something with every row that was read into the variables.
func each(t *testing.T, conn *sql.Conn, query string, into []any, do func()) {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%.1000s: %v", query, err)
	}
	defer func() {
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Error(err)
		}
	}()
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		do()
	}
}

// table is a table on the server, with its rows' keys as Go sees them.
type table struct {
	name  string
	defs  []string
	types []rules.FieldType
	keys  [][]rules.Value // by id
}

func newTable(t *testing.T, conn *sql.Conn, c *rand.Rand, name string, defs ...string) *table {
	t.Helper()
	tab := &table{name: "predicates." + name, defs: defs}
	var columns, read []string
	for i, def := range defs {
		typ := rulestest.Types()[def]
		tab.types = append(tab.types, typ)
		columns = append(columns, fmt.Sprintf("k%d %s", i, columnSQL(def)))
		read = append(read, readSQL(typ, fmt.Sprintf("k%d", i)))
	}
	run(t, conn, "SET NAMES utf8mb4")
	run(t, conn, "SET time_zone = '+00:00', sql_mode = ''")
	run(t, conn, "CREATE TABLE "+tab.name+" (id INT PRIMARY KEY, "+strings.Join(columns, ", ")+")")
	var rows []string
	for id := range rowsPerType {
		row := []string{fmt.Sprint(id)}
		for _, typ := range tab.types {
			row = append(row, valueSQL(c, typ))
		}
		rows = append(rows, "("+strings.Join(row, ", ")+")")
	}
	run(t, conn, "INSERT INTO "+tab.name+" VALUES "+strings.Join(rows, ", "))
	tab.read(t, conn, "SELECT "+strings.Join(read, ", ")+" FROM "+tab.name+" ORDER BY id")
	return tab
}

// columnSQL adds the character set to a definition with a collation, since the table's own may be another.
func columnSQL(def string) string {
	before, collation, ok := strings.Cut(def, " COLLATE ")
	if !ok {
		return def
	}
	charset, _, _ := strings.Cut(collation, "_")
	return before + " CHARACTER SET " + charset + " COLLATE " + collation
}

// valueSQL makes a value to insert.
func valueSQL(c *rand.Rand, typ rules.FieldType) string {
	if typ.Nullable && c.IntN(12) == 0 {
		return "NULL"
	}
	text := typ.Text(rulestest.Value(c, typ))
	switch typ.Kind {
	case rules.FieldString:
		return fmt.Sprintf("_utf8mb4 X'%X'", text)
	case rules.FieldBinary:
		return fmt.Sprintf("X'%X'", text)
	}
	return "'" + text + "'"
}

// readSQL reads a column as text that FieldType.Parse takes.
func readSQL(typ rules.FieldType, col string) string {
	switch typ.Kind {
	case rules.FieldString:
		return "HEX(CONVERT(" + col + " USING utf8mb4))"
	case rules.FieldBinary:
		return "HEX(" + col + ")"
	}
	return "CAST(" + col + " AS CHAR)"
}

// read takes the rows back from the server: they may have been cut or padded.
func (tab *table) read(t *testing.T, conn *sql.Conn, query string) {
	t.Helper()
	texts := make([]sql.NullString, len(tab.types))
	into := make([]any, len(texts))
	for i := range texts {
		into[i] = &texts[i]
	}
	each(t, conn, query, into, func() {
		key := make([]rules.Value, len(texts))
		for i, text := range texts {
			if text.Valid {
				key[i] = parse(t, tab.types[i], text.String)
			}
		}
		tab.keys = append(tab.keys, key)
	})
}

func parse(t *testing.T, typ rules.FieldType, text string) rules.Value {
	t.Helper()
	if typ.Kind == rules.FieldString || typ.Kind == rules.FieldBinary {
		raw, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		text = string(raw)
	}
	v, ok := typ.Parse(text)
	if !ok {
		t.Fatalf("%q is no value of %+v", text, typ)
	}
	return v
}

// check runs strategies over the table.
func (tab *table) check(t *testing.T, conn *sql.Conn, c *rand.Rand, strategies int) {
	t.Helper()
	done, tries := 0, 0
	for ; done < strategies && tries < 200*strategies; tries++ {
		s := rulestest.Strategy(c, tab.types, nodeCount)
		p, err := rules.Compile(s, tab.types, rulestest.Nodes(nodeCount))
		if err != nil {
			continue
		}
		tab.strangeSession(t, conn, c)
		tab.compare(t, conn, p)
		done++
		if t.Failed() {
			t.FailNow()
		}
	}
	if done < strategies/2 {
		t.Errorf("only %d of %d strategies compiled", done, tries)
	}
}

// strangeSession sets what predicates must not depend on.
func (tab *table) strangeSession(t *testing.T, conn *sql.Conn, c *rand.Rand) {
	t.Helper()
	zones := []string{"+00:00", "+05:30", "-11:00", "Europe/Berlin", "America/New_York"}
	modes := []string{"", "ANSI_QUOTES,PIPES_AS_CONCAT", "NO_BACKSLASH_ESCAPES", "STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO", "IGNORE_SPACE,HIGH_NOT_PRECEDENCE", "TRADITIONAL,ANSI"}
	names := []string{"utf8mb4 COLLATE utf8mb4_general_ci", "latin1", "utf8mb3 COLLATE utf8mb3_bin", "binary", "ascii"}
	run(t, conn, "SET NAMES "+names[c.IntN(len(names))])
	run(t, conn, "SET time_zone = '"+zones[c.IntN(len(zones))]+"', sql_mode = '"+modes[c.IntN(len(modes))]+"'")
	if c.IntN(5) == 0 {
		run(t, conn, "SET collation_connection = utf16_general_ci")
	}
}

// compare asks the server for the rows of each node.
func (tab *table) compare(t *testing.T, conn *sql.Conn, p *rules.Placement) {
	t.Helper()
	got := make([]int, len(tab.keys))
	for i := range got {
		got[i] = rules.NoPlace
	}
	clause := p.Strategy().SQL()
	used := map[int]bool{}
	for _, n := range p.Nodes() {
		used[n] = true
	}
	for node := range nodeCount {
		predicate := p.Predicate(node, func(field int) string { return fmt.Sprintf("k%d", field) })
		ids, err := rowsWhere(t.Context(), conn, tab.name, predicate)
		if err != nil {
			t.Errorf("%v: %s\nnode %d: %.2000s\n%v", tab.defs, clause, node, predicate, err)
			return
		}
		for _, id := range ids {
			if got[id] != rules.NoPlace {
				t.Errorf("%v: %s\nrow %d %v is on node %d and on node %d: %.2000s", tab.defs, clause, id, tab.keys[id], got[id], node, predicate)
				return
			}
			got[id] = node
		}
	}
	for id, key := range tab.keys {
		want, err := p.Node(key)
		if err != nil && !rules.NoPlaceError(err) {
			t.Errorf("%v: %s\nrow %d %v: %v", tab.defs, clause, id, key, err)
			return
		}
		if want != rules.NoPlace && !used[want] {
			t.Errorf("%v: %s\nrow %d %v is on node %d, which Nodes leaves out", tab.defs, clause, id, key, want)
			return
		}
		if got[id] != want {
			predicate := p.Predicate(max(want, got[id]), func(field int) string { return fmt.Sprintf("k%d", field) })
			t.Errorf("%v: %s\nrow %d %v: Go says node %d, SQL says node %d\n%s\n%.2000s", tab.defs, clause, id, key, want, got[id], p.Explain(key), predicate)
			return
		}
	}
}

func rowsWhere(ctx context.Context, conn *sql.Conn, table, predicate string) (ids []int, err error) {
	rows, err := conn.QueryContext(ctx, "SELECT id FROM "+table+" WHERE "+predicate)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
