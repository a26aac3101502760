package meta

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestMigrationsAreNumbered(t *testing.T) {
	all, err := readMigrations(migrations)
	if err != nil || len(all) == 0 {
		t.Fatalf("%d migrations, error %v", len(all), err)
	}
	for _, m := range all {
		for _, s := range m.statements() {
			if strings.HasSuffix(s, ";") || strings.Contains(s, "-- ") && !strings.HasPrefix(s, "CREATE") {
				t.Errorf("migration %s: %q", m.name, s)
			}
		}
	}
	gap := fstest.MapFS{"migrations/0001_a.sql": {Data: []byte("SELECT 1;")}, "migrations/0003_c.sql": {Data: []byte("SELECT 1;")}}
	if _, err := readMigrations(gap); err == nil {
		t.Error("a gap was not noticed")
	}
}

func TestSealedSecrets(t *testing.T) {
	dir := t.TempDir()
	key := func(name, text string) []byte {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		k, err := ReadKey(file)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	s, err := newSealer(key("a", strings.Repeat("a", 32)+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	one, two := s.seal("geheim"), s.seal("geheim")
	if bytes.Equal(one, two) || bytes.Contains(one, []byte("geheim")) {
		t.Error("sealing shows what is sealed")
	}
	if clear, err := s.open(one); err != nil || clear != "geheim" {
		t.Errorf("opened %q, error %v", clear, err)
	}
	other, err := newSealer(key("b", strings.Repeat("b", 32)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.open(one); err == nil || strings.Contains(err.Error(), "geheim") {
		t.Errorf("opened with another key: %v", err)
	}
	one[len(one)-1] ^= 1
	for _, broken := range [][]byte{one, nil, {1, 2}} {
		if _, err := s.open(broken); err == nil {
			t.Error("opened what is broken")
		}
	}
	file := filepath.Join(dir, "short")
	if err := os.WriteFile(file, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadKey(file); err == nil {
		t.Error("a short key was taken")
	}
}
