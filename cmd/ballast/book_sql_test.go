package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	refusedBegin = "<!-- generated: refused statements; make book -->\n"
	casesBegin   = "<!-- generated: refused cases; make book -->\n"
)

// TestBookSQL fills the lists of refused statements in sql.md: from the planner's tests, with their messages, and from the cases that are compared
// with a plain server.
func TestBookSQL(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(book, "sql.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for begin, table := range map[string]func(*testing.T) string{refusedBegin: refusedByPlanner, casesBegin: refusedCases} {
		before, rest, ok := strings.Cut(page, begin)
		_, after, closed := strings.Cut(rest, tableEnd)
		if !ok || !closed {
			t.Fatalf("sql.md lacks the line %s", begin)
		}
		page = before + begin + table(t) + tableEnd + after
	}
	checkPage(t, "sql.md", page)
}

// names are the facts in a message that differ from statement to statement.
var names = regexp.MustCompile(`'[\w.]+'|\b[A-Z_]+\(\)`)

// refusedByPlanner pairs the statements of the planner's test files with their answers and keeps one for each kind of refusal.
func refusedByPlanner(t *testing.T) string {
	files, err := filepath.Glob("../../router/plan/testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| statement | refused with 1235 (42000) |\n| --- | --- |\n")
	seen := map[string]bool{}
	for _, file := range files {
		for _, block := range strings.Split(read(t, file), "\n\n") {
			input, output, ok := strings.Cut(block, "\n----\n")
			if !ok {
				continue
			}
			statements, answers := statementsOf(input), answersOf(output)
			if len(statements) != len(answers) {
				continue // a statement with several lines of answer
			}
			for i, a := range answers {
				message, refused := strings.CutPrefix(a, "1235 (42000) ")
				kind := names.ReplaceAllString(message, "…")
				if refused && strings.HasPrefix(message, "This version") {
					kind = message // the construct is the fact
				}
				if refused && !seen[kind] && !strings.Contains(message, "cannot read") {
					seen[kind] = true
					fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(statements[i], "|", `\|`), cell(message))
				}
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d kinds of refusal were found", len(seen))
	}
	return b.String()
}

// statementsOf gives the statements of a datadriven block without its command line and comments.
func statementsOf(input string) []string {
	lines := strings.Split(input, "\n")
	for len(lines) > 0 && strings.HasPrefix(lines[0], "#") {
		lines = lines[1:]
	}
	if len(lines) == 0 {
		return nil
	}
	var out []string
	for _, s := range strings.Split(strings.Join(lines[1:], " "), ";") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// answersOf gives one text per statement; the lines of a tree below its root are left out.
func answersOf(output string) []string {
	var out []string
	for _, line := range strings.Split(strings.TrimSpace(output), "\n") {
		if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "└") && !strings.HasPrefix(line, "├") && !strings.HasPrefix(line, "│") {
			out = append(out, line)
		}
	}
	return out
}

// refusedCases lists the statements that the differential test marks as refused, by case.
func refusedCases(t *testing.T) string {
	files, err := filepath.Glob("../../integration/diff/testdata/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| case | statement | error |\n| --- | --- | --- |\n")
	for _, file := range files {
		name, number := "", ""
		for line := range strings.SplitSeq(read(t, file), "\n") {
			if title, ok := strings.CutPrefix(line, "# "); ok {
				name = title
			} else if n, ok := strings.CutPrefix(line, "-- refused "); ok {
				number = n
			} else if number != "" {
				fmt.Fprintf(&b, "| %s | `%s` | %s |\n", cell(name), strings.ReplaceAll(strings.TrimSuffix(line, ";"), "|", `\|`), number)
				number = ""
			}
		}
	}
	return b.String()
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
