package plan

import (
	"bytes"
	"errors"
	"strings"
)

// What follows is for an event loop: a thread that serves many sessions and must not wait for any of them.

// Cached is Plan for whoever must not wait: it only takes the text apart and looks into the cache. It parses nothing, waits for nobody,
// makes no error and allocates nothing. ok is false if there is no plan that fits, whatever the reason; Plan tells what it is, and a may be
// given to it as it is. As with Plan, a.Text and a.Next say where the statement ended: another may follow.
func (p *Planner) Cached(env *Env, sql []byte, from int, a *Args) (pl *Plan, ok bool) {
	a.lex.Reset()
	if !a.lex.scan(sql, from, p.lexOptions(env)) || a.lex.Empty() || a.lex.markers > 0 {
		return nil, false
	}
	a.fromLexer()
	a.Text = bytes.TrimLeft(sql[from:a.lex.end], " \t\r\n")
	return p.cached(env, a, a.lex.Digest())
}

// Cached is Planner.Cached for a prepared statement whose arguments Bind put into a.
func (p *Prepared) Cached(env *Env, a *Args) (pl *Plan, ok bool) {
	return p.planner.cached(env, a, p.digest)
}

func (p *Planner) cached(env *Env, a *Args, digest Digest) (*Plan, bool) {
	key := cacheKey{digest: digest, db: env.DB, charset: env.Charset, collation: env.Collation, flags: env.Flags}
	pl := p.cache.get(&key, env.Snapshot)
	if pl == nil || !pl.exact {
		return pl, pl != nil
	}
	a.rows = 0 // the tree of an exact plan has all rows
	key.digest, key.exact = digestOf(a.Text), true
	pl = p.cache.get(&key, env.Snapshot)
	return pl, pl != nil
}

// ErrNeedsGoroutine is what BindInline answers where Bind might wait, or would find several nodes. Nothing has been done then.
var ErrNeedsGoroutine = errors.New("the statement must be bound by Bind")

// QuickSequences is the part of Sequences that never waits.
type QuickSequences interface {
	// TryNext is Next for one number; ok is false, and nothing is taken, if none is at hand.
	TryNext(name string) (number uint64, ok bool)
	// TryRaise is Raise; false says that it can't be done, or isn't known to have been done, without waiting.
	TryRaise(name string, above uint64) bool
}

// Inline says whether BindInline may succeed for some values. It is known from the plan alone; where it is false, BindInline always gives
// ErrNeedsGoroutine: commands of the session's own, writes of global tables, statements that no single node can answer.
func (p *Plan) Inline() bool { return p.inline }

// Wide says that the rows of the plan's latest execution by Bind, in whatever session, were on several nodes: it is likely that BindInline will
// fail after some work.
func (p *Plan) Wide() bool { return p.wide.Load() }

// BindInline is Bind for an event loop: it never waits, asks no master, and fills out with a Single or fails. The errors are those of Bind,
// and ErrNeedsGoroutine where only Bind can tell. A number for an AUTO_INCREMENT column is drawn for a single row only, and only where quick
// has one at hand; nil has none. A number drawn for a statement that is not carried out after all is lost, as on any server.
func (p *Plan) BindInline(env *Env, a *Args, quick QuickSequences, out *Bound) error {
	out.Single, out.Root, out.Writes = nil, nil, nil
	if !p.inline {
		return ErrNeedsGoroutine
	}
	bc := &out.bc
	bc.ctx, bc.seq, bc.quick, bc.inline = nil, nil, quick, true
	return p.bind(env, a, out)
}

// inlineBinder is a binder that can give a Single.
type inlineBinder interface {
	// inline says whether it may do so without waiting.
	inline() bool
}

func (b *wholeBinder) inline() bool  { return true }
func (b *selectBinder) inline() bool { return true }
func (s *shardedWrite) inline() bool { return true }
func (p *copyPlan) inline() bool     { return true }
func (p *insertPlan) inline() bool   { return !p.global }

// After is what a statement asks of its session, or of its connection, beside sending it and passing its answer on. Warnings and errors,
// which are known from the answer only, come on top for every statement.
type After uint16

// What may be needed.
const (
	// AfterInsertID: the statement calls LAST_INSERT_ID(expr). A SELECT's new value must be asked of the node; a write's is in its OK.
	AfterInsertID After = 1 << iota
	// AfterNumber: a row may get its AUTO_INCREMENT number from the node. Where the OK has an insert id, the node must be asked whether it
	// is one that it made.
	AfterNumber
	// AfterFound: SQL_CALC_FOUND_ROWS; the node must be asked for FOUND_ROWS().
	AfterFound
	// AfterOffset: the SELECT's LIMIT may skip rows, see Plan.Offset: FOUND_ROWS() counts them. Where no row came, the node must be asked.
	AfterOffset
	// AfterInfo: an INSERT … SELECT; FOUND_ROWS() is what the info text of its OK says.
	AfterInfo
	// AfterVars: the statement assigns user variables (AssignsVars), which must be read back from the node.
	AfterVars
	// BeforeCatalog: the statement reads information_schema; its text may have to be changed for the user before it is sent.
	BeforeCatalog
	// BeforeLocks: the statement takes, gives up or asks for named locks, which live on a connection that the session keeps.
	BeforeLocks
)

// After says what the statement needs beside its way to the node and back. It is worked out when the statement is planned.
func (p *Plan) After() After { return p.after }

// finish works out what is known of the plan once and for all.
func (p *Plan) finish() {
	set := func(when bool, a After) {
		if when {
			p.after |= a
		}
	}
	set(p.SetsInsertID, AfterInsertID)
	set(p.CalcFoundRows, AfterFound)
	set(p.offset != nil, AfterOffset)
	set(p.InsertsSelect, AfterInfo)
	set(len(p.AssignsVars) > 0, AfterVars)
	set(p.NamedLocks, BeforeLocks)
	for i := range p.Accesses {
		set(strings.EqualFold(p.Accesses[i].Schema, "information_schema"), BeforeCatalog)
	}
	b, ok := p.binder.(inlineBinder)
	p.inline = ok && b.inline() && p.tree == nil
}

// next draws the numbers of n rows.
func (bc *bindCtx) next(sequence string, n int) (uint64, error) {
	if !bc.inline {
		return bc.seq.Next(bc.ctx, sequence, n)
	}
	if bc.quick != nil && n == 1 {
		if id, ok := bc.quick.TryNext(sequence); ok {
			return id, nil
		}
	}
	return 0, ErrNeedsGoroutine
}

// raise lifts a sequence above a number that a client gave.
func (bc *bindCtx) raise(sequence string, above uint64) error {
	if !bc.inline {
		return bc.seq.Raise(bc.ctx, sequence, above)
	}
	if bc.quick != nil && bc.quick.TryRaise(sequence, above) {
		return nil
	}
	return ErrNeedsGoroutine
}
