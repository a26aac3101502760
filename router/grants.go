package router

import (
	"context"
	"sort"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/engine"
	"ballast/rules/catalog"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// showGrants tells a user's rights in MySQL's words.
func (s *Session) showGrants(ctx context.Context, st *statement, n *ast.ShowStmt, r *sqlfront.Reply) error {
	name := s.user
	if n.User != nil && !n.User.CurrentUser && n.User.Username != s.user {
		if err := s.needAdmin("SHOW GRANTS of others"); err != nil {
			return err
		}
		name = n.User.Username
	}
	u := s.env.Snapshot.Users[name]
	if u == nil {
		return errNoGrant.New(name, "%")
	}
	v := &engine.Values{Columns: []wire.Column{textColumn("Grants for "+name+"@%", 1024)}}
	for _, line := range grantLines(u) {
		v.Rows = append(v.Rows, []any{line})
	}
	return s.runValues(ctx, st, v, r)
}

func grantLines(u *catalog.User) []string {
	who := " TO " + quoteName(u.Name) + "@`%`"
	lines := []string{"GRANT USAGE ON *.*" + who}
	schemas := make([]string, 0, len(u.Rights))
	for schema := range u.Rights {
		schemas = append(schemas, schema)
	}
	sort.Strings(schemas)
	for _, schema := range schemas {
		on := quoteName(schema) + ".*"
		if schema == "*" {
			on = "*.*"
		}
		right := u.Rights[schema]
		if right == catalog.Read|catalog.Write|catalog.DDL|catalog.Admin {
			lines = append(lines, "GRANT ALL PRIVILEGES ON "+on+who)
			continue
		}
		var words []string
		if right&catalog.Read != 0 {
			words = append(words, "SELECT")
		}
		if right&catalog.Write != 0 {
			words = append(words, "INSERT", "UPDATE", "DELETE")
		}
		if right&catalog.DDL != 0 {
			words = append(words, "CREATE", "DROP", "ALTER", "INDEX")
		}
		if right&catalog.Admin != 0 {
			words = append(words, "PROCESS")
		}
		if len(words) > 0 {
			lines = append(lines, "GRANT "+strings.Join(words, ", ")+" ON "+on+who)
		}
	}
	return lines
}
