package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestClusterOfThisFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	if got, err := local(); got != localMaster || err != nil {
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
	if got, err := local(); got != "http://127.0.0.1:17800" || err != nil {
		t.Errorf("with one: %s (%v)", got, err)
	}
	write("listen: [")
	if got, err := local(); err == nil {
		t.Errorf("with a broken file: %s", got)
	}
}
