package router

import (
	"net"
	"strings"

	"ballast/router/plan"
	"ballast/rules/catalog"
)

// Schemas that belong to the servers or to Ballast itself.
func systemSchema(name string) bool {
	switch strings.ToLower(name) {
	case "information_schema", "performance_schema", "mysql", "sys":
		return true
	}
	return false
}

func ballastSchema(name string) bool {
	return strings.HasPrefix(strings.ToLower(name), "ballast_")
}

// currentUser is the session's account in the snapshot of the statement; nil if it was removed since.
func (s *Session) currentUser() *catalog.User {
	if s.env.Snapshot == nil {
		return nil
	}
	return s.env.Snapshot.Users[s.user]
}

// mayRun is checkRights for a statement's plan. The last few plans that were allowed are remembered until a new snapshot is taken.
func (s *Session) mayRun(p *plan.Plan) bool {
	a := &s.allowed[p.Digest.Lo%uint64(len(s.allowed))]
	if a.plan == p && a.user == s.user {
		return true
	}
	if s.checkRights(p.Accesses) != nil {
		return false
	}
	*a = allowed{p, s.user}
	return true
}

// allowed is a plan that a user may run.
type allowed struct {
	plan *plan.Plan
	user string
}

// checkRights compares what a statement does to tables with what the user may do.
func (s *Session) checkRights(accesses []plan.Access) error {
	u := s.currentUser()
	if u == nil {
		return errUserGone.New(s.user, s.host())
	}
	for i := range accesses {
		a := &accesses[i]
		if mayAccess(u, a) {
			continue
		}
		if a.Table == "" {
			return errAccessDB.New(s.user, s.host(), a.Schema)
		}
		return errAccessTable.New(commandOf(a.Need), s.user, s.host(), a.Table)
	}
	return nil
}

// mayAccess says whether a user may do what an access needs. The servers' own schemas are for reading, those that tell of accounts are
// closed, and Ballast's are, too.
func mayAccess(u *catalog.User, a *plan.Access) bool {
	if ballastSchema(a.Schema) {
		return false
	}
	if systemSchema(a.Schema) {
		return a.Need == catalog.Read && canUse(u, a.Schema)
	}
	return u.Can(a.Schema, a.Need)
}

// canUse says whether the user may have a database as default, or see it: any right on it will do.
func canUse(u *catalog.User, schema string) bool {
	if ballastSchema(schema) {
		return false
	}
	switch strings.ToLower(schema) {
	case "information_schema":
		return true
	case "performance_schema", "mysql", "sys":
		return false
	}
	return u.Rights["*"]|u.Rights[schema] != 0
}

func commandOf(need catalog.Right) string {
	switch {
	case need&catalog.Write != 0:
		return "INSERT, UPDATE, DELETE"
	case need&catalog.DDL != 0:
		return "CREATE, ALTER, DROP"
	case need&catalog.Admin != 0:
		return "ADMIN"
	default:
		return "SELECT"
	}
}

// host is the client's address without its port, as in 'user'@'host'.
func (s *Session) host() string {
	if s.client.Addr == nil {
		return "localhost"
	}
	h, _, err := net.SplitHostPort(s.client.Addr.String())
	if err != nil {
		return "localhost" // a Unix socket has no port
	}
	return h
}

const readRight = catalog.Read
