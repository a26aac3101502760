//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
)

// The schemas: plainDB holds the tables of the middles without Ballast, whole on one node; partDB holds a share of them on each node, for
// works over all nodes; ballastDB is Ballast's.
const (
	plainDB   = "bench_plain"
	partDB    = "bench_part"
	ballastDB = "bench"
)

// share says which rows of sbtest a server gets: those whose number modulo of is at.
type share struct{ at, of int }

// fillAll fills the tables of all middles.
func (s *scene) fillAll(ctx context.Context, o options) error {
	if slices.ContainsFunc(s.middles, func(m *middle) bool { return m.name != "ballast" }) {
		if err := fill(ctx, s.servers.Nodes[0].Addr(), plainDB, o.rows, share{0, 1}, false); err != nil {
			return fmt.Errorf("fill the plain tables: %w", err)
		}
	}
	if slices.ContainsFunc(s.middles, func(m *middle) bool { return len(m.nodes) > 0 }) {
		for i, n := range s.servers.Nodes {
			if err := fill(ctx, n.Addr(), partDB, o.rows, share{i, len(s.servers.Nodes)}, false); err != nil {
				return fmt.Errorf("fill the tables of the parts: %w", err)
			}
		}
	}
	if s.ballast != nil {
		if err := fill(ctx, s.ballast.Routers[0].Addr, ballastDB, o.rows, share{0, 1}, true); err != nil {
			return fmt.Errorf("fill the tables of Ballast: %w", err)
		}
	}
	return nil
}

// fill makes and fills the tables at one address.
func fill(ctx context.Context, addr, db string, rows int, part share, sharded bool) error {
	return alone(ctx, func(t *task) error {
		if err := makeTables(t, addr, db, sharded); err != nil {
			return err
		}
		c, err := login(t, addr, db, nil)
		if err != nil {
			return err
		}
		defer c.close()
		long := pad + "-" + pad
		if err := insertAll(c, "INSERT INTO sbtest (id, k, c, pad) VALUES ", rows, part, func(b []byte, i int) []byte {
			return fmt.Appendf(b, "(%d, %d, '%s', '%s')", i, i*7919%rows, long, pad)
		}); err != nil || part.of > 1 {
			return err
		}
		if err := insertAll(c, "INSERT INTO sbtest1 (id, k, c, pad) VALUES ", rows, part, func(b []byte, i int) []byte {
			return fmt.Appendf(b, "(%d, %d, '%s', '%s')", i, i*7919%rows, long, pad)
		}); err != nil {
			return err
		}
		if err := insertAll(c, "INSERT INTO sbsorted (id, k, c, pad) VALUES ", fullRows, part, func(b []byte, i int) []byte {
			return fmt.Appendf(b, "(%d, %d, '%s', '%s')", i, i, long, pad)
		}); err != nil {
			return err
		}
		return insertAll(c, "INSERT INTO sbrows (owner, id, k, c, pad) VALUES ", fullRows, part, func(b []byte, i int) []byte {
			return fmt.Appendf(b, "(4, %d, %d, '%s', '%s')", i, i, long, pad)
		})
	})
}

func makeTables(t *task, addr, db string, sharded bool) error {
	c, err := login(t, addr, "", nil)
	if err != nil {
		return err
	}
	defer c.close()
	by := func(column string) string {
		if sharded {
			return " BALANCE BY (" + column + ") MOD 4"
		}
		return ""
	}
	onFirst := by("id") // for sysbench, which takes any row: all of them are on the first node, as those of sbtest that other works read
	if sharded {
		onFirst = " BALANCE BY (id) RANGE 100000000 MOD 4"
	}
	const columns = " k INT NOT NULL DEFAULT 0, c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT ''"
	for _, q := range []string{
		"CREATE DATABASE " + db,
		"CREATE TABLE " + db + ".sbtest (id BIGINT NOT NULL PRIMARY KEY," + columns + ", KEY k_1 (k))" + by("id"),
		"CREATE TABLE " + db + ".sbtest1 (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY," + columns + ", KEY k_1 (k))" + onFirst,
		"CREATE TABLE " + db + ".sbinsert (id BIGINT NOT NULL PRIMARY KEY," + columns + ", KEY k_1 (k))" + by("id"),
		"CREATE TABLE " + db + ".sbsorted (id BIGINT NOT NULL PRIMARY KEY," + columns + ")" + by("id"),
		"CREATE TABLE " + db + ".sbrows (owner INT NOT NULL, id BIGINT NOT NULL," + columns + ", PRIMARY KEY (owner, id))" + by("owner"),
	} {
		if _, err := c.query([]byte(q)); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return nil
}

// insertAll inserts a server's share of the rows 1 to rows, many in a statement.
func insertAll(c *client, head string, rows int, part share, row func(b []byte, i int) []byte) error {
	const batch = 500
	sql := []byte(head)
	for i, n := 1, 0; i <= rows; i++ {
		if i%part.of == part.at {
			if n++; n > 1 {
				sql = append(sql, ',')
			}
			sql = row(sql, i)
		}
		if n == batch || i == rows && n > 0 {
			if _, err := c.query(sql); err != nil {
				return fmt.Errorf("%s…: %w", head, err)
			}
			sql, n = append(sql[:0], head...), 0
		}
	}
	return nil
}
