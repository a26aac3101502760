package backend

import (
	"runtime"
	"sort"
	"strings"
	"sync"
	"weak"
)

// Settings is the state of a session that a backend connection must have before it may run the session's statements: the default
// database and session variables. A Settings is immutable and interned: equal sets are the same pointer, so "nothing to do" is one
// comparison. It begins with Cluster.Settings, the empty set.
type Settings struct {
	home *interner
	db   string
	vars []variable // sorted by name
	// parse identifies what changes the meaning of a prepared text; equal strings are equal meanings.
	parse string
}

type variable struct{ name, literal string }

// The variables that every connection has from its handshake on. A set that does not name them means these values, not the server's
// global ones.
var handshakeVars = [...]variable{
	{clientCharset, "utf8mb4"},
	{resultsCharset, "utf8mb4"},
	{connectionCollation, "utf8mb4_general_ci"},
}

// DB is the default database; "" is none.
func (s *Settings) DB() string { return s.db }

// Get gives a variable's SQL literal, if the set names it.
func (s *Settings) Get(name string) (literal string, ok bool) {
	if i, found := s.find(name); found {
		return s.vars[i].literal, true
	}
	return "", false
}

// Len is the number of variables named.
func (s *Settings) Len() int { return len(s.vars) }

// Each calls f for every variable, sorted by name.
func (s *Settings) Each(f func(name, literal string)) {
	for _, v := range s.vars {
		f(v.name, v.literal)
	}
}

// WithDB gives the same variables under another default database.
func (s *Settings) WithDB(db string) *Settings {
	if db == s.db {
		return s
	}
	return s.home.intern(db, s.vars)
}

// With names a variable's value. The name is a session system variable in lower case; the literal is complete SQL (quotes included)
// and has been accepted by a server before: it goes into a SET statement as it is.
func (s *Settings) With(name, literal string) *Settings {
	i, found := s.find(name)
	if found && s.vars[i].literal == literal {
		return s
	}
	vars := make([]variable, 0, len(s.vars)+1)
	vars = append(vars, s.vars[:i]...)
	vars = append(vars, variable{name, literal})
	if found {
		i++
	}
	return s.home.intern(s.db, append(vars, s.vars[i:]...))
}

// Without takes a variable back to the server's global value.
func (s *Settings) Without(name string) *Settings {
	i, found := s.find(name)
	if !found {
		return s
	}
	vars := make([]variable, 0, len(s.vars))
	vars = append(vars, s.vars[:i]...)
	return s.home.intern(s.db, append(vars, s.vars[i+1:]...))
}

func (s *Settings) find(name string) (int, bool) {
	i := sort.Search(len(s.vars), func(i int) bool { return s.vars[i].name >= name })
	return i, i < len(s.vars) && s.vars[i].name == name
}

// leavesVariables says whether s names a user variable that to does not. User variables are named as SQL does, so they come first.
func (s *Settings) leavesVariables(to *Settings) bool {
	if s == nil || s == to {
		return false
	}
	for _, v := range s.vars {
		if v.name[0] != '@' {
			break
		}
		if _, ok := to.find(v.name); !ok {
			return true
		}
	}
	return false
}

// appendSet appends the SET statement that takes a connection from one set of variables to another; nothing if they agree. From nil
// means a connection just reset: variables are at the server's global values, but nothing is sure about the handshake's ones.
func appendSet(dst []byte, from, to *Settings, rename func(string) string) []byte {
	start := len(dst)
	set := func(name, literal string) {
		if len(dst) == start {
			dst = append(dst, "SET "...)
		} else {
			dst = append(dst, ',')
		}
		dst = append(dst, rename(name)...)
		dst = append(dst, '=')
		dst = append(dst, literal...)
	}
	if from == nil || charsetsOf(from) != charsetsOf(to) {
		dst = append(append(dst, "SET "...), charsetsOf(to).names()...)
	}
	var old []variable
	if from != nil {
		old = from.vars
	}
	i := 0
	for _, v := range to.vars {
		for ; i < len(old) && old[i].name < v.name; i++ {
			if !isCharset(old[i].name) {
				set(old[i].name, initialValue(old[i].name))
			}
		}
		if i < len(old) && old[i].name == v.name {
			i++
			if old[i-1].literal == v.literal {
				continue
			}
		}
		if !isCharset(v.name) {
			set(v.name, v.literal)
		}
	}
	for ; i < len(old); i++ {
		if !isCharset(old[i].name) {
			set(old[i].name, initialValue(old[i].name))
		}
	}
	return dst
}

// initialValue is what a variable has on a new connection.
func initialValue(name string) string {
	if name[0] == '@' { // a user variable: settings name them as SQL does
		return "NULL"
	}
	for _, v := range handshakeVars {
		if v.name == name {
			return v.literal
		}
	}
	return "DEFAULT"
}

// interner keeps one Settings per distinct content for as long as somebody holds it.
type interner struct {
	mu   sync.Mutex
	sets map[string]weak.Pointer[Settings]
}

func newInterner() *interner { return &interner{sets: map[string]weak.Pointer[Settings]{}} }

func (in *interner) intern(db string, vars []variable) *Settings {
	var b strings.Builder
	writeField(&b, db)
	for _, v := range vars {
		writeField(&b, v.name)
		writeField(&b, v.literal)
	}
	key := b.String()
	in.mu.Lock()
	defer in.mu.Unlock()
	if s := in.sets[key].Value(); s != nil {
		return s
	}
	s := &Settings{home: in, db: db, vars: vars, parse: parseKey(db, vars)}
	in.sets[key] = weak.Make(s)
	runtime.AddCleanup(s, in.forget, key)
	return s
}

// forget drops an entry whose set is gone, unless an equal set has been made since.
func (in *interner) forget(key string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if p, ok := in.sets[key]; ok && p.Value() == nil {
		delete(in.sets, key)
	}
}

func (in *interner) size() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.sets)
}

// writeField writes a string so that no two lists of strings give the same text.
func writeField(b *strings.Builder, s string) {
	for n := len(s); ; n >>= 7 {
		if n < 0x80 {
			b.WriteByte(byte(n))
			break
		}
		b.WriteByte(byte(n) | 0x80)
	}
	b.WriteString(s)
}

func parseKey(db string, vars []variable) string {
	var b strings.Builder
	writeField(&b, db)
	for _, v := range vars {
		switch v.name {
		case "sql_mode", "character_set_client", "collation_connection", "default_collation_for_utf8mb4":
			writeField(&b, v.name)
			writeField(&b, v.literal)
		}
	}
	return b.String()
}
