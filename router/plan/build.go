package plan

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"ballast/rules/catalog"
	"ballast/rules/failure"
)

// binder is what a plan does at bind time: it looks at the values, finds the nodes and says what they get.
type binder interface {
	bind(bc *bindCtx, out *Bound) error
}

// planCtx is the work of planning one statement.
type planCtx struct {
	planner *Planner
	env     *Env
	args    *Args
	plan    *Plan
	stmt    ast.StmtNode
	exact   bool
	mariaDB bool
	// norm is the text that stmt was parsed from, markers the offset in it of each slot's ?, slotOf their slots.
	norm    string
	markers []int
	slotOf  []int
	// refs gives the resolved tables of the statement; CTE names are not in it.
	refs map[*ast.TableName]resolved
	// tables are the tables named, each once, in the order of plan.deps.
	tables []*catalog.Table
	// into is the clause INTO @a, @b, rowAlias the clause AS new of an INSERT, that were taken off for the parser.
	into, rowAlias string
	// selected says that the row of an INSERT was written as a SELECT.
	selected bool
	// rewritten says that the tree was changed, so that the client's text will not do.
	rewritten bool
	// spacedName says that a column of an answer made of several nodes' is named by text with spaces in it. Normalized text has one space
	// where the client may have written more, so the statement must be planned as it was written.
	spacedName bool
	// repeats says that two expressions of the statement are equal if their literals are, and that this matters.
	repeats bool
}

// resolved is what a table name means.
type resolved struct {
	table  *catalog.Table // nil for a table of a system schema
	index  int            // in planCtx.tables
	schema string
}

// needExact is returned by a planner that can't work with slots: the statement is then planned with its literals in place.
var needExact = failure.Define("BL2099", 1105, "HY000", "statement must be planned with its literals", "this is a fault in Ballast: please report the statement")

// build parses and plans what is in a. An exact plan is made of the text with its literals, and only real ? markers are slots.
func (p *Planner) build(env *Env, a *Args, exact bool) (*Plan, error) {
	pl, err := p.make(env, a, exact)
	if err == nil {
		pl.finish()
	}
	return pl, err
}

func (p *Planner) make(env *Env, a *Args, exact bool) (*Plan, error) {
	pc := &planCtx{planner: p, env: env, args: a, exact: exact, plan: &Plan{Norm: string(a.lex.norm), Digest: a.lex.Digest()}, refs: map[*ast.TableName]resolved{}}
	opt := p.lexOptions(env)
	pc.mariaDB, pc.plan.mariaDB = opt.MariaDB, opt.MariaDB
	if opt.MariaDB {
		forMariaDB := *env
		forMariaDB.Flags |= mariaDBText
		pc.env = &forMariaDB
	}
	done, err := pc.planText()
	if done || err != nil {
		return pc.plan, err
	}
	if !exact && !a.lex.slotted && len(a.lits) > 0 {
		return &Plan{exact: true}, nil
	}
	if err := pc.parseSlots(opt); err != nil {
		if exact {
			return nil, unread(err, string(a.lex.norm), string(a.Text))
		}
		return &Plan{exact: true}, nil
	}
	if err := pc.statement(); err != nil {
		if f := (*failure.Error)(nil); !exact && asFailure(err, &f) && f.Kind == needExact {
			return &Plan{exact: true}, nil
		}
		return nil, err
	}
	return pc.plan, nil
}

