package integration

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// TestObserving looks at a cluster through everything that shows it: EXPLAIN, SHOW BALLAST, metrics and health.
func TestObserving(t *testing.T) {
	b := startBallast(t)
	c := connect(t, b, func(c *mysql.Config) { c.InterpolateParams = true })
	c.must("CREATE DATABASE app")
	c.must("USE app")
	c.must("CREATE TABLE t (id INT PRIMARY KEY, v INT) BALANCE BY (id) MOD 4")
	c.must("CREATE TABLE one (id INT PRIMARY KEY) SINGLE ON (n2)")
	c.must("INSERT INTO t VALUES (1, 1), (2, 2)")

	for query, want := range map[string][]string{
		"EXPLAIN SELECT * FROM t WHERE id = 6":                {"OneNode,n2,"},
		"EXPLAIN SELECT * FROM t ORDER BY v":                  {"MergeSort", "Scatter,n0, n1, n2, n3"},
		"EXPLAIN UPDATE t SET v = 1 WHERE id IN (1, 2)":       {"Write", "Part,n1", "Part,n2"},
		"EXPLAIN SELECT * FROM one":                           {"OneNode,n2"},
		"SHOW BALLAST NODES":                                  {"n0,", "n3,", ",up,"},
		"SHOW BALLAST TABLES":                                 {"app,t,sharded,", "BALANCE BY (id) MOD 4", "app,one,single,"},
		"SHOW BALLAST SCHEMAS":                                {"app,BALANCE BY (PRIMARY KEY) HASH MOD 64,2"},
		"SHOW BALLAST SESSION":                                {"user,root", "transaction,none"},
		"SHOW BALLAST USERS":                                  {"root,*: read, write, ddl, admin"},
		"SHOW TABLES":                                         {"one", "t"},
		"SHOW FULL COLUMNS FROM t LIKE 'v'":                   {"v,int"},
		"SHOW INDEX FROM t":                                   {"PRIMARY"},
		"SHOW VARIABLES LIKE 'autocommit'":                    {"autocommit,ON"},
		"SHOW GRANTS":                                         {"GRANT ALL PRIVILEGES ON *.* TO `root`@`%`"},
		"SHOW CREATE DATABASE app":                            {"CREATE DATABASE"},
		"SELECT VERSION()":                                    {"-ballast"},
		"SELECT SCHEMA_NAME FROM information_schema.SCHEMATA": {"app"},
	} {
		got := c.rows(query)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q is not in %s", query, w, got)
			}
		}
		if strings.Contains(got, "ballast_") {
			t.Errorf("%s shows what is Ballast's own: %s", query, got)
		}
	}
	c.fails(1235, "SHOW BALLAST JOBS")

	for path, want := range map[string][]string{
		"/healthz": {"ok"},
		"/readyz":  {"ready"},
		"/metrics": {`ballast_router_statements_total{place="scatter",verb="select"}`, `ballast_router_statements_total{place="writes",verb="insert"} 1`, "ballast_router_sessions 1", "go_goroutines"},
	} {
		got := get(t, "http://"+b.Routers[0].Admin+path)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q is not in %s", path, w, got)
			}
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", url, resp.Status)
	}
	return string(body)
}
