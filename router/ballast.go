package router

import (
	"context"
	"sort"
	"strings"

	"ballast/router/engine"
	"ballast/router/plan"
	"ballast/rules/catalog"
	"ballast/sqlfront"
	"ballast/sqlfront/wire"
)

// showBallast answers SHOW BALLAST …: what Ballast knows and one server would not.
func (s *Session) showBallast(ctx context.Context, st *statement, c *plan.ShowBallastCommand, r *sqlfront.Reply) error {
	what := strings.Join(c.What, " ")
	pattern := "%"
	if rest, ok := strings.CutSuffix(what, " LIKE"); ok {
		what, pattern = rest, c.Argument
	}
	var v *engine.Values
	switch what {
	case "NODES":
		v = s.ballastNodes()
	case "TABLES":
		v = s.ballastTables(pattern)
	case "SCHEMAS":
		v = s.ballastSchemas()
	case "SESSION":
		v = s.ballastSession()
	case "SEQUENCES":
		v = s.ballastSequences()
	case "VERSION":
		v = &engine.Values{Columns: []wire.Column{textColumn("Version", 40)}, Rows: [][]any{{s.env.Snapshot.Version.String()}}}
	case "USERS":
		if err := s.needAdmin("SHOW BALLAST USERS"); err != nil {
			return err
		}
		v = s.ballastUsers()
	default:
		return errShowUnknown.New(what)
	}
	return s.runValues(ctx, st, v, r)
}

