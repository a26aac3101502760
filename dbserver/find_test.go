package dbserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeServer writes a program that prints a version and nothing else.
func fakeServer(t *testing.T, dir, name, version string) string {
	t.Helper()
	program := filepath.Join(dir, name)
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \""+program+"  Ver "+version+"\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return program
}

func TestFindTakesWhatFits(t *testing.T) {
	old, other, good := t.TempDir(), t.TempDir(), t.TempDir()
	fakeServer(t, old, "mysqld", "8.0.36 for Linux on x86_64")
	fakeServer(t, other, "mysqld", "10.11.6-MariaDB for debian-linux-gnu on x86_64")
	want := fakeServer(t, good, "mysqld", "8.4.3 for Linux on x86_64")

	t.Setenv("PATH", strings.Join([]string{old, other, good, os.Getenv("PATH")}, ":"))
	in, err := Find(t.Context(), FindOptions{Flavour: MySQL, CacheDir: t.TempDir(), Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	if in.Program != want || in.Version.String() != "8.4.3" || in.Origin != "found at "+want {
		t.Errorf("got %+v", in)
	}
	fakeServer(t, other, "mariadbd", "11.4.2-MariaDB for debian-linux-gnu on x86_64")
	in, err = Find(t.Context(), FindOptions{Flavour: MariaDB, CacheDir: t.TempDir(), Offline: true})
	if err != nil || filepath.Dir(in.Program) != other {
		t.Errorf("MariaDB: got %+v, error %v", in, err)
	}
}

func TestServerBinIsUsedAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	program := fakeServer(t, dir, "mysqld", "9.1.0 for Linux on x86_64")
	for _, bin := range []string{program, dir} {
		t.Setenv("BALLAST_SERVER_BIN", bin)
		in, err := Find(t.Context(), FindOptions{Flavour: MySQL, CacheDir: t.TempDir(), Offline: true})
		if err != nil || in.Program != program {
			t.Errorf("%s: got %+v, error %v", bin, in, err)
		}
	}
	_, err := Find(t.Context(), FindOptions{Flavour: MariaDB, CacheDir: t.TempDir(), Offline: true})
	if err == nil || !strings.Contains(err.Error(), "it is MySQL, not MariaDB") {
		t.Errorf("the wrong kind: %v", err)
	}
	t.Setenv("BALLAST_SERVER_BIN", fakeServer(t, t.TempDir(), "mysqld", "8.0.36 for Linux on x86_64"))
	if _, err = Find(t.Context(), FindOptions{Flavour: MySQL, CacheDir: t.TempDir(), Offline: true}); err == nil || !strings.Contains(err.Error(), "at least 8.4.0") {
		t.Errorf("too old: %v", err)
	}
}

func TestCacheDirIsTheCheckouts(t *testing.T) {
	t.Setenv("BALLAST_CACHE", "")
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module ballast\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if dir, err := CacheDir(deep); err != nil || dir != filepath.Join(root, ".cache") {
		t.Errorf("got %s, error %v", dir, err)
	}
	t.Setenv("BALLAST_CACHE", "/somewhere")
	if dir, err := CacheDir(deep); err != nil || dir != "/somewhere" {
		t.Errorf("with BALLAST_CACHE: got %s, error %v", dir, err)
	}
}
