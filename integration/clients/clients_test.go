package clients

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ballast/dbserver"
	"ballast/integration/cluster"
)

var pool = cluster.NewPool()

func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }

// scriptTime bounds one run of a script.
const scriptTime = 90 * time.Second

// program is a live client: how to run it against an address.
type program struct {
	name string
	run  func(a address) (argv []string, stdin string)
}

type address struct{ host, port, user, password string }

func (a address) script(argv ...string) []string {
	return append(argv, a.host, a.port, a.user, a.password)
}

func programs(t *testing.T, in *dbserver.Install) []program {
	t.Helper()
	shell, err := os.ReadFile("scripts/client.sql")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := dbserver.CacheDir(".")
	if err != nil {
		t.Fatal(err)
	}
	node, err := filepath.Abs("scripts/mysql2.js")
	if err != nil {
		t.Fatal(err)
	}
	list := []program{
		{"mariadb", func(a address) ([]string, string) {
			return shellClient("mariadb", a), string(shell)
		}},
		{"PyMySQL", func(a address) ([]string, string) {
			return a.script("/usr/bin/python3", "scripts/pymysql_client.py"), ""
		}},
		{"DBD::mysql", func(a address) ([]string, string) {
			return append(a.script("/usr/bin/perl", "scripts/dbd.pl"), "mysql"), ""
		}},
		{"DBD::MariaDB", func(a address) ([]string, string) {
			return append(a.script("/usr/bin/perl", "scripts/dbd.pl"), "MariaDB"), ""
		}},
		{"mysqli and PDO", func(a address) ([]string, string) { return a.script("php", "scripts/mysqli.php"), "" }},
		{"Connector J", func(a address) ([]string, string) {
			return append(a.script("java", "-cp", "/usr/share/java/mariadb-java-client.jar", "scripts/Client.java"), javaOptions(in)), ""
		}},
		{"mysql2 for Node", func(a address) ([]string, string) {
			return append([]string{"env", "NODE_PATH=" + filepath.Join(cache, "node", "node_modules")}, a.script("node", node)...), ""
		}},
	}
	if mysql := in.Client(); mysql != "" {
		// The server's own client: MySQL's mysql where the servers are MySQL.
		list = append(list, program{"the server's client", func(a address) ([]string, string) {
			return append(in.Command(mysql).Args, shellClient("", a)[1:]...), string(shell)
		}})
	}
	return list
}

// javaOptions are the ways of working that Connector/J is tried in. Its server-side prepared statements don't work with MySQL 9 itself.
func javaOptions(in *dbserver.Install) string {
	options := "rewriteBatchedStatements=true useBulkStmts=false&allowMultiQueries=true"
	if in.Flavour == dbserver.MariaDB {
		options += " useServerPrepStmts=true"
	}
	return options
}

func shellClient(name string, a address) []string {
	return []string{name, "--no-defaults", "--force", "--table", "-h", a.host, "-P", a.port, "-u", a.user, "--default-character-set=utf8mb4", "clients"}
}

// schema is made on both sides; Ballast gets the clauses.
var schema = []struct{ create, clause string }{
	{"CREATE TABLE people (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(60) CHARACTER SET utf8mb4, born DATE, money DECIMAL(12,2), note MEDIUMTEXT CHARACTER SET utf8mb4)", "BALANCE BY (id) MOD 4"},
	{"CREATE TABLE logs (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, what VARCHAR(60))", ""},
}

func prepare(ctx context.Context, db *sql.DB, clauses bool) error {
	statements := []string{"DROP DATABASE IF EXISTS clients", "CREATE DATABASE clients CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"}
	for _, s := range schema {
		text := strings.Replace(s.create, "CREATE TABLE ", "CREATE TABLE clients.", 1)
		if clauses {
			text += " " + s.clause
		}
		statements = append(statements, text)
	}
	for _, s := range statements {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// TestLiveClients runs every client against the plain server and against Ballast: they must print the same.
func TestLiveClients(t *testing.T) {
	b := pool.Ballast(t, cluster.Shape{Nodes: 4, Metadata: true, Plain: true}, cluster.Size{})
	router, err := b.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := router.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := prepare(t.Context(), router, true); err != nil {
		t.Fatal(err)
	}
	if err := prepare(t.Context(), b.Servers.Plain.DB, false); err != nil {
		t.Fatal(err)
	}
	dc := b.Servers.Plain.DriverConfig()
	plain := at(b.Servers.Plain.Addr(), dc.User, dc.Passwd)
	ballast := at(b.Routers[0].Addr, "root", "")
	for _, p := range programs(t, b.Servers.Install) {
		t.Run(p.name, func(t *testing.T) {
			want, err := output(t.Context(), p, plain)
			if err != nil {
				t.Fatalf("the plain server: %v\n%s", err, want)
			}
			got, err := output(t.Context(), p, ballast)
			if err != nil {
				t.Errorf("ballast: %v", err)
			}
			if got != want {
				t.Errorf("the client sees something else through Ballast:\n%s", firstDifference(got, want))
			}
			if n := strings.Count(want, "\n"); n < 10 {
				t.Errorf("the script printed %d lines only: it proves too little\n%s", n, want)
			}
		})
	}
}

func at(addr, user, password string) address {
	host, port, _ := strings.Cut(addr, ":")
	return address{host: host, port: port, user: user, password: password}
}

func output(ctx context.Context, p program, a address) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, scriptTime)
	defer cancel()
	argv, stdin := p.run(a)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin = strings.NewReader(stdin)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	// The shell client goes on after errors, as it is told to, and says so by its exit code.
	if err != nil && stdin != "" && strings.Contains(out.String(), "ERROR 1062") {
		err = nil
	}
	return out.String(), err
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d\n  ballast %.300s\n  plain   %.300s\nrest of ballast's:\n%.1500s", i+1, a, b, strings.Join(g[min(i, len(g)):], "\n"))
		}
	}
	return "nothing"
}
