package ballast

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// allowed says which of our packages a part may import, by path below the module; "x/..." means x and what lies in it. A part is
// found by its longest matching entry. What is not listed here (cmd, integration) is where parts meet.
var allowed = map[string][]string{
	"rules/...":        {"rules/..."},
	"sqlfront/wire":    {},
	"sqlfront/netloop": {},
	"sqlfront/auth":    {"sqlfront/wire", "rules/..."},
	"sqlfront/...":     {"sqlfront/...", "rules/..."},
	"router/engine":    {"rules/...", "sqlfront/wire"},
	"router/plan":      {"router/engine", "rules/...", "sqlfront/wire"},                     // wire for column types
	"router/backend":   {"router/engine", "rules/...", "sqlfront/wire", "sqlfront/netloop"}, // both leaves
	"router/...":       {"router/...", "rules/...", "sqlfront/...", "master/api"},           // api is plain types
	"master/core":      {"master/api", "rules/..."},                                         // api is plain types
	"master/api":       {"rules/..."},
	"master/client":    {"master/api", "rules/..."},
	"master/...":       {"master/...", "rules/..."},
	"dbserver/process": {},
	"dbserver":         {"dbserver/process", "rules/failure"},
	"supervise":        {"dbserver/...", "master/api", "master/client", "rules/..."},
	"integration/...":  {"..."},
	"cmd/...":          {"..."},
}

// pure are the packages that compute and do nothing else: no network, no files, no clock, no randomness of their own.
var pure = []string{"rules", "rules/catalog", "rules/collate", "rules/failure", "router/plan", "master/core", "sqlfront/wire"}

var impure = []string{"net", "net/http", "os", "os/exec", "syscall", "database/sql", "math/rand", "math/rand/v2", "log", "io/ioutil"}

// ranges gives each folder's part of the numbers of client-visible errors.
var ranges = map[string]string{"rules": "BL1", "router/plan": "BL2", "router/engine": "BL3", "router": "BL4", "sqlfront": "BL5", "master": "BL6", "dbserver": "BL7", "supervise": "BL7"}

type goPackage struct {
	ImportPath, Dir, Name                              string
	GoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
	Imports                                            []string
}

func (p goPackage) rel() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "ballast"), "/")
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Dir,Name,GoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// files parses files of a package.
func files(t *testing.T, p goPackage, names ...[]string) map[string]*ast.File {
	t.Helper()
	parsed := map[string]*ast.File{}
	for _, name := range slices.Concat(names...) {
		file := filepath.Join(p.Dir, name)
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed[path.Join(p.rel(), name)] = f
	}
	return parsed
}

func matches(pattern, pkg string) bool {
	stem, tree := strings.CutSuffix(pattern, "...")
	stem = strings.TrimSuffix(stem, "/")
	return pkg == stem || tree && (stem == "" || strings.HasPrefix(pkg, stem+"/"))
}

func TestImportsPointDown(t *testing.T) {
	for _, p := range packages(t) {
		best := ""
		for pattern := range allowed {
			if matches(pattern, p.rel()) && len(pattern) > len(best) {
				best = pattern
			}
		}
		if best == "" {
			if p.rel() != "" {
				t.Errorf("package %s has no entry: say which of our packages it may import", p.rel())
			}
			continue
		}
		for _, imported := range p.Imports {
			own, ok := strings.CutPrefix(imported, "ballast/")
			if ok && !slices.ContainsFunc(allowed[best], func(pattern string) bool { return matches(pattern, own) }) {
				t.Errorf("%s imports %s; it may import %v", p.rel(), own, allowed[best])
			}
		}
	}
}