func (s *Session) ballastNodes() *engine.Values {
	v := &engine.Values{What: "nodes", Columns: []wire.Column{
		textColumn("Node", 64), textColumn("Address", 128), textColumn("State", 16), textColumn("Zone", 64), numberColumn("Weight", 11),
		textColumn("Version", 64), numberColumn("Connections", 11), numberColumn("Idle", 11), numberColumn("In use", 11),
		numberColumn("Kept", 11), numberColumn("Limit", 11), numberColumn("Waiting", 11),
	}}
	stats := s.router.cluster.Stats()
	for i, n := range s.env.Snapshot.Nodes {
		if n.Removed {
			continue
		}
		row := []any{n.Name, n.Addr, "unknown", n.Zone, n.Weight, n.ServerVersion, 0, 0, 0, 0, 0, 0}
		if i < len(stats) {
			row[2] = "up"
			if stats[i].Down != nil {
				row[2] = "down"
			}
			st := stats[i]
			row = append(row[:6], st.Open, st.Idle, st.InUse, st.Kept, st.Limit, st.Waiting)
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

func (s *Session) ballastTables(pattern string) *engine.Values {
	v := &engine.Values{What: "tables", Columns: []wire.Column{
		textColumn("Schema", 64), textColumn("Table", 64), textColumn("Kind", 16), textColumn("Group", 64), textColumn("Rule", 1024), textColumn("Nodes", 256),
	}}
	u := s.currentUser()
	for _, t := range s.env.Snapshot.Tables {
		if u == nil || !canUse(u, t.Name.Schema) || !like(t.Name.Table, pattern) || s.env.DB != "" && s.env.DB != t.Name.Schema {
			continue
		}
		v.Rows = append(v.Rows, []any{t.Name.Schema, t.Name.Table, string(t.Kind), t.Group, clauseOf(t).SQL(), strings.Join(s.nodesOf(t), ", ")})
	}
	return v
}

// nodesOf names the nodes that hold rows of a table.
func (s *Session) nodesOf(t *catalog.Table) []string {
	var places []int
	switch {
	case t.Kind == catalog.Single:
		places = []int{t.SingleNode}
	case t.Kind == catalog.Global || t.Placement == nil:
		places = s.liveNodes()
	default:
		places = t.Placement.Nodes()
	}
	names := make([]string, len(places))
	for i, p := range places {
		names[i] = s.nodeName(p)
	}
	return names
}

func (s *Session) ballastSchemas() *engine.Values {
	v := &engine.Values{What: "schemas", Columns: []wire.Column{textColumn("Schema", 64), textColumn("Default rule", 1024), numberColumn("Tables", 11)}}
	count := map[string]int{}
	for _, t := range s.env.Snapshot.Tables {
		count[t.Name.Schema]++
	}
	names := make([]string, 0, len(s.env.Snapshot.Schemas))
	for name := range s.env.Snapshot.Schemas {
		names = append(names, name)
	}
	sort.Strings(names)
	u := s.currentUser()
	for _, name := range names {
		if u == nil || !canUse(u, name) {
			continue
		}
		rule := "BALANCE BY (PRIMARY KEY) HASH MOD 64"
		if d := s.env.Snapshot.Schemas[name].Default; d != nil {
			rule = d.SQL()
		}
		v.Rows = append(v.Rows, []any{name, rule, count[name]})
	}
	return v
}

// ballastSession tells what the session has and what keeps connections with it.
func (s *Session) ballastSession() *engine.Values {
	v := &engine.Values{What: "session", Columns: []wire.Column{textColumn("Name", 64), textColumn("Value", 1024)}}
	add := func(name string, value any) { v.Rows = append(v.Rows, []any{name, value}) }
	add("connection id", itoa(uint64(s.client.ID)))
	add("router", itoa(uint64(s.router.roster.router.Load())))
	add("user", s.user)
	add("rules version", s.env.Snapshot.Version.String())
	state := "none"
	switch {
	case s.txn.explicit:
		state = "explicit"
	case len(s.txn.branches) > 0:
		state = "autocommit is off"
	}
	add("transaction", state)
	var pinned []string
	for _, b := range s.txn.branches {
		name := s.nodeName(b.node)
		if b.node == s.txn.writer {
			name += " (writes)"
		}
		pinned = append(pinned, name)
	}
	add("pinned connections", strings.Join(pinned, ", "))
	if s.locks != nil {
		add("named locks on", s.locks.NodeName())
	}
	add("savepoints", strings.Join(s.txn.savepoints, ", "))
	s.settings.Each(func(name, literal string) {
		if name[0] == '@' {
			add(name, "(set)")
		} else {
			add(name, literal)
		}
	})
	return v
}

func (s *Session) ballastSequences() *engine.Values {
	v := &engine.Values{What: "sequences", Columns: []wire.Column{textColumn("Sequence", 128), textColumn("Table", 128)}}
	u := s.currentUser()
	for _, t := range s.env.Snapshot.Tables {
		if t.Sequence != "" && u != nil && canUse(u, t.Name.Schema) {
			v.Rows = append(v.Rows, []any{t.Sequence, t.Name.String()})
		}
	}
	return v
}

func (s *Session) ballastUsers() *engine.Values {
	v := &engine.Values{What: "users", Columns: []wire.Column{textColumn("User", 32), textColumn("Rights", 1024), textColumn("Safe updates", 8)}}
	names := make([]string, 0, len(s.env.Snapshot.Users))
	for name := range s.env.Snapshot.Users {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		u := s.env.Snapshot.Users[name]
		safe := "no"
		if u.SafeUpdates {
			safe = "yes"
		}
		v.Rows = append(v.Rows, []any{name, rightsText(u), safe})
	}
	return v
}

func rightsText(u *catalog.User) string {
	schemas := make([]string, 0, len(u.Rights))
	for schema := range u.Rights {
		schemas = append(schemas, schema)
	}
	sort.Strings(schemas)
	for i, schema := range schemas {
		var words []string
		for _, w := range []struct {
			right catalog.Right
			word  string
		}{{catalog.Read, "read"}, {catalog.Write, "write"}, {catalog.DDL, "ddl"}, {catalog.Admin, "admin"}} {
			if u.Rights[schema]&w.right != 0 {
				words = append(words, w.word)
			}
		}
		schemas[i] = schema + ": " + strings.Join(words, ", ")
	}
	return strings.Join(schemas, "; ")
}
