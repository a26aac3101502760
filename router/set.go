package router

import (
	"context"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/backend"
	"ballast/router/plan"
	"ballast/rules/catalog"
	"ballast/sqlfront/wire"
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
		return s.setEach(ctx, n)
	}
	return s.setOnNode(ctx, st.text, as)
}

// setTransaction handles the forms of SET that are about transactions. Those for the next transaction only are kept and said to each node
// that joins it.
func (s *Session) setTransaction(ctx context.Context, n *ast.SetStmt, st *statement) (done bool, err error) {
	words := strings.Fields(strings.ToUpper(st.plan.Norm))
	once := len(words) > 1 && words[1] == "TRANSACTION"
	session := len(words) > 2 && words[2] == "TRANSACTION"
	if !once && !session {
		// SET @@transaction_isolation, without a scope, is for the next transaction as well.
		for _, v := range [...]string{"@@TRANSACTION_ISOLATION", "@@TX_ISOLATION", "@@TRANSACTION_READ_ONLY", "@@TX_READ_ONLY"} {
			once = once || len(n.Variables) == 1 && len(words) > 1 && strings.HasPrefix(words[1], v)
		}
	}
	switch {
	case once && s.inTransaction():
		return true, errTransactionOpen.New()
	case once:
		s.txn.once = append(s.txn.once, string(st.text))
		return true, nil
	case session && words[1] == "GLOBAL":
		return true, errSetGlobal.New("GLOBAL TRANSACTION")
	case session:
		return true, s.setOnNode(ctx, st.text, s.transactionAssignments(n))
	default:
		return false, nil
	}
}

// transactionAssignments names the variables that SET SESSION TRANSACTION sets; the flavors call them differently.
func (s *Session) transactionAssignments(n *ast.SetStmt) []assignment {
	prefix := "transaction_"
	if s.flavor() == catalog.MariaDB {
		prefix = "tx_"
	}
	var as []assignment
	for _, v := range n.Variables {
		if strings.Contains(strings.ToLower(v.Name), "isolation") {
			as = append(as, assignment{prefix + "isolation", v.Value})
		} else {
			as = append(as, assignment{prefix + "read_only", v.Value})
		}
	}
	return as
}

// flavor is the nodes' flavor: one cluster has one.
func (s *Session) flavor() catalog.Flavor {
	for i := range s.env.Snapshot.Nodes {
		if !s.env.Snapshot.Nodes[i].Removed {
			return s.env.Snapshot.Nodes[i].Flavor
		}
	}
	return catalog.MySQL
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
func (s *Session) setEach(ctx context.Context, st *ast.SetStmt) error {
	for _, v := range st.Variables {
		name := strings.ToLower(v.Name)
		one := *st
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
			if err := s.setOnNode(ctx, []byte("SET "+target+" = "+lit), []assignment{{full, v.Value}}); err != nil {
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
		if err := s.setOnNode(ctx, []byte(sql), as); err != nil {
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
func (s *Session) setOnNode(ctx context.Context, sql []byte, as []assignment) error {
	key := settingKey{s.settings, string(sql)}
	if next, ok := s.router.settingsSeen.get(key); ok {
		return s.adoptSettings(ctx, next)
	}
	k, err := s.acquireAny(ctx)
	if err != nil {
		return err
	}
	next, err := s.setOn(ctx, k, sql, as)
	if err != nil {
		s.discard(k) // what a failed SET has done already is not known
		return err
	}
	if setsCharsets(as) {
		k.AdoptApartFromCharsets(next)
	} else {
		k.Adopt(next)
	}
	s.giveBack(k)
	if literalOnly(as) {
		s.router.settingsSeen.put(key, next)
	}
	return s.adoptSettings(ctx, next)
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

// acquireAny takes a connection outside any transaction, to a node that answers.
func (s *Session) acquireAny(ctx context.Context) (*backend.Conn, error) {
	var last error = errNoNode.New()
	for _, up := range [...]bool{true, false} { // those that are down only if there is no other
		for i := range s.env.Snapshot.Nodes {
			n := (i + int(s.client.ID)) % len(s.env.Snapshot.Nodes)
			if s.env.Snapshot.Nodes[n].Removed || s.router.cluster.Up(n) != up {
				continue
			}
			k, err := s.acquire(ctx, n)
			if err == nil {
				return k, nil
			}
			last = err
		}
	}
	return nil, last
}

// setOn runs a SET on a connection and gives the settings that it leads to, if Ballast can keep its promises under them.
func (s *Session) setOn(ctx context.Context, k *backend.Conn, sql []byte, as []assignment) (*backend.Settings, error) {
	if _, err := k.Exec(ctx, sql); err != nil {
		return nil, err
	}
	next, err := s.readBack(ctx, k, as)
	if err != nil {
		return nil, err
	}
	return next, s.checkSettings(next)
}

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
	s.env.Clock = get("timestamp", "")
	limit := get("sql_select_limit", unlimitedSelect)
	s.selectLimit = limit != unlimitedSelect
	s.env.DB = s.settings.DB()
	s.shown.Store(s.settings)
}

// unlimitedSelect is the default of sql_select_limit.
const unlimitedSelect = "18446744073709551615"
