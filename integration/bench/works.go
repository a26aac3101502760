//go:build linux

package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ballast/sqlfront/wire"
)

// fullRows is the size of the answers of rows_50000 and rows_sorted.
const fullRows = 50_000

// work is something to measure.
type work struct {
	name string
	// tls makes the clients speak TLS.
	tls bool
	// begin readies a connection; may be nil.
	begin func(c *client) error
	// step does one query, or one transaction, or whatever is counted.
	step func(c *client) (rows uint64, err error)
	// sysbench is the script, with its options, that is the load in place of step.
	sysbench []string
	// rows is how many rows a step must give, so that a wrong answer is not measured.
	rows uint64
	// most is the largest number of clients that makes sense.
	most int
}

const pad = "67847967377-48000963322-62604785301-91415491898-96926520291"

// home picks a row on the first server, where Ballast's rules put every fourth, so that all middles use one and the same server: calls that go
// round four servers are dearer for everybody, since each server is asked less often and has to be woken. point_spread goes round.
func (c *client) home() int64 { return int64(4 * (c.random(c.m.rows/4) + 1)) }

// pointStep reads one row by text.
func pointStep(c *client) (uint64, error) {
	c.text = strconv.AppendInt(append(c.text[:0], "SELECT c FROM sbtest WHERE id="...), c.home(), 10)
	return c.query(c.text)
}

// spreadStep reads one row of any server. Where nothing in the middle knows the server, the client does.
func spreadStep(c *client) (uint64, error) {
	id := c.random(c.m.rows) + 1
	to := c
	if len(c.parts) > 0 {
		to = c.parts[id%len(c.parts)]
	}
	to.text = strconv.AppendInt(append(to.text[:0], "SELECT c FROM sbtest WHERE id="...), int64(id), 10)
	return to.query(to.text)
}

var catalogue = []work{
	{name: "point_text", rows: 1, most: 10_000, step: pointStep},
	{name: "point_prepared", rows: 1, most: 1024, begin: func(c *client) error { return c.prepare("SELECT c FROM sbtest WHERE id=?") },
		step: func(c *client) (uint64, error) { return c.execute(uint64(c.home())) }},
	{name: "point_spread", rows: 1, most: 64, begin: openParts, step: spreadStep},
	{name: "point_tls", tls: true, rows: 1, most: 64, step: pointStep},
	{name: "sysbench_point", most: 64, sysbench: []string{"oltp_point_select", "--db-ps-mode=disable"}},
	{name: "sysbench_prepared", most: 64, sysbench: []string{"oltp_point_select", "--db-ps-mode=auto"}},
	{name: "sysbench_update", most: 64, sysbench: []string{"oltp_update_index", "--db-ps-mode=disable"}},
	{name: "insert", most: 64, step: func(c *client) (uint64, error) {
		c.text = strconv.AppendUint(append(c.text[:0], "INSERT INTO sbinsert (id, k, c, pad) VALUES ("...), 4*c.m.nextID.Add(1), 10)
		c.text = append(append(append(c.text, ", 1, '"...), pad...), "', 'x')"...)
		return c.query(c.text)
	}},
	{name: "update", most: 64, step: func(c *client) (uint64, error) {
		c.text = strconv.AppendInt(append(c.text[:0], "UPDATE sbtest SET k=k+1 WHERE id="...), c.home(), 10)
		return c.query(c.text)
	}},
	{name: "txn_4", most: 64, step: func(c *client) (uint64, error) {
		id := c.home()
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
	{name: "mixed_rw", most: 64, step: func(c *client) (uint64, error) {
		id := c.home()
		sql := "SELECT c FROM sbtest WHERE id="
		if c.random(10) == 0 {
			sql = "UPDATE sbtest SET k=k+1 WHERE id="
		}
		c.text = strconv.AppendInt(append(c.text[:0], sql...), id, 10)
		return c.query(c.text)
	}},
	{name: "connect", most: 64, step: func(c *client) (uint64, error) {
		again, err := c.m.login(c.t, false)
		if err != nil {
			return 0, err
		}
		defer again.close()
		if _, err = again.query([]byte("SELECT 1")); err != nil {
			return 0, err
		}
		return 0, again.quit()
	}},
	{name: "scatter_count", most: 64, begin: openParts, step: everywhere("SELECT COUNT(*) FROM sbtest", 1)},
	{name: "scatter_order_limit", most: 64, begin: openParts, step: everywhere("SELECT id, c FROM sbtest ORDER BY k, id LIMIT 10", 10)},
	{name: "rows_50000", rows: fullRows, most: 64, step: func(c *client) (uint64, error) {
		return c.query([]byte("SELECT id, k, c FROM sbrows WHERE owner=4"))
	}},
	{name: "rows_sorted", rows: fullRows, most: 64, step: func(c *client) (uint64, error) {
		return c.query([]byte("SELECT id, k, c FROM sbsorted ORDER BY id"))
	}},
}

// openParts opens connections to all servers where nothing in the middle would choose among them.
func openParts(c *client) error {
	for _, node := range c.m.nodes {
		p, err := login(c.t, node, partDB, nil)
		if err != nil {
			return err
		}
		p.m = c.m
		c.parts = append(c.parts, p)
	}
	return nil
}

// everywhere asks all servers: through Ballast by one statement; without it by one statement to each, all sent before the first answer is
// read, and done when the last answer is there. Each answer has so many rows.
func everywhere(sql string, rows uint64) func(c *client) (uint64, error) {
	text := []byte(sql)
	return func(c *client) (uint64, error) {
		asked := c.parts
		if len(asked) == 0 {
			asked = []*client{c}
		}
		for _, p := range asked {
			p.out = append(append(p.out[:0], 0, 0, 0, 0, byte(wire.ComQuery)), text...)
			if err := p.ask(); err != nil {
				return 0, err
			}
		}
		for _, p := range asked {
			if got, err := p.answer(); err != nil || got != rows {
				return got, errors.Join(err, fmt.Errorf("%d rows in place of %d", got, rows))
			}
		}
		return rows, nil
	}
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
