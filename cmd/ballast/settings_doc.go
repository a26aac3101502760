package main

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"sync"
)

// settings_doc.json holds the comments of the settings' fields, by package, type and field. It is taken from the sources; a test says
// when it is out of date (make book writes it anew).
//
//go:embed settings_doc.json
var settingsDoc []byte

var docs = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	if err := json.Unmarshal(settingsDoc, &m); err != nil {
		return map[string]string{}
	}
	return m
})

// docOf gives the comment of a field.
func docOf(t reflect.Type, field string) string { return docs()[docKey(t.PkgPath(), t.Name(), field)] }

func docKey(pkg, typ, field string) string {
	if pkg == "ballast/cmd/ballast" {
		pkg = "main"
	}
	return pkg + "." + typ + "." + field
}
