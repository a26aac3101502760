package router

import (
	"context"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/backend"
)

// assignment is one part of a SET statement.
type assignment struct {
	// name is a system variable in lower case, or a user variable in lower case with '@' before it.
	name string
	// value is what is assigned; nil for the forms that set several variables (NAMES, CHARACTER SET).
	value ast.ExprNode
}

// set is the SET statement. What is assigned is computed by a node: the statement runs there under the session's settings, and the values
// it left are read back as literals and become the session's settings. So expressions, defaults and errors are the server's own.
func (s *Session) set(ctx context.Context, n *ast.SetStmt, st *statement) error {
	if done, err := s.setTransaction(ctx, n, st); done || err != nil {
		return err
	}
	as, err := s.assignments(n)
	if err != nil {
		return err
	}
	if s.needsRewrite(n, as) {
		return s.setEach(ctx, st, n)
	}
	return s.setOnNode(ctx, st, st.text, as)
}

// assignments checks every part before anything is done.
func (s *Session) assignments(st *ast.SetStmt) ([]assignment, error) {
	out := make([]assignment, 0, len(st.Variables)+3)
	for _, v := range st.Variables {
		name := strings.ToLower(v.Name)
		switch {
		case v.Name == ast.SetNames, v.Name == ast.SetCharset:
			out = append(out, assignment{name: v.Name, value: v.Value})
		case !v.IsSystem:
			out = append(out, assignment{"@" + name, v.Value})
		case v.IsGlobal || v.IsInstance:
			return nil, errSetGlobal.New("GLOBAL " + name)
		default:
			if err := s.checkVariable(name, v.Value); err != nil {
				return nil, err
			}
			out = append(out, assignment{name, v.Value})
		}
	}
	return out, nil
}

func (s *Session) checkVariable(name string, value ast.ExprNode) error {
	rule := ruleOf(name)
	switch rule.policy {
	case refused:
		return errSetVariable.New(name, valueText(value), rule.why)
	case fixed:
		text := strings.ToLower(valueText(value))
		for _, a := range rule.allow {
			if a == text {
				return nil
			}
		}
		return errSetVariable.New(name, valueText(value), rule.why)
	default:
		return nil
	}
}

// needsRewrite says whether the statement holds parts that a node must not see, or that the router computes.
func (s *Session) needsRewrite(st *ast.SetStmt, as []assignment) bool {
	for i, a := range as {
		if ruleOf(a.name).policy == own {
			return true
		}
		if a.value != nil && st.Variables[i].Name != ast.SetNames && st.Variables[i].Name != ast.SetCharset && readsSession(a.value) {
			return true
		}
	}
	return false
}

// setEach runs a SET whose values need tables or the session's own functions: each value is computed first, by the ordinary path of a
// SELECT, and then set as a literal.
func (s *Session) setEach(ctx context.Context, st *statement, n *ast.SetStmt) error {
	for _, v := range n.Variables {
		name := strings.ToLower(v.Name)
		one := *n
		one.Variables = []*ast.VariableAssignment{v}
		switch {
		case v.Name == ast.SetNames, v.Name == ast.SetCharset, v.Value == nil:
		case readsSession(v.Value):
			lit, err := s.evaluate(ctx, v.Value)
			if err != nil {
				return err
			}
			if ruleOf(name).policy == own && v.IsSystem {
				if err := s.setOwn(name, lit); err != nil {
					return err
				}
				continue
			}
			target := "SESSION " + quoteName(name)
			full := name
			if !v.IsSystem {
				target, full = "@"+quoteName(name), "@"+name
			}
			if err := s.setOnNode(ctx, st, []byte("SET "+target+" = "+lit), []assignment{{full, v.Value}}); err != nil {
				return err
			}
			continue
		case ruleOf(name).policy == own && v.IsSystem:
			lit, err := s.evaluate(ctx, v.Value)
			if err != nil {
				return err
			}
			if err := s.setOwn(name, lit); err != nil {
				return err
			}
			continue
		}
		as, err := s.assignments(&one)
		if err != nil {
			return err
		}
		sql, err := restore(&one)
		if err != nil {
			return err
		}
		if err := s.setOnNode(ctx, st, []byte(sql), as); err != nil {
			return err
		}
	}
	return nil
}

// setOwn sets what only the session knows.
func (s *Session) setOwn(name, literal string) error {
	v, rest := leadingNumber(literal)
	if rest != "" || literal == "" {
		return errSetVariable.New(name, literal, "takes a number here")
	}
	s.last.insertID = v
	return nil
}

// setOnNode runs a SET on a connection and takes over what it did.
func (s *Session) setOnNode(ctx context.Context, st *statement, sql []byte, as []assignment) error {
	key := settingKey{s.settings, string(sql)}
	seen, ok := s.router.settingsSeen.get(key)
	if !ok {
		k, err := s.acquireAny(ctx)
		if err != nil {
			return err
		}
		if seen, err = s.setOn(ctx, k, sql, as); err != nil {
			s.discard(k) // what a failed SET has done already is not known
			return err
		}
		if setsCharsets(as) {
			k.AdoptApartFromCharsets(seen.next)
		} else {
			k.Adopt(seen.next)
		}
		s.giveBack(k)
		if literalOnly(as) {
			s.router.settingsSeen.put(key, seen)
		}
	}
	st.warned = append(st.warned, seen.warned...)
	return s.adoptSettings(ctx, seen.next)
}

// setsCharsets says whether a SET is about the character sets of the session.
func setsCharsets(as []assignment) bool {
	for _, n := range settingNames(as) {
		switch n {
		case "character_set_client", "character_set_results", "collation_connection":
			return true
		}
	}
	return false
}

// setOn runs a SET on a connection and gives what it leads to, if Ballast can keep its promises under that.
func (s *Session) setOn(ctx context.Context, k *backend.Conn, sql []byte, as []assignment) (settingsOutcome, error) {
	var out settingsOutcome
	ok, err := k.Exec(ctx, sql)
	if err == nil && ok.Warnings > 0 {
		out.warned, err = s.fetchWarnings(ctx, k)
	}
	if err == nil {
		out.next, err = s.readBack(ctx, k, as)
	}
	if err == nil {
		err = s.checkSettings(out.next)
	}
	return out, err
}
