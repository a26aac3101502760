package main

import (
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write settings_doc.json and the generated pages of docs anew")

// The packages whose structs are settings, by folder.
var settingsIn = map[string]string{"main": ".", "ballast/master": "../../master", "ballast/router": "../../router", "ballast/router/backend": "../../router/backend"}

// comments gives the comments of all settings, by package, type and field, from the sources.
func comments(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for pkg, dir := range settingsIn {
		fset := token.NewFileSet()
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !isSource(e) {
				continue
			}
			f, err := parser.ParseFile(fset, dir+"/"+e.Name(), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			collect(f, pkg, found)
		}
	}
	return found
}

func TestSettingsDoc(t *testing.T) {
	want, err := json.MarshalIndent(comments(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("settings_doc.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(settingsDoc) != string(want) {
		t.Error("settings_doc.json is out of date: make book")
	}
}

func isSource(e fs.DirEntry) bool {
	return strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go")
}

// collect takes the comments of the fields that have a YAML name.
func collect(f *ast.File, pkg string, into map[string]string) {
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		st, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		last := ""
		for _, field := range st.Fields.List {
			if field.Tag == nil || !strings.Contains(field.Tag.Value, "yaml:") || len(field.Names) == 0 {
				continue
			}
			doc := strings.TrimSpace(field.Doc.Text())
			for _, name := range field.Names {
				if doc == "" { // a comment that speaks of two fields stands above the first
					doc = last
				}
				into[docKey(pkg, spec.Name.Name, name.Name)] = strings.Join(strings.Fields(doc), " ")
			}
			last = doc
		}
		return true
	})
}
