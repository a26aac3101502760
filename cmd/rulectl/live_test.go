package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ballast/integration/cluster"
)

var pool = cluster.NewPool()

func TestMain(m *testing.M) { os.Exit(pool.Main(m)) }

// session runs commands against one cluster.
type session struct {
	t     *testing.T
	flags []string
	stdin string
}

// run carries out a command line and gives its exit code, output and talk.
func (s session) run(line ...string) (code int, out, talk string) {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(append(append([]string{}, s.flags...), line...), strings.NewReader(s.stdin), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// want runs a command that must end with the code, and whose output or talk must hold all of the texts.
func (s session) want(code int, line string, texts ...string) {
	s.t.Helper()
	got, out, talk := s.run(strings.Fields(line)...)
	if got != code {
		s.t.Errorf("rulectl %s: exit %d, want %d\n%s%s", line, got, code, out, talk)
	}
	for _, text := range texts {
		if !strings.Contains(out+talk, text) {
			s.t.Errorf("rulectl %s: %q is not in\n%s%s", line, text, out, talk)
		}
	}
}

func TestCommands(t *testing.T) {
	b := pool.Ballast(t, cluster.Shape{Nodes: 2}, cluster.Size{})
	db, err := b.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := db.Exec("DROP DATABASE rulectl_test"); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, statement := range []string{
		"CREATE DATABASE rulectl_test", "CREATE TABLE rulectl_test.a (id INT PRIMARY KEY, name VARCHAR(9)) BALANCE BY (id) RANGE (0, 100, 200)",
		"CREATE TABLE rulectl_test.g (id INT PRIMARY KEY) GLOBAL", "CREATE TABLE rulectl_test.s (line TEXT)",
		"INSERT INTO rulectl_test.a VALUES (1, 'x'), (150, 'y')", "INSERT INTO rulectl_test.g VALUES (1)",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	s := session{t: t, flags: []string{"--master", "http://" + b.Masters[0].Addr, "--token-file", b.TokenFile()}}
	s.want(0, "status", "leader", "node n0", "connected, has version")
	s.want(0, "node list", "n1", "up")
	s.want(0, "table list --schema rulectl_test", "rulectl_test.a", "RANGE (0, 100, 200)", "GLOBAL")
	s.want(0, "table show rulectl_test.a", "balancing field 1", "unique key PRIMARY (id)")
	s.want(0, "explain rulectl_test.a 150", "node n1")
	s.want(0, "explain rulectl_test.g 1", "every node")
	s.want(2, "explain rulectl_test.a abc", "not a value of id")
	s.want(2, "explain rulectl_test.a 1 2", "give 1 values")
	s.want(1, "explain rulectl_test.nothing 1", "there is no table")
	s.want(0, "check rulectl_test.a rulectl_test.g rulectl_test.s", "yes")
	if _, err := b.Servers.Nodes[0].DB.Exec("INSERT INTO rulectl_test.a VALUES (151, 'z')"); err != nil {
		t.Fatal(err)
	}
	s.want(1, "check rulectl_test.a", "the check does not hold")
	s.want(0, "user add someone --rights read,write --schema rulectl_test", "added")
	s.want(1, "user add someone", "is there already")
	s.want(0, "user grant someone ddl --schema rulectl_test", "rights given")
	s.want(0, "user list", "rulectl_test: read,write,ddl")
	s.want(0, "user drop someone", "dropped")
	s.want(2, "user grant someone fly", "no right")
	s.want(0, "audit", "user someone: drop")
	s.want(0, "ddl job list", "create table", "done")
	s.want(0, "sequence list")
	s.want(1, "node drain n0", "jobs that move rows")
	s.want(1, "node remove n0", "still holds")
	s.want(2, "frobnicate", "no command")
	s.want(2, "node frobnicate", "no command")
	s.want(2, "status -o xml", "table, json or yaml")
	s.want(0, "completion bash", "rulectl")

	code, out, talk := s.run("status", "-o", "json")
	var status map[string]any
	if err := json.Unmarshal([]byte(out), &status); err != nil || code != 0 || status["leader"] == "" {
		t.Errorf("status as JSON: %v\n%s%s", err, out, talk)
	}
	s.want(0, "node list -o yaml", "- addr:", "weight: 100")

	file := filepath.Join(t.TempDir(), "rules.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("schema: rulectl_test\ntables:\n  a: {by: [id], steps: [{mod: 2}]}\n  later: {by: [id], steps: [{mod: 2}]}\n")
	s.want(0, "diff -f "+file, "table rulectl_test.a", "MOD 2", "moves", "CREATE TABLE will take this rule")
	s.want(1, "apply --yes -f "+file, "need a job that moves them")
	write("schema: rulectl_test\ntables:\n  later: {by: [id], steps: [{mod: 2}]}\n")
	s.want(1, "apply -f "+file, "nothing was changed") // nobody answers yes
	s.stdin = "yes\n"
	s.want(0, "apply -f "+file, "applied: version")
	s.want(0, "diff -f "+file, "nothing would change")
	s.want(1, "diff -f "+filepath.Join("..", "rulectl", "main.go"))
	s.want(2, "diff", "-f is missing")

	nobody := session{t: t, flags: []string{"--master", "http://127.0.0.1:1", "--token-file", b.TokenFile()}}
	nobody.want(1, "node remove n0", "no master can be reached")
	write("wrong token")
	stranger := session{t: t, flags: []string{"--master", "http://" + b.Masters[0].Addr, "--token-file", file}}
	stranger.want(1, "status", "does not know this caller")
}

func TestEveryCommandHasHelpAndExample(t *testing.T) {
	s := session{t: t}
	for _, line := range []string{"status", "node add", "node remove", "table list", "explain", "diff", "apply", "check", "user add", "audit", "ddl job list"} {
		s.want(0, line+" --help", "Examples:", "Usage:")
	}
}
