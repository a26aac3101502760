package dbserver

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"ballast/rules/failure"
)

func TestParseVersionLine(t *testing.T) {
	for line, want := range map[string]struct {
		flavour Flavour
		version string
	}{
		"/usr/sbin/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))":                                       {MySQL, "9.7.4"},
		"mysqld  Ver 8.4.3 for macos14 on arm64 (Homebrew)":                                                  {MySQL, "8.4.3"},
		"mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)":                {MariaDB, "10.11.19"},
		"mysqld  Ver 10.11.6-MariaDB-1:10.11.6+maria~ubu2204 for debian-linux-gnu on x86_64 (mariadb.org b)": {MariaDB, "10.11.6"},
	} {
		f, v, ok := parseVersionLine(line)
		if !ok || f != want.flavour || v.String() != want.version {
			t.Errorf("%s: got %s %s %t", line, f, v, ok)
		}
	}
	if _, _, ok := parseVersionLine("bash, version 5"); ok {
		t.Error("a line without a version was taken")
	}
}

func TestMirrorComesFromTheSystem(t *testing.T) {
	for _, c := range []struct{ name, text, archive, security string }{
		{
			"stanzas", "Types: deb\nURIs: http://mirror.example/debian/\nSuites: bookworm\n\nTypes: deb\nURIs: http://sec.example/debian-security\n",
			"http://mirror.example/debian", "http://sec.example/debian-security",
		},
		{
			"lines", "# deb http://no.example/debian x main\ndeb [arch=amd64 signed-by=/k.gpg] https://m.example/a/debian bookworm main\n",
			"https://m.example/a/debian", "https://m.example/a/debian-security",
		},
		{"one option", "deb [trusted=yes] https://m.example/debian sid main", "https://m.example/debian", "https://m.example/debian-security"},
		{"lists", "URIs: mirror+file:/etc/apt/mirrors/debian.list", "mirror+file:/etc/apt/mirrors/debian.list", "mirror+file:/etc/apt/mirrors/debian-security.list"},
		{"another system", "deb http://archive.example/ubuntu noble main", "http:" + "//" + debianHost + "/debian", "http:" + "//" + debianHost + "/debian-security"},
	} {
		if m := mirrorOf(sourceURIs(c.text)); m.archive != c.archive || m.security != c.security {
			t.Errorf("%s: got %+v", c.name, m)
		}
	}
}

func TestUnneededPackages(t *testing.T) {
	for pkg, want := range map[string]bool{"perl-base": false, "libperl5.42": false, "gcc-16-base": false, "libssl3t64": true, "libgcc-s1": true} {
		if needed(pkg) != want {
			t.Errorf("%s: needed is %t", pkg, !want)
		}
	}
}

func TestListeningInodes(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0CEB 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000 100 0 0 10 0
   1: 0100007F:0CEB 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000 100 0 0 10 0
   2: 0100007F:0CEC 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0000 100 0 0 10 0`
	got := listeningInodes(table, 3307)
	if len(got) != 1 || !got["4711"] {
		t.Errorf("got %v", got)
	}
}

func TestCheckPortNamesTheOwner(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	err = CheckPort(port, "the router")
	var f *failure.Error
	if !errors.As(err, &f) || f.Kind != errPortTaken {
		t.Fatalf("got %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := CheckPort(port, "the router"); err != nil {
		t.Errorf("a free port: %v", err)
	}
}

func TestSocketPathIsShort(t *testing.T) {
	if p := socketPath("/a/b"); p != "/a/b/server.sock" {
		t.Errorf("got %s", p)
	}
	if p := socketPath("/" + strings.Repeat("long/", 40)); len(p) > 100 {
		t.Errorf("%d characters: %s", len(p), p)
	}
}

func TestRequiredFlagsFitTheFlavour(t *testing.T) {
	if !slices.Contains(RequiredFlags(MySQL), "--gtid-mode=ON") || slices.Contains(RequiredFlags(MariaDB), "--gtid-mode=ON") {
		t.Error("gtid-mode is MySQL's alone")
	}
}

func TestFreePortsDiffer(t *testing.T) {
	seen := map[int]bool{}
	for range 300 {
		port, err := FreePort()
		if err != nil {
			t.Fatal(err)
		}
		if seen[port] {
			t.Fatalf("port %d was given out twice", port)
		}
		seen[port] = true
	}
}
