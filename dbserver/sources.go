package dbserver

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
)

// debianHost serves when this machine's own apt sources name no Debian mirror.
const debianHost = "deb.debian.org"

// keyrings lists where Debian's archive keys lie on Debian and, with its debian-archive-keyring package, on Ubuntu.
var keyrings = []string{
	"/usr/share/keyrings/debian-archive-keyring.gpg",
	"/usr/share/keyrings/debian-archive-keyring.pgp",
}

// mirror is where Debian's packages come from: the addresses of the archive and of its security part.
type mirror struct{ archive, security string }

// systemMirror derives the mirror from the environment's BALLAST_DEBIAN_MIRROR or this machine's own apt sources, so that a mirror
// inside a company is used without being asked for.
func systemMirror() mirror {
	if env := strings.TrimRight(os.Getenv("BALLAST_DEBIAN_MIRROR"), "/"); env != "" {
		return mirrorOf([]string{env})
	}
	var texts []string
	files := []string{"/etc/apt/sources.list"}
	for _, pattern := range []string{"/etc/apt/sources.list.d/*.sources", "/etc/apt/sources.list.d/*.list"} {
		// The pattern is constant, so Glob can't fail.
		if found, err := filepath.Glob(pattern); err == nil {
			files = append(files, found...)
		}
	}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			texts = append(texts, string(text))
		}
	}
	return mirrorOf(sourceURIs(strings.Join(texts, "\n")))
}

// sourceURIs lists the addresses in apt sources of either form: lines beginning with deb, and stanzas with URIs.
func sourceURIs(text string) []string {
	var uris []string
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 {
			continue
		}
		switch {
		case fields[0] == "URIs:":
			uris = append(uris, fields[1:]...)
		case fields[0] == "deb":
			rest := fields[1:]
			if strings.HasPrefix(rest[0], "[") {
				for len(rest) > 0 && !strings.HasSuffix(rest[0], "]") {
					rest = rest[1:]
				}
				if len(rest) > 0 {
					rest = rest[1:]
				}
			}
			if len(rest) > 0 {
				uris = append(uris, rest[0])
			}
		}
	}
	for i := range uris {
		uris[i] = strings.TrimRight(uris[i], "/")
	}
	return uris
}

// mirrorOf picks the Debian archive among addresses, and its security part: listed itself, or beside the archive.
func mirrorOf(uris []string) mirror {
	var m mirror
	for _, uri := range uris {
		plain := strings.TrimSuffix(uri, ".list") // mirror+file:/etc/apt/mirrors/debian.list
		switch {
		case m.archive == "" && strings.HasSuffix(plain, "/debian"):
			m.archive = uri
		case m.security == "" && strings.HasSuffix(plain, "/debian-security"):
			m.security = uri
		}
	}
	if m.archive == "" {
		m.archive = "http:" + "//" + debianHost + "/debian"
	}
	if m.security == "" {
		suffix := ""
		if strings.HasSuffix(m.archive, ".list") {
			suffix = ".list"
		}
		m.security = strings.TrimSuffix(m.archive, suffix) + "-security" + suffix
	}
	return m
}

// wants says which packages make a server.
type wants struct {
	// closure are the packages whose dependencies are wanted too; alone are wanted by themselves.
	closure, alone []string
}

func wantsFor(f Flavour, m mirror, keyring string) (sources string, w wants) {
	line := func(uri, suite string) string {
		return "deb [signed-by=" + keyring + "] " + uri + " " + suite + " main\n"
	}
	if f == MariaDB {
		return line(m.archive, "bookworm") + line(m.archive, "bookworm-updates") + line(m.security, "bookworm-security"), wants{
			closure: []string{"mariadb-server-core", "mariadb-client-core"},
			alone:   []string{"mariadb-server", "mariadb-client", "tzdata"}, // these hold tools: mariadb-tzinfo-to-sql, mariadb-dump
		}
	}
	return line(m.archive, "unstable"), wants{
		closure: []string{"mysql-server-core", "mysql-client-core"},
		alone:   []string{"tzdata", "tzdata-legacy"},
	}
}

// unneeded lists beginnings of package names that the servers depend on but never load.
var unneeded = []string{"perl", "libperl", "gcc-", "libdb5", "libgdbm", "libc-gconv", "debconf", "openssl-provider-legacy"}

func needed(pkg string) bool {
	for _, prefix := range unneeded {
		if strings.HasPrefix(pkg, prefix) {
			return false
		}
	}
	return true
}
