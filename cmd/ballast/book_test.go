package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"ballast/rules/failure"
)

// The pages of docs/ that are taken from the code. Each test compares, and with -update writes the page anew.

// book is the folder of the pages, from here.
const book = "../../docs"

// checkPage compares a page with what it should be.
func checkPage(t *testing.T, name, want string) {
	t.Helper()
	file := filepath.Join(book, name)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("docs/%s is out of date: make book", name)
	}
}

// chapters are the ranges of the errors' ids: the digit, who answers them, and a sentence.
var chapters = []struct{ digit, title, text string }{
	{"1", "Rules", "A rule can't be read or makes no sense, or a key has no place under it. They come from `CREATE TABLE … BALANCE BY`, from `rulectl diff` and `apply`, and from statements whose key no node holds."},
	{"2", "Plan", "The router read a statement and can't run it as it is: MySQL's own errors of names and syntax, and everything that is refused because it would need rows of several nodes at one place."},
	{"3", "Merging", "The router was merging the answers of several nodes when something did not fit."},
	{"4", "Nodes and sessions", "BL40xx are about connections to db nodes, BL41xx about what a session asks of the router."},
	{"5", "Protocol", "Logging in, packets, prepared statements, limits of the front end. [The protocol](protocol.md) says which of them close the connection."},
	{"6", "Master", "Definitions, nodes, users, sequences, and the metadata behind them. They come from `rulectl` and from DDL sent to a router."},
	{"7", "Servers and the local cluster", "`make up` and the tests: finding, unpacking and starting database servers. They are printed, no MySQL client sees them."},
}

func TestBookErrors(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Error catalogue\n\n<!-- Generated from the code by: make book -->\n\n" +
		"Every error that is Ballast's own. A client reads the message, then the hint in parentheses and the id in brackets; number and SQLSTATE are for\n" +
		"programs. Errors without a hint are worded as MySQL words them and show no id. `…` stands for the facts of the occurrence. Errors of the nodes are\n" +
		"passed on as they are and are not listed.\n")
	listed := 0
	all := failure.Catalogue()
	for _, c := range chapters {
		fmt.Fprintf(&b, "\n## BL%sxxx: %s\n\n%s\n\n| id | number | SQLSTATE | message | what to do |\n| --- | --- | --- | --- | --- |\n", c.digit, c.title, c.text)
		for _, k := range all {
			if strings.HasPrefix(k.ID, "BL"+c.digit) {
				listed++
				fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", k.ID, k.Number, k.State, cell(verbs.ReplaceAllString(k.Format, "…")), cell(k.Hint))
			}
		}
	}
	if listed != len(all) {
		t.Errorf("%d of %d errors are in no chapter", len(all)-listed, len(all))
	}
	checkPage(t, "errors.md", b.String())
}

// verbs are the places of facts in a message, with the quotes that the verb itself would print.
var verbs = regexp.MustCompile(`%[-+ #0-9.]*[a-z]`)

// cell makes a text fit a table's cell.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(s) }

// The generated tables of configuration.md stand between these lines.
const (
	tableBegin = "<!-- generated: %s; make book -->\n"
	tableEnd   = "<!-- end -->\n"
)

func TestBookConfiguration(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(book, "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	embedded, fresh := docs, comments(t)
	docs = func() map[string]string { return fresh }
	defer func() { docs = embedded }()
	router, master := DefaultRouterConfig(), DefaultMasterConfig()
	router.Name = "the host's name"
	for role, config := range map[string]any{"router": &router, "master": &master} {
		begin := fmt.Sprintf(tableBegin, role)
		before, rest, ok := strings.Cut(page, begin)
		_, after, closed := strings.Cut(rest, tableEnd)
		if !ok || !closed {
			t.Fatalf("configuration.md has no table of the %s's settings", role)
		}
		page = before + begin + settingsTable(t, config) + tableEnd + after
	}
	checkPage(t, "configuration.md", page)
}

// meaning is a comment without what stands in columns of its own, and without the field's Go name.
func meaning(doc string) string {
	var kept []string
	for sentence := range strings.SplitSeq(strings.TrimSuffix(doc, "."), ". ") {
		if sentence == "Reloadable" || strings.HasPrefix(sentence, "Default ") && !strings.ContainsAny(sentence, ",;") && !strings.Contains(sentence, ": ") {
			continue
		}
		kept = append(kept, sentence)
	}
	s := goName.ReplaceAllString(strings.Join(kept, ". ")+".", "")
	return strings.ToUpper(s[:1]) + s[1:]
}

// goName is how a field's comment begins.
var goName = regexp.MustCompile(`^[A-Z]\w+(?: and [A-Z]\w+)? (?:(?:is|are) )?`)

func settingsTable(t *testing.T, config any) string {
	var b strings.Builder
	b.WriteString("| key | default | reloads | meaning |\n| --- | --- | --- | --- |\n")
	reloads := map[string]bool{}
	for _, s := range settingsOf(reflect.ValueOf(config).Elem(), nil) {
		key := strings.Join(s.path, ".")
		if s.doc == "" {
			t.Errorf("%s has no comment", key)
		}
		group := strings.Join(s.path[:len(s.path)-1], ".")
		reloads[key] = reloads[group] || strings.Contains(s.doc, "Reloadable.")
		if s.group {
			continue
		}
		yes := ""
		if reloads[key] {
			yes = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", key, defaultText(s.value), yes, cell(meaning(s.doc)))
	}
	return b.String()
}

// defaultText shows a default as a person reads it.
func defaultText(v reflect.Value) string {
	if v.IsZero() && (v.Kind() == reflect.String || v.Kind() == reflect.Slice) {
		return ""
	}
	s := "`" + text(v) + "`"
	if v.CanInt() && v.Int() >= 1<<20 && v.Int()%(1<<20) == 0 && v.Type() != reflect.TypeFor[time.Duration]() {
		s += fmt.Sprintf(" (%d MiB)", v.Int()>>20)
	}
	return s
}
