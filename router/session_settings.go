package router

import (
	"context"
	"strings"

	"ballast/router/backend"
	"ballast/router/plan"
)

// checkSettings refuses what the router could not keep its promises under.
func (s *Session) checkSettings(next *backend.Settings) error {
	if cs, ok := next.Get("character_set_client"); ok && !safeCharset(unquote(cs)) {
		return errCharset.New(unquote(cs))
	}
	if mode, ok := next.Get("sql_mode"); ok {
		if _, bad := modeFlags(unquote(mode)); bad != "" {
			return errSetVariable.New("sql_mode", bad, modesRefused[bad])
		}
	}
	if u := s.currentUser(); u != nil && u.SafeUpdates {
		if v, ok := next.Get("sql_safe_updates"); !ok || v != "1" {
			return errSafeUpdates.New()
		}
	}
	return nil
}

// adoptSettings makes a set of settings the session's own. Switching autocommit on commits, as on a server.
func (s *Session) adoptSettings(ctx context.Context, next *backend.Settings) error {
	was := s.autocommit
	auto := true
	if v, ok := next.Get("autocommit"); ok {
		auto = v == "1"
	} else if !s.router.defaultAutocommit() {
		auto = false
	}
	if !was && auto {
		if err := s.commit(ctx); err != nil {
			return err
		}
	}
	s.settings = next
	s.autocommit = auto
	s.deriveEnv()
	return nil
}

// deriveEnv brings what planning depends on in line with the settings.
func (s *Session) deriveEnv() {
	get := func(name, otherwise string) string {
		if v, ok := s.settings.Get(name); ok {
			return unquote(v)
		}
		return otherwise
	}
	flags, _ := modeFlags(get("sql_mode", s.router.nodeDefault("sql_mode")))
	keep := plan.Flags(0)
	if s.class&backend.FoundRows != 0 {
		keep = plan.FoundRows
	}
	if get("sql_safe_updates", s.router.nodeDefault("sql_safe_updates")) == "1" {
		keep |= plan.SafeUpdates
	}
	s.env.Flags = flags&modeMask | keep
	s.env.Charset = get("character_set_client", "utf8mb4")
	s.env.Collation = get("collation_connection", "utf8mb4_general_ci")
	s.env.TimeZone = get("time_zone", s.router.nodeDefault("time_zone"))
	if strings.EqualFold(s.env.TimeZone, "SYSTEM") && s.router.nodeDefault("system_time_zone") == "UTC" {
		s.env.TimeZone = "UTC" // of all nodes: the master checks that they agree
	}
	s.env.Clock = get("timestamp", "")
	limit := get("sql_select_limit", unlimitedSelect)
	s.selectLimit = limit != unlimitedSelect
	s.env.DB = s.settings.DB()
	s.shown.Store(s.settings)
}

// unlimitedSelect is the default of sql_select_limit.
const unlimitedSelect = "18446744073709551615"
