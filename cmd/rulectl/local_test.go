package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestClusterOfThisFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	if got, found, err := local(); got != localMaster || found || err != nil {
		t.Errorf("without a cluster here: %s (%v)", got, err)
	}
	write := func(text string) {
		if err := os.MkdirAll(filepath.Dir(localConfig), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(localConfig, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("listen: 127.0.0.1:17800\nlog: {level: info}\n")
	if got, found, err := local(); got != "http://127.0.0.1:17800" || !found || err != nil {
		t.Errorf("with one: %s (%v)", got, err)
	}
	write("listen: [")
	if got, _, err := local(); err == nil {
		t.Errorf("with a broken file: %s", got)
	}
}