func TestPureCoresArePure(t *testing.T) {
	for _, p := range packages(t) {
		if !slices.Contains(pure, p.rel()) {
			continue
		}
		for _, imported := range p.Imports {
			if slices.Contains(impure, imported) {
				t.Errorf("%s imports %s", p.rel(), imported)
			}
		}
		for name, f := range files(t, p, p.GoFiles) {
			ast.Inspect(f, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if id, ok := sel.X.(*ast.Ident); ok && id.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "Sleep", "After", "NewTimer", "NewTicker", "Tick"}, sel.Sel.Name) {
						t.Errorf("%s reads the clock: time.%s", name, sel.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

func TestEachPackageHasOneDoc(t *testing.T) {
	for _, p := range packages(t) {
		if len(p.GoFiles) == 0 {
			continue // only tests
		}
		var with []string
		for name, f := range files(t, p, p.GoFiles) {
			if f.Doc == nil {
				continue
			}
			want := "Package " + p.Name + " "
			if p.Name == "main" {
				want = "Command "
			}
			if !strings.HasPrefix(f.Doc.Text(), want) {
				t.Errorf("%s: the package comment does not begin with %q", name, want)
			}
			with = append(with, name)
		}
		if len(with) != 1 {
			t.Errorf("package %s has %d package comments %v, want one", p.rel(), len(with), with)
		}
	}
}

func TestErrorIDsAreUniqueAndInRange(t *testing.T) {
	seen := map[string]string{}
	shape := regexp.MustCompile(`^"BL[1-9]\d{3}"$`)
	for _, p := range packages(t) {
		for name, f := range files(t, p, p.GoFiles) {
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) == 0 {
					return true
				}
				sel, ok := call.Fun.(*ast.SelectorExpr)
				if !ok || sel.Sel.Name != "Define" {
					return true
				}
				if pkg, ok := sel.X.(*ast.Ident); !ok || pkg.Name != "failure" {
					return true
				}
				lit, ok := call.Args[0].(*ast.BasicLit)
				if !ok || !shape.MatchString(lit.Value) {
					t.Errorf("%s: an error's id is not a literal of the form BL1234", name)
					return true
				}
				id := strings.Trim(lit.Value, `"`)
				if other, dup := seen[id]; dup {
					t.Errorf("%s is defined in %s and in %s", id, other, name)
				}
				seen[id] = name
				if want := rangeOf(p.rel()); want != "" && !strings.HasPrefix(id, want) {
					t.Errorf("%s defines %s; its ids begin with %s", name, id, want)
				}
				return true
			})
		}
	}
	if len(seen) == 0 {
		t.Error("no error was found")
	}
}

func rangeOf(pkg string) string {
	best := ""
	for folder := range ranges {
		if matches(folder+"/...", pkg) && len(folder) > len(best) {
			best = folder
		}
	}
	return ranges[best]
}

func TestMainIsShort(t *testing.T) {
	mains, err := filepath.Glob("cmd/*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range mains {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(text, []byte("\n")); lines >= 100 {
			t.Errorf("%s has %d lines", name, lines)
		}
	}
}

// vague are names that say nothing about what is inside.
var vague = regexp.MustCompile(`^(utils?|common|base|helpers?|misc|shared|stuff)$|_v\d+$`)

func TestNamesSaySomething(t *testing.T) {
	for _, p := range packages(t) {
		if vague.MatchString(path.Base(p.rel())) {
			t.Errorf("package %s: the name says nothing", p.rel())
		}
		for _, name := range slices.Concat(p.GoFiles, p.IgnoredGoFiles, p.TestGoFiles, p.XTestGoFiles) {
			if stem := strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test"); vague.MatchString(stem) {
				t.Errorf("file %s: the name says nothing", path.Join(p.rel(), name))
			}
		}
	}
}

// TestTestsProveSomething: a skipped test proves nothing, and a sleep proves that the machine was fast enough that day.
func TestTestsProveSomething(t *testing.T) {
	for _, p := range packages(t) {
		for name, f := range files(t, p, p.TestGoFiles, p.XTestGoFiles) {
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				sel, ok := call.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				id, ok := sel.X.(*ast.Ident)
				if !ok {
					return true
				}
				if id.Name == "t" && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) || id.Name == "time" && sel.Sel.Name == "Sleep" {
					t.Errorf("%s: %s.%s", name, id.Name, sel.Sel.Name)
				}
				return true
			})
		}
	}
}
