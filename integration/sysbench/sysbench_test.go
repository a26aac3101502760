package sysbench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"ballast/integration/cluster"
)

var pool = cluster.NewPool()

func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }

const (
	tables = 2
	rows   = 2000
)

var (
	transactions = regexp.MustCompile(`transactions:\s+(\d+)`)
	ignored      = regexp.MustCompile(`ignored errors:\s+(\d+)`)
)

func TestSysbench(t *testing.T) {
	b := pool.Ballast(t, cluster.Shape{Nodes: 4, Metadata: true}, cluster.Size{})
	db, err := b.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, s := range []string{"DROP DATABASE IF EXISTS sbtest", "CREATE DATABASE sbtest"} {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	host, port, _ := strings.Cut(b.Routers[0].Addr, ":")
	run := func(t *testing.T, script, command string, more ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		args := append([]string{
			script, "--db-driver=mysql", "--mysql-host=" + host, "--mysql-port=" + port, "--mysql-user=root", "--mysql-db=sbtest",
			fmt.Sprintf("--tables=%d", tables), fmt.Sprintf("--table-size=%d", rows), "--threads=4", "--time=3", "--events=0",
		}, more...)
		out, err := exec.CommandContext(ctx, "sysbench", append(args, command)...).CombinedOutput()
		// A worker's error ends it, but not the exit code.
		if err != nil || strings.Contains(string(out), "FATAL") {
			t.Fatalf("sysbench %s %s: %v\n%s", script, command, err, out)
		}
		return string(out)
	}
	said := run(t, "oltp_common", "prepare", "--auto-inc=on")
	for i := range tables {
		total := 0
		for _, n := range b.Servers.Nodes {
			var here int
			if err := n.DB.QueryRowContext(t.Context(), fmt.Sprintf("SELECT COUNT(*) FROM sbtest.sbtest%d", i+1)).Scan(&here); err != nil {
				t.Fatal(err)
			}
			if here == 0 {
				t.Errorf("node %s has no rows of sbtest%d", n.Name(), i+1)
			}
			total += here
		}
		if total != rows {
			t.Errorf("sbtest%d has %d rows", i+1, total)
		}
	}
	if t.Failed() {
		t.Fatalf("sysbench ended well and said:\n%s", said)
	}
	for _, script := range []string{"oltp_point_select", "oltp_read_only", "oltp_insert", "oltp_update_index", "oltp_delete"} {
		for _, ps := range []string{"disable", "auto"} {
			t.Run(script+"/ps="+ps, func(t *testing.T) {
				out := run(t, script, "run", "--db-ps-mode="+ps)
				m := transactions.FindStringSubmatch(out)
				if m == nil {
					t.Fatalf("no count of transactions:\n%s", out)
				}
				n, err := strconv.Atoi(m[1])
				if err != nil || n < 10 {
					t.Errorf("%s transactions only\n%s", m[1], out)
				}
				if e := ignored.FindStringSubmatch(out); e == nil || e[1] != "0" {
					t.Errorf("errors were ignored:\n%s", out)
				}
				t.Logf("%d transactions", n)
			})
		}
	}
	run(t, "oltp_common", "cleanup")
}
