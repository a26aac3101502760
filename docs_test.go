package ballast

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ballast/rules"
)

// pages are the texts for people: the README, the pages of docs and the decisions.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			found[name] = string(text)
		}
	}
	return found
}

var (
	linked = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	quoted = regexp.MustCompile("`([^`\n]+)`")
	// ourPath is what looks like a path in this repository: a folder of ours first, or a Go file.
	ourPath = regexp.MustCompile(`^((cmd|dbserver|docker|docs|integration|master|router|rules|sqlfront|supervise)(/[\w.*-]+)*/?|[\w*]+\.go)$`)
)

// TestDocsNameWhatExists: every link leads somewhere, and every path in code marks is there. A Go file without a folder is looked for beside the
// path before it in its paragraph.
func TestDocsNameWhatExists(t *testing.T) {
	for name, text := range pages(t) {
		for _, link := range linked.FindAllStringSubmatch(text, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), link[1])); err != nil {
				t.Errorf("%s: the link %s leads nowhere", name, link[1])
			}
		}
		for paragraph := range strings.SplitSeq(text, "\n\n") {
			folder := ""
			for _, q := range quoted.FindAllStringSubmatch(paragraph, -1) {
				p := q[1]
				if !ourPath.MatchString(p) || !strings.ContainsAny(p, "/.") {
					continue
				}
				if !strings.Contains(p, "/") {
					if there(p) {
						continue // in the root
					}
					p = path.Join(folder, p)
				} else if strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "/") {
					folder = strings.TrimSuffix(p, "/")
					if strings.HasSuffix(p, ".go") {
						folder = path.Dir(p)
					}
				}
				if !there(p) {
					t.Errorf("%s: there is no %s", name, p)
				}
			}
		}
	}
}

// there says whether a path, or anything that a pattern names, exists.
func there(p string) bool {
	found, err := filepath.Glob(p)
	return err == nil && len(found) > 0
}

// TestBookListsItsPages: docs/README.md is the table of contents.
func TestBookListsItsPages(t *testing.T) {
	all := pages(t)
	contents := all[filepath.Join("docs", "README.md")]
	for name := range all {
		if filepath.Dir(name) == "docs" && name != filepath.Join("docs", "README.md") && !strings.Contains(contents, "("+filepath.Base(name)+")") {
			t.Errorf("docs/README.md does not list %s", filepath.Base(name))
		}
	}
}

// TestMapShowsEveryPackage: whoever adds a package says on the map what it is.
func TestMapShowsEveryPackage(t *testing.T) {
	text := pages(t)[filepath.Join("docs", "map.md")]
	for _, p := range packages(t) {
		if p.rel() == "" || strings.HasPrefix(p.rel(), "integration/") {
			continue
		}
		if !strings.Contains(text, "`"+p.rel()+"/`") {
			t.Errorf("docs/map.md does not show %s/", p.rel())
		}
	}
}

// TestDecisionsAreNumbered: 0001 and on without a gap.
func TestDecisionsAreNumbered(t *testing.T) {
	names, err := filepath.Glob("docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for i, name := range names {
		base := filepath.Base(name)
		if n := strings.TrimLeft(base[:4], "0"); n != strconv.Itoa(i+1) {
			t.Errorf("%s is decision number %d", base, i+1)
		}
		if text := pages(t)[name]; !strings.HasPrefix(text, "# "+strconv.Itoa(i+1)+". ") {
			t.Errorf("%s does not begin with its number", base)
		}
	}
}

// clause is a complete BALANCE clause in code marks.
var clause = regexp.MustCompile("`(BALANCE BY \\([^`…]+)`")

// TestDocsClausesAreRules: what the pages show of rules can be written so.
func TestDocsClausesAreRules(t *testing.T) {
	seen := 0
	for name, text := range pages(t) {
		for _, c := range clause.FindAllStringSubmatch(text, -1) {
			seen++
			if _, err := rules.ParseClause(c[1]); err != nil {
				t.Errorf("%s: %s: %v", name, c[1], err)
			}
		}
	}
	if file, ok := between(pages(t)[filepath.Join("docs", "rules.md")], "```yaml\n", "```"); !ok {
		t.Error("rules.md shows no rules file")
	} else if _, err := rules.ParseFile([]byte(file)); err != nil {
		t.Errorf("the rules file of rules.md: %v", err)
	}
	if seen < 10 {
		t.Errorf("only %d rules are shown", seen)
	}
}

func between(text, begin, end string) (string, bool) {
	_, rest, ok := strings.Cut(text, begin)
	inside, _, closed := strings.Cut(rest, end)
	return inside, ok && closed
}
