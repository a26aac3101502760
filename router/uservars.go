package router

import (
	"context"
	"strings"

	"ballast/router/backend"
	"ballast/router/plan"
	"ballast/sqlfront/wire"
)

// User variables are settings like the others, under the name that SQL gives them: "@`name`", in lower case. A connection gets a
// session's values together with the first statement, and loses them before another session's.

// userVariable is the settings' name of a user variable.
func userVariable(name string) string { return "@" + quoteName(strings.ToLower(name)) }

// maxUserVariables bounds the bytes of a session's user variables.
const maxUserVariables = 1 << 20

func (s *Session) checkUserVariables(next *backend.Settings) error {
	size := 0
	next.Each(func(name, literal string) {
		if name[0] == '@' {
			size += len(name) + len(literal)
		}
	})
	if size > maxUserVariables {
		return errUserVariables.New(maxUserVariables)
	}
	return nil
}

// userLiteral writes a user variable's value so that assigning it gives the same type again. Row holds the value, HEX, CHARSET and
// COLLATION of it.
func userLiteral(c wire.Column, row [][]byte) string {
	v := row[0]
	if v == nil {
		return "NULL"
	}
	if lit, ok := numberLiteral(c, v); ok {
		return lit
	}
	charset, coll := string(row[2]), string(row[3])
	if charset == "binary" {
		return "X'" + string(row[1]) + "'"
	}
	return "_" + charset + " X'" + string(row[1]) + "' COLLATE " + coll
}

// numberLiteral writes a number of a column's type as SQL; ok is false for other types.
func numberLiteral(c wire.Column, v []byte) (lit string, ok bool) {
	switch c.Type {
	case wire.TypeTiny, wire.TypeShort, wire.TypeLong, wire.TypeLongLong, wire.TypeInt24, wire.TypeYear:
		return string(v), true
	case wire.TypeNewDecimal, wire.TypeDecimal:
		if strings.IndexByte(string(v), '.') < 0 {
			return "CAST(" + string(v) + " AS DECIMAL(65,0))", true
		}
		return string(v), true
	case wire.TypeDouble, wire.TypeFloat:
		if strings.ContainsAny(string(v), "eE") {
			return string(v), true
		}
		return string(v) + "e0", true
	default:
		return "", false
	}
}

// variableLiteral gives a user variable's value for a slot of a statement.
func (s *Session) variableLiteral(name string) plan.Literal {
	text, ok := s.settings.Get(userVariable(name))
	if !ok {
		return plan.Literal{Kind: plan.LitNull, Bare: true}
	}
	return literalOf(text)
}

// literalOf makes a slot's content of a user variable's literal.
func literalOf(text string) plan.Literal {
	switch {
	case text == "NULL":
		return plan.Literal{Kind: plan.LitNull, Bare: true}
	case strings.HasPrefix(text, "CAST("):
		return plan.Literal{Raw: []byte(text[len("CAST("):strings.IndexByte(text, ' ')] + "."), Kind: plan.LitDecimal, Bare: true}
	case text[0] == 'X':
		return plan.Literal{Raw: unhex(text[2 : len(text)-1]), Kind: plan.LitBytes, Bare: true}
	case text[0] == '_':
		from := strings.IndexByte(text, '\'') + 1
		to := from + strings.IndexByte(text[from:], '\'')
		return plan.Literal{Raw: unhex(text[from:to]), Kind: plan.LitString, Bare: true}
	case strings.ContainsAny(text, "eE"):
		return plan.Literal{Raw: []byte(text), Kind: plan.LitFloat, Bare: true}
	case strings.IndexByte(text, '.') >= 0:
		return plan.Literal{Raw: []byte(text), Kind: plan.LitDecimal, Bare: true}
	default:
		return plan.Literal{Raw: []byte(text), Kind: plan.LitInt, Bare: true}
	}
}

func unhex(s string) []byte {
	out := make([]byte, len(s)/2)
	for i := range out {
		out[i] = hexDigit(s[2*i])<<4 | hexDigit(s[2*i+1])
	}
	return out
}

func hexDigit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	default:
		return c - 'A' + 10
	}
}

// readAssigned takes over the user variables that a statement assigned on its node.
func (s *Session) readAssigned(ctx context.Context, k *backend.Conn, names []string) error {
	as := make([]assignment, len(names))
	for i, n := range names {
		as[i].name = "@" + n
	}
	next, err := s.readBack(ctx, k, as)
	if err != nil {
		return err
	}
	k.Adopt(next)
	return s.adoptSettings(ctx, next)
}
