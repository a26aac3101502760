package integration

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"ballast/integration/cluster"
)

// TestHotPath holds what a statement for one node costs against what does not depend on the machine's mood: the router's own counts of
// allocations, and of system calls where event loops serve the clients.
func TestHotPath(t *testing.T) {
	b := startBallast(t)
	c := connect(t, b, func(c *mysql.Config) { c.InterpolateParams = true })
	c.must("CREATE DATABASE hot")
	c.must("USE hot")
	c.must("CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL, s VARCHAR(60) NOT NULL DEFAULT 'x') BALANCE BY (id) MOD 4")
	c.must("CREATE TABLE n (id BIGINT AUTO_INCREMENT PRIMARY KEY, v INT)")
	for i := range 100 {
		c.must(fmt.Sprintf("INSERT INTO t (id, v) VALUES (%d, %d)", i, i))
	}
	prepared, err := c.conn.PrepareContext(t.Context(), "SELECT s FROM t WHERE id = ?")
	if err != nil {
		t.Fatal(err)
	}
	defer prepared.Close()
	read := func(i int) {
		rows, err := prepared.QueryContext(t.Context(), i%100)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rows.Next() {
			n++
		}
		if err := rows.Err(); err != nil || n != 1 {
			t.Fatal(n, err)
		}
	}
	const shapes = 300 // of point selects, each with a digest of its own
	point := func(i int) {
		if got := c.rows(fmt.Sprintf("SELECT v AS c%d FROM t WHERE id = %d", i%shapes, i%100)); !strings.Contains(got, strconv.Itoa(i%100)) {
			t.Fatal(i, got)
		}
	}
	works := []struct {
		name   string
		count  int
		allocs float64 // of each statement where goroutines serve the clients; on loops there are none
		run    func(i int)
	}{
		{"point selects", 10_000, 2, point},
		{"prepared selects", 10_000, 3, read},
		{"updates", 10_000, 3, func(i int) { c.must(fmt.Sprintf("UPDATE t SET v = v WHERE id = %d", i%100)) }},
		{"numbered inserts", 10_000, 7, func(i int) { c.must(fmt.Sprintf("INSERT INTO n (v) VALUES (%d)", i)) }},
	}
	onLoops := os.Getenv("BALLAST_IO") != "goroutine"
	const noise = 8000 // allocations beside the statements in the time of a work: a page of metrics, the health of nodes
	for _, w := range works {
		for i := range 2 * shapes { // what is made once
			w.run(i)
		}
		_ = routerCounts(t, b) // and what the page of metrics makes once
		first := routerCounts(t, b)
		from := routerCounts(t, b)
		for i := range w.count {
			w.run(i)
		}
		to := routerCounts(t, b)
		page := from["go_memstats_mallocs_total"] - first["go_memstats_mallocs_total"] // one page of metrics
		per := func(name string) float64 { return (to[name] - from[name]) / float64(w.count) }
		allocs := (to["go_memstats_mallocs_total"] - from["go_memstats_mallocs_total"] - page) / float64(w.count)
		reads, writes, events := per("ballast_loop_reads_total"), per("ballast_loop_writes_total"), per("ballast_loop_events_total")
		t.Logf("%s: %.3f allocations, %.3f reads, %.3f writes, %.3f events", w.name, allocs, reads, writes, events)
		most := noise / float64(w.count)
		if !onLoops {
			most += w.allocs
		}
		if allocs > most {
			t.Errorf("%s: %.3f allocations each, at most %.1f", w.name, allocs, most)
		}
		if !onLoops {
			continue // the kernel is called elsewhere
		}
		for name, v := range map[string]float64{"reads": reads, "writes": writes, "events": events} {
			if v < 1.9 || v > 2.1 {
				t.Errorf("%s: %.3f %s each, should be 2: one for the client and one for the node", w.name, v, name)
			}
		}
	}
}

// routerCounts reads the first router's metrics, those with labels added up.
func routerCounts(t *testing.T, b *cluster.Ballast) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	lines := bufio.NewScanner(strings.NewReader(get(t, "http://"+b.Routers[0].Admin+"/metrics")))
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), " ")
		if v, err := strconv.ParseFloat(value, 64); ok && err == nil {
			name, _, _ = strings.Cut(name, "{")
			out[name] += v
		}
	}
	return out
}
