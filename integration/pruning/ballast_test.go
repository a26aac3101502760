package pruning_test

import (
	"fmt"
	"strings"
	"testing"

	"ballast/integration/cluster"
)

// TestExecutionsOfOtherTypes executes one statement with arguments of changing types, on connections to the nodes that are shared: no
// execution may change what a later one finds or stores.
func TestExecutionsOfOtherTypes(t *testing.T) {
	ballast := pool.Ballast(t, cluster.Shape{Nodes: 2}, cluster.Size{})
	db, err := ballast.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, s := range []string{
		"DROP DATABASE IF EXISTS ptypes", "CREATE DATABASE ptypes", "USE ptypes",
		"CREATE TABLE t (id BIGINT PRIMARY KEY, s VARCHAR(40)) BALANCE BY (id) MOD 2",
		"INSERT INTO t (id, s) VALUES (9941971237863475, 'odd'), (9941971237863476, 'even')",
	} {
		if _, err := conn.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	find, err := conn.PrepareContext(t.Context(), "SELECT s FROM t WHERE id = ?")
	if err != nil {
		t.Fatal(err)
	}
	defer find.Close()
	set, err := conn.PrepareContext(t.Context(), "INSERT INTO t (id, s) VALUES (?, ?)")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	var got []string
	for i, a := range []any{1.5, int64(9941971237863475), "9941971237863476", 2.5, int64(9941971237863476), "9941971237863475", nil, uint64(9941971237863475), 1e300} {
		rows, err := find.QueryContext(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		found := "none"
		for rows.Next() {
			if err := rows.Scan(&found); err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		got = append(got, found)
		if _, err := set.ExecContext(t.Context(), int64(2*i), a); err != nil {
			t.Fatal(err)
		}
	}
	if s := strings.Join(got, " "); s != "none odd even none even odd none odd none" {
		t.Errorf("found %s", s)
	}
	var stored string
	if err := conn.QueryRowContext(t.Context(), "SELECT s FROM t WHERE id = 4").Scan(&stored); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprint("9941971237863476"); stored != want {
		t.Errorf("stored %s", stored)
	}
}
