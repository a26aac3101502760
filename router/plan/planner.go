package plan

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"ballast/rules/catalog"
)

// Config is what a Planner needs.
type Config struct {
	// CacheBytes bounds the plans kept, by an estimate of their size. More keeps more distinct statements parsed. Default 64 MiB.
	CacheBytes int64
}

// Planner turns statements into plans and keeps them for the statements that differ in literals only. Safe for concurrent use.
type Planner struct {
	cache   *cache
	parsers sync.Pool
	servers atomic.Pointer[serverVersion]
}

// serverVersion is what the lexer must know of the nodes' server, whose version is text.
type serverVersion struct {
	text   string
	number int
}

// New makes a Planner.
func New(c Config) *Planner {
	if c.CacheBytes <= 0 {
		c.CacheBytes = 64 << 20
	}
	return &Planner{cache: newCache(c.CacheBytes), parsers: sync.Pool{New: func() any { return parser.New() }}}
}

// Plan takes the statement that begins at sql[from] apart into a and gives its plan. The statement's text must stay unchanged while a is
// in use. On a hit in the cache nothing is parsed and nothing allocated.
func (p *Planner) Plan(ctx context.Context, env *Env, sql []byte, from int, a *Args) (*Plan, error) {
	opt := p.lexOptions(env)
	a.lex.Reset()
	if err := a.lex.Lex(sql, from, opt); err != nil {
		return nil, err
	}
	a.fromLexer()
	a.Text = bytes.TrimLeft(sql[from:a.lex.end], " \t\r\n")
	if a.lex.Empty() {
		return nil, errEmpty.New()
	}
	if a.lex.markers > 0 {
		return nil, syntaxNear(errSyntax, a.Text, firstMarker(a.lits, a.Text))
	}
	return p.plan(ctx, env, a, a.lex.Digest())
}

// Prepare takes a statement with ? markers apart and gives its plan, too.
func (p *Planner) Prepare(ctx context.Context, env *Env, sql []byte) (*Prepared, *Plan, error) {
	var a Args
	text := append([]byte(nil), sql...)
	if err := a.lex.Lex(text, 0, p.lexOptions(env)); err != nil {
		return nil, nil, err
	}
	a.fromLexer()
	if a.lex.Empty() {
		return nil, nil, errEmpty.New()
	}
	if a.Next < len(text) {
		var rest Lexer
		if err := rest.Lex(text, a.Next, p.lexOptions(env)); err != nil || !rest.Empty() {
			return nil, nil, syntaxNear(errSyntax, text, a.Next)
		}
	}
	marker := uint32(0)
	for i := range a.lits {
		if a.lits[i].Kind == LitMarker {
			a.lits[i].body = marker
			marker++
		}
	}
	pr := &Prepared{Text: a.Text, Markers: a.lex.markers, planner: p, norm: a.lex.norm, digest: a.lex.Digest(), lits: a.lits, row0: a.row0, rows: a.rows, stride: a.stride}
	pl, err := p.plan(ctx, env, &a, pr.digest)
	if err != nil {
		return nil, nil, err
	}
	return pr, pl, nil
}

// Plan gives the plan of a prepared statement under env, for the arguments that Bind put into a.
func (p *Prepared) Plan(ctx context.Context, env *Env, a *Args) (*Plan, error) {
	if pl, ok := p.Cached(env, a); ok {
		return pl, nil
	}
	a.readAll()
	a.lex.norm = append(a.lex.norm[:0], p.norm...)
	return p.planner.plan(ctx, env, a, p.digest)
}

// plan finds or makes the plan of what was lexed into a.
func (p *Planner) plan(ctx context.Context, env *Env, a *Args, digest Digest) (*Plan, error) {
	key := cacheKey{digest: digest, db: env.DB, charset: env.Charset, collation: env.Collation, flags: env.Flags}
	pl := p.cache.get(&key, env.Snapshot)
	if pl == nil {
		var err error
		if pl, err = p.cache.fill(ctx, key, env.Snapshot, func() (*Plan, error) { return p.build(env, a, false) }); err != nil {
			return nil, err
		}
	}
	if !pl.exact {
		return pl, nil
	}
	a.rows = 0 // the tree of an exact plan has all rows
	key.digest, key.exact = digestOf(a.Text), true
	if pl = p.cache.get(&key, env.Snapshot); pl != nil {
		return pl, nil
	}
	return p.cache.fill(ctx, key, env.Snapshot, func() (*Plan, error) { return p.build(env, a, true) })
}

// lexOptions gives the options under env: the version is that of the first node. It is worked out when it changes.
func (p *Planner) lexOptions(env *Env) LexOptions {
	for i := range env.Snapshot.Nodes {
		n := &env.Snapshot.Nodes[i]
		if n.Removed || n.ServerVersion == "" {
			continue
		}
		v := p.servers.Load()
		if v == nil || v.text != n.ServerVersion {
			v = &serverVersion{text: n.ServerVersion, number: versionNumber(n.ServerVersion)}
			p.servers.Store(v)
		}
		return LexOptions{Flags: env.Flags, Server: v.number, MariaDB: n.Flavor == catalog.MariaDB}
	}
	return LexOptions{Flags: env.Flags, Server: 80400}
}

// versionNumber makes 101106 of "10.11.6-MariaDB".
func versionNumber(s string) int {
	out, parts := 0, 0
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		n, err := strconv.Atoi(f)
		if err != nil || parts == 3 {
			break
		}
		out = out*100 + n
		parts++
	}
	for ; parts < 3; parts++ {
		out *= 100
	}
	return out
}

func firstMarker(lits []Literal, text []byte) int {
	for i := range lits {
		if lits[i].Kind == LitMarker {
			return cap(text) - cap(lits[i].Raw)
		}
	}
	return 0
}

// sqlMode gives the parser's form of the flags.
func sqlMode(f Flags) mysql.SQLMode {
	var m mysql.SQLMode
	for _, b := range []struct {
		flag Flags
		mode mysql.SQLMode
	}{
		{ANSIQuotes, mysql.ModeANSIQuotes},
		{NoBackslashEscapes, mysql.ModeNoBackslashEscapes},
		{PipesAsConcat, mysql.ModePipesAsConcat},
		{HighNotPrecedence, mysql.ModeHighNotPrecedence},
		{IgnoreSpace, mysql.ModeIgnoreSpace},
	} {
		if f&b.flag != 0 {
			m |= b.mode
		}
	}
	return m
}

// parse reads one statement; the error is the parser's own.
func (p *Planner) parse(text string, env *Env) (ast.StmtNode, error) {
	ps := p.parsers.Get().(*parser.Parser)
	defer p.parsers.Put(ps)
	ps.SetSQLMode(sqlMode(env.Flags))
	return ps.ParseOneStmt(text, "", "")
}

// Parse reads a statement's text into a tree, for the verbs that the session carries out itself.
func (p *Planner) Parse(env *Env, text []byte) (ast.StmtNode, error) {
	stmt, err := p.parse(string(text), env)
	if err != nil {
		return nil, notParsed(err, text)
	}
	return stmt, nil
}
