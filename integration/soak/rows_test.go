//go:build linux

package soak

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// schema and the tables in it: known holds rows that never change, 11 MB of them, more than sockets hold on the way; pairs holds rows that are written two by two, big takes big statements.
const (
	schema    = "soak"
	knownRows = 20_000
)

// content is what the known row of a number holds.
func content(id int) string {
	return strings.Repeat(fmt.Sprintf("%08x.", uint32(id)*2654435761), 60)
}

// prepare makes the tables.
func prepare(ctx context.Context, db *sql.DB) error {
	for _, q := range []string{
		"DROP DATABASE IF EXISTS " + schema, "CREATE DATABASE " + schema,
		"CREATE TABLE soak.known (id BIGINT PRIMARY KEY, v INT NOT NULL, pad VARCHAR(600) NOT NULL) BALANCE BY (id) MOD 4",
		"CREATE TABLE soak.pairs (id BIGINT PRIMARY KEY, other BIGINT NOT NULL) BALANCE BY (id) MOD 4",
		"CREATE TABLE soak.big (id BIGINT PRIMARY KEY, body LONGTEXT NOT NULL) BALANCE BY (id) MOD 4",
	} {
		if _, err := db.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	const batch = 500
	for from := 0; from < knownRows; from += batch {
		var b strings.Builder
		b.WriteString("INSERT INTO soak.known VALUES ")
		for id := from; id < from+batch; id++ {
			if id > from {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "(%d,%d,'%s')", id, id%97, content(id))
		}
		if _, err := db.ExecContext(ctx, b.String()); err != nil {
			return fmt.Errorf("fill soak.known: %w", err)
		}
	}
	return nil
}

// readKnown reads rows (id, v, pad) to their end, or until most of them, and checks each; the ids must be from, from+step …
func readKnown(rows *sql.Rows, from, step, most int) (n int, err error) {
	for n < most && rows.Next() {
		var id, v int
		var pad string
		if err := rows.Scan(&id, &v, &pad); err != nil {
			return n, err
		}
		if want := from + n*step; id != want || v != id%97 || pad != content(id) {
			return n, fmt.Errorf("wrong row: id %d (want %d), v %d, pad %.20q", id, want, v, pad)
		}
		n++
	}
	return n, rows.Err()
}

// readAll runs a query over the known rows and checks all of its answer.
func readAll(ctx context.Context, conn *sql.Conn, query string, from, step, want int, args ...any) error {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { quiet(rows.Close()) }()
	n, err := readKnown(rows, from, step, want+1)
	if err == nil && n != want {
		err = fmt.Errorf("%s: %d rows in place of %d", query, n, want)
	}
	return err
}

// checkPairs looks that of the rows written two by two all that were committed are there, and none alone.
func checkPairs(ctx context.Context, db *sql.DB, committed map[int64]bool) error {
	rows, err := db.QueryContext(ctx, "SELECT id, other FROM soak.pairs")
	if err != nil {
		return err
	}
	defer func() { quiet(rows.Close()) }()
	there := map[int64]int64{}
	for rows.Next() {
		var id, other int64
		if err := rows.Scan(&id, &other); err != nil {
			return err
		}
		there[id] = other
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for id, other := range there {
		if back, ok := there[other]; !ok || back != id {
			return fmt.Errorf("row %d is there without its other half %d", id, other)
		}
	}
	for id := range committed {
		if _, ok := there[id]; !ok {
			return fmt.Errorf("row %d was committed and is not there", id)
		}
	}
	return nil
}
