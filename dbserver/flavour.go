package dbserver

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Flavour is the kind of server: MySQL or MariaDB. One cluster has one flavour.
type Flavour string

// The two flavours.
const (
	MySQL   Flavour = "mysql"
	MariaDB Flavour = "mariadb"
)

// Flavours lists both, in the order in which tests run them.
func Flavours() []Flavour { return []Flavour{MySQL, MariaDB} }

// ParseFlavour reads a flavour as a person writes it (any case); empty means MySQL.
func ParseFlavour(s string) (Flavour, error) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "", "mysql":
		return MySQL, nil
	case "mariadb":
		return MariaDB, nil
	}
	return "", errUnknownFlavour.New(s)
}

// String gives the name as written in flags and folders.
func (f Flavour) String() string { return string(f) }

// Title gives the name as people write it.
func (f Flavour) Title() string {
	if f == MariaDB {
		return "MariaDB"
	}
	return "MySQL"
}

// Version is a server's version number.
type Version struct{ Major, Minor, Patch int }

// String gives "major.minor.patch".
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// AtLeast tells whether v is w or newer.
func (v Version) AtLeast(w Version) bool {
	if v.Major != w.Major {
		return v.Major > w.Major
	}
	if v.Minor != w.Minor {
		return v.Minor > w.Minor
	}
	return v.Patch >= w.Patch
}

// Minimum gives the oldest version of the flavour that Ballast supports.
func (f Flavour) Minimum() Version {
	if f == MariaDB {
		return Version{Major: 10, Minor: 11}
	}
	return Version{Major: 8, Minor: 4}
}

var versionNumber = regexp.MustCompile(`Ver (\d+)\.(\d+)(?:\.(\d+))?`)

// parseVersionLine reads what `mysqld --version` prints: "… Ver 9.7.4-2 for Linux …", "… Ver 10.11.19-MariaDB-0+deb12u1 …".
func parseVersionLine(line string) (Flavour, Version, bool) {
	m := versionNumber.FindStringSubmatch(line)
	if m == nil {
		return "", Version{}, false
	}
	var v Version
	for i, dst := range []*int{&v.Major, &v.Minor, &v.Patch} {
		if m[i+1] == "" {
			continue
		}
		n, err := strconv.Atoi(m[i+1])
		if err != nil {
			return "", Version{}, false
		}
		*dst = n
	}
	if strings.Contains(line, "MariaDB") {
		return MariaDB, v, true
	}
	return MySQL, v, true
}