// parseSlots parses the text and puts slots where its markers are.
func (pc *planCtx) parseSlots(opt LexOptions) error {
	a := pc.args
	folded := 0
	switch {
	case !pc.exact:
		pc.norm = string(a.lex.norm)
		if a.rows > 1 {
			folded = (a.rows - 1) * a.stride
		}
	case a.lex.sawExec:
		var l Lexer
		opt.verbatim = true
		if err := l.Lex(a.Text, 0, opt); err != nil {
			return err
		}
		pc.norm = string(l.norm)
	default:
		pc.norm, pc.slotOf = a.asWritten()
	}
	if !pc.exact || a.lex.sawExec {
		for i := range a.lits[:len(a.lits)-folded] {
			if !pc.exact || a.lits[i].Kind == LitMarker || a.lits[i].Bare {
				pc.slotOf = append(pc.slotOf, i)
			}
		}
	}
	stmt, err := pc.planner.parse(pc.norm, pc.env)
	if err != nil {
		if stmt, err = pc.reworded(strings.TrimSpace(pc.norm), err); err != nil {
			return err
		}
	}
	s := slotter{order: pc.slotOf}
	all := countMarkers(stmt)
	if len(all) != len(pc.slotOf) {
		return errSyntax.New("?", 1)
	}
	slices.SortFunc(all, func(a, b *test_driver.ParamMarkerExpr) int { return a.Offset - b.Offset })
	pc.markers = make([]int, len(pc.slotOf))
	for i, m := range all {
		m.Order, pc.markers[i] = i, m.Offset
	}
	out, _ := stmt.Accept(&s)
	pc.stmt = out.(ast.StmtNode)
	return nil
}

// asWritten gives the text with its literals, but for those that a tree would not give back as they were written: they are slots, as the
// markers are. (0x07 and x'07' are the same to the parser, a number and a string to MariaDB.)
func (a *Args) asWritten() (text string, slots []int) {
	out := make([]byte, 0, len(a.Text))
	done := 0
	for i := range a.lits {
		l := &a.lits[i]
		if l.Kind == LitMarker || l.Bare {
			slots = append(slots, i)
			continue
		}
		at := cap(a.Text) - cap(l.Raw)
		if !l.losesForm() || at < done || at+len(l.Raw) > len(a.Text) || !bytes.Equal(a.Text[at:at+len(l.Raw)], l.Raw) {
			continue
		}
		slots = append(slots, i)
		out = append(append(out, a.Text[done:at]...), '?')
		done = at + len(l.Raw)
	}
	return string(append(out, a.Text[done:]...)), slots
}

// losesForm says whether the parser forgets how the literal was written, and that matters.
func (l *Literal) losesForm() bool {
	return l.Kind == LitHexNumber || l.introduced || l.Kind == LitDecimal && l.Raw[len(l.Raw)-1] == '.'
}

// markerCount collects the parser's markers.
type markerCount struct {
	all []*test_driver.ParamMarkerExpr
}

// Enter implements ast.Visitor.
func (c *markerCount) Enter(n ast.Node) (ast.Node, bool) { return n, false }

// Leave implements ast.Visitor.
func (c *markerCount) Leave(n ast.Node) (ast.Node, bool) {
	if m, ok := n.(*test_driver.ParamMarkerExpr); ok {
		c.all = append(c.all, m)
	}
	return n, true
}

// notParsed turns the parser's complaint into the client's error.
func notParsed(err error, text []byte) error {
	line, near := 1, text
	msg := err.Error()
	if i := strings.Index(msg, "near \""); i >= 0 {
		rest := msg[i+len("near \""):]
		if j := strings.LastIndex(rest, "\""); j >= 0 {
			near = []byte(rest[:j])
		}
	}
	if i := strings.Index(msg, "line "); i >= 0 {
		digits := msg[i+len("line "):]
		if j := strings.IndexByte(digits, ' '); j > 0 {
			if n, convErr := strconv.Atoi(digits[:j]); convErr == nil {
				line = n
			}
		}
	}
	if len(near) > 80 {
		near = near[:80]
	}
	return errNoParse.Wrap(err, string(near), line)
}

// Unread says whether err means that Ballast's parser did not understand the text. The session may then ask a node to prepare the same
// text, and answer a real syntax error in the server's own words.
func Unread(err error) bool {
	var f *failure.Error
	return asFailure(err, &f) && f.Kind == errNoParse
}
