package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// metricFiles are where metrics are declared, by role.
var metricFiles = map[string][]string{"router": {"router/metrics.go", "router/backend/metrics.go", "sqlfront/metrics.go"}, "master": {"master/metrics.go"}}

func TestBookMetrics(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(book, "operating.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, role := range []string{"router", "master"} {
		begin := fmt.Sprintf("<!-- generated: metrics of the %s; make book -->\n", role)
		before, rest, ok := strings.Cut(page, begin)
		_, after, closed := strings.Cut(rest, tableEnd)
		if !ok || !closed {
			t.Fatalf("operating.md has no table of the %s's metrics", role)
		}
		var lines []string
		for _, file := range metricFiles[role] {
			lines = append(lines, metricsIn(t, filepath.Join("../..", file))...)
		}
		sort.Strings(lines)
		page = before + begin + "| metric | meaning |\n| --- | --- |\n" + strings.Join(lines, "") + tableEnd + after
	}
	checkPage(t, "operating.md", page)
}

// metricsIn reads the names and helps of a file's metrics: options with a literal name, or calls of a local function (name, help, …) that puts
// the subsystem in front.
func metricsIn(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	prefix := ""
	var lines []string
	add := func(name, help string) { lines = append(lines, fmt.Sprintf("| `%s` | %s |\n", name, cell(help))) }
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			fields := map[string]string{}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if key, ok := kv.Key.(*ast.Ident); ok {
						fields[key.Name] = literal(kv.Value)
					}
				}
			}
			if s := fields["Subsystem"]; s != "" {
				prefix = fields["Namespace"] + "_" + s + "_"
			}
			if fields["Name"] != "" && fields["Help"] != "" {
				add(fields["Name"], fields["Help"])
			}
		case *ast.CallExpr:
			if _, local := n.Fun.(*ast.Ident); local && len(n.Args) >= 2 {
				if name, help := literal(n.Args[0]), literal(n.Args[1]); name != "" && help != "" && prefix != "" {
					add(prefix+name, help)
				}
			}
		}
		return true
	})
	if len(lines) == 0 {
		t.Errorf("%s declares no metric that this test can read", file)
	}
	return lines
}

// literal is the value of a string literal, "" for anything else.
func literal(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	s, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return s
}
