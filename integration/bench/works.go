package main

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
)

// fullRows is the size of the answer of rows_50000.
const fullRows = 50_000

// work is something to measure.
type work struct {
	name string
	// begin readies a connection; may be nil.
	begin func(c *client) error
	// step does one query, or one transaction, or whatever is counted.
	step func(c *client, w *world) (rows uint64, err error)
	// rows is how many rows a step must give, so that a wrong answer is not measured.
	rows uint64
}

// world is what the works of one middle share.
type world struct {
	rows   int           // in the table sbtest
	nextID atomic.Uint64 // for inserts
}

const pad = "67847967377-48000963322-62604785301-91415491898-96926520291"

var catalogue = []work{
	{name: "point_text", rows: 1, step: func(c *client, w *world) (uint64, error) {
		c.text = strconv.AppendInt(append(c.text[:0], "SELECT c FROM sbtest WHERE id="...), int64(c.random(w.rows)+1), 10)
		return c.query(c.text)
	}},
	{name: "point_prepared", rows: 1, begin: func(c *client) error { return c.prepare("SELECT c FROM sbtest WHERE id=?") },
		step: func(c *client, w *world) (uint64, error) { return c.execute(uint64(c.random(w.rows) + 1)) }},
	{name: "insert", step: func(c *client, w *world) (uint64, error) {
		c.text = strconv.AppendUint(append(c.text[:0], "INSERT INTO sbinsert (id, k, c, pad) VALUES ("...), w.nextID.Add(1), 10)
		c.text = append(append(append(c.text, ", 1, '"...), pad...), "', 'x')"...)
		return c.query(c.text)
	}},
	{name: "update", step: func(c *client, w *world) (uint64, error) {
		c.text = strconv.AppendInt(append(c.text[:0], "UPDATE sbtest SET k=k+1 WHERE id="...), int64(c.random(w.rows)+1), 10)
		return c.query(c.text)
	}},
	{name: "txn_4", step: func(c *client, w *world) (uint64, error) {
		id := int64(c.random(w.rows) + 1)
		for i, part := range []string{"BEGIN", "SELECT c FROM sbtest WHERE id=", "UPDATE sbtest SET k=k+1 WHERE id=", "COMMIT"} {
			c.text = append(c.text[:0], part...)
			if i == 1 || i == 2 {
				c.text = strconv.AppendInt(c.text, id, 10)
			}
			if _, err := c.query(c.text); err != nil {
				return 0, err
			}
		}
		return 0, nil
	}},
	{name: "scatter_count", rows: 1, step: func(c *client, _ *world) (uint64, error) {
		return c.query([]byte("SELECT COUNT(*) FROM sbtest"))
	}},
	{name: "scatter_order_limit", rows: 10, step: func(c *client, _ *world) (uint64, error) {
		return c.query([]byte("SELECT id, c FROM sbtest ORDER BY k, id LIMIT 10"))
	}},
	{name: "rows_50000", rows: fullRows, step: func(c *client, _ *world) (uint64, error) {
		return c.query([]byte("SELECT id, k, c FROM sbrows WHERE owner=1"))
	}},
	{name: "mixed_rw", step: func(c *client, w *world) (uint64, error) {
		id := int64(c.random(w.rows) + 1)
		sql := "SELECT c FROM sbtest WHERE id="
		if c.random(10) == 0 {
			sql = "UPDATE sbtest SET k=k+1 WHERE id="
		}
		c.text = strconv.AppendInt(append(c.text[:0], sql...), id, 10)
		return c.query(c.text)
	}},
	{name: "connect", step: func(c *client, _ *world) (uint64, error) {
		again, err := login(c.conn.RemoteAddr().String(), c.db)
		if err != nil {
			return 0, err
		}
		defer again.close()
		_, err = again.query([]byte("SELECT 1"))
		return 0, err
	}},
}

// findWorks gives the works of a list of names.
func findWorks(list string) ([]work, error) {
	if list == "all" {
		return catalogue, nil
	}
	var out []work
next:
	for _, name := range strings.Split(list, ",") {
		for _, w := range catalogue {
			if w.name == name {
				out = append(out, w)
				continue next
			}
		}
		var names []string
		for _, w := range catalogue {
			names = append(names, w.name)
		}
		return nil, fmt.Errorf("there is no work %q; there are %s", name, strings.Join(names, ", "))
	}
	return out, nil
}
