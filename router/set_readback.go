package router

import (
	"context"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/backend"
	"ballast/sqlfront/wire"
)

// readBack asks for the values of everything that was assigned.
func (s *Session) readBack(ctx context.Context, k *backend.Conn, as []assignment) (*backend.Settings, error) {
	names := settingNames(as)
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, n := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		if strings.HasPrefix(n, "@") {
			v := "@" + quoteName(n[1:])
			b.WriteString(v + ", HEX(" + v + "), CHARSET(" + v + "), COLLATION(" + v + ")")
		} else {
			b.WriteString("@@SESSION." + quoteName(n))
		}
	}
	cols, rows, err := smallAnswer(ctx, k, []byte(b.String()))
	if err != nil {
		return nil, err
	}
	next := s.settings
	row, at := rows[0], 0
	for _, n := range names {
		if strings.HasPrefix(n, "@") {
			lit := userLiteral(cols[at], row[at:at+4])
			at += 4
			if lit == "NULL" {
				next = next.Without("@" + quoteName(n[1:]))
			} else {
				next = next.With("@"+quoteName(n[1:]), lit)
			}
			continue
		}
		if n == "timestamp" && isDefault(as, n) {
			next = next.Without(n)
		} else {
			next = withVariable(next, n, settingLiteral(cols[at], row[at]))
		}
		at++
	}
	return next, s.checkUserVariables(next)
}

// withVariable adds a variable; one that has the value of every new connection is left out, so that equal states are equal settings.
func withVariable(set *backend.Settings, name, literal string) *backend.Settings {
	switch {
	case (name == "character_set_client" || name == "character_set_results") && unquote(literal) == "utf8mb4",
		name == "collation_connection" && unquote(literal) == "utf8mb4_general_ci":
		return set.Without(name)
	default:
		return set.With(name, literal)
	}
}

// settingNames lists what to read back. Names that depend on each other come together.
func settingNames(as []assignment) []string {
	var names []string
	add := func(more ...string) {
		for _, n := range more {
			if !contains(names, n) {
				names = append(names, n)
			}
		}
	}
	for _, a := range as {
		switch a.name {
		case ast.SetNames, ast.SetCharset:
			add("character_set_client", "character_set_results", "collation_connection")
		case "character_set_connection", "collation_connection":
			add("collation_connection")
		case "tx_isolation", "transaction_isolation":
			add(a.name)
		default:
			add(a.name)
		}
	}
	return names
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func isDefault(as []assignment, name string) bool {
	for _, a := range as {
		if a.name == name {
			text := strings.ToLower(valueText(a.value))
			return text == "default" || text == "0"
		}
	}
	return false
}

// settingLiteral writes a system variable's value as SQL.
func settingLiteral(c wire.Column, v []byte) string {
	if v == nil {
		return "NULL"
	}
	switch c.Type {
	case wire.TypeTiny, wire.TypeShort, wire.TypeLong, wire.TypeLongLong, wire.TypeInt24, wire.TypeDouble, wire.TypeFloat,
		wire.TypeNewDecimal, wire.TypeDecimal:
		return string(v)
	default:
		return quoteString(string(v))
	}
}
