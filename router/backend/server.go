package backend

import (
	"strconv"
	"strings"
)

// server is what a node's greeting says about its program.
type server struct {
	version string
	mariadb bool
	// oldIsolation: the server knows the isolation variables only by their old names.
	oldIsolation bool
}

// parseVersion reads a greeting's version. MariaDB servers may prefix theirs with "5.5.5-", for old replicas.
func parseVersion(v string) server {
	s := server{version: strings.TrimPrefix(v, "5.5.5-"), mariadb: strings.Contains(strings.ToLower(v), "mariadb")}
	if s.mariadb {
		major, rest, _ := strings.Cut(s.version, ".")
		minor, _, _ := strings.Cut(rest, ".")
		a, errA := strconv.Atoi(major)
		b, errB := strconv.Atoi(minor)
		s.oldIsolation = errA != nil || errB != nil || a < 11 || a == 11 && b < 1
	}
	return s
}

// variable gives a session variable's name on this server.
func (s server) variable(name string) string {
	if s.oldIsolation {
		switch name {
		case "transaction_isolation":
			return "tx_isolation"
		case "transaction_read_only":
			return "tx_read_only"
		}
	}
	return name
}

// identitySQL reads the server's own identity.
func (s server) identitySQL() string {
	if s.mariadb {
		return "SELECT uuid FROM ballast_sys.server WHERE id = 1"
	}
	return "SELECT @@server_uuid"
}
