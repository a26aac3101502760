package router

import (
	"sort"
	"time"

	"ballast/router/engine"
	"ballast/rules/catalog"
	"ballast/sqlfront/wire"
)

// processlist is SHOW PROCESSLIST: this router's sessions, all of them for an administrator, else the user's own.
func (s *Session) processlist(full bool) *engine.Values {
	cols := []wire.Column{
		numberColumn("Id", 21), textColumn("User", 32), textColumn("Host", 261), textColumn("db", 64), textColumn("Command", 16),
		numberColumn("Time", 7), textColumn("State", 64), textColumn("Info", 100),
	}
	u := s.currentUser()
	all := u != nil && u.Can("*", catalog.Admin)
	sessions := s.router.roster.all()
	sort.Slice(sessions, func(i, j int) bool { return sessions[i].client.ID < sessions[j].client.ID })
	now := time.Now()
	var rows [][]any
	for _, o := range sessions {
		if !all && o.user != s.user {
			continue
		}
		row := []any{uint64(o.client.ID), o.user, addrText(o), nil, "Sleep", int64(0), "", nil}
		if set := o.shown.Load(); set != nil && set.DB() != "" {
			row[3] = set.DB()
		}
		row[5] = int64(now.Sub(time.Unix(0, o.since.Load())) / time.Second)
		if p := o.running.Load(); p != nil {
			info := digestText(p) // never the text itself: it may hold secrets
			if !full && len(info) > 100 {
				info = info[:100]
			}
			row[4], row[6], row[7] = "Query", "executing", info
		}
		rows = append(rows, row)
	}
	return &engine.Values{Columns: cols, Rows: rows}
}

func addrText(s *Session) string {
	if s.client.Addr == nil {
		return "localhost"
	}
	return s.client.Addr.String()
}
