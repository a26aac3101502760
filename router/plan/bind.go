package plan

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/rules/catalog"
	"ballast/rules/failure"
)

// Plan is what is known of a statement before its literals: it is immutable, shared by sessions and kept in the cache.
type Plan struct {
	Verb Verb
	// Accesses are the tables named and the rights that each needs.
	Accesses []Access
	// UserVars are the user variables read, in lower case; AssignsVars those assigned by := or SELECT … INTO.
	UserVars, AssignsVars []string
	// Command holds what the session needs for the verbs that it carries out itself: *SetCommand, *UseCommand and so on, see command.go.
	Command any
	// Norm is the text with ? for its literals, for logs. Digest is its hash in this process.
	Norm   string
	Digest Digest
	// Locking says that the statement takes row locks (FOR UPDATE, FOR SHARE).
	Locking bool
	// NamedLocks says that it calls GET_LOCK or its relatives: their locks belong to a connection that the session must keep.
	NamedLocks bool
	// CalcFoundRows marks SQL_CALC_FOUND_ROWS.
	CalcFoundRows bool
	// InsertsSelect marks INSERT … SELECT.
	InsertsSelect bool
	// SetsInsertID says that it calls LAST_INSERT_ID(expr), which changes what LAST_INSERT_ID() gives.
	SetsInsertID bool

	mariaDB bool
	exact   bool // a note that plans of this digest are kept by their exact text
	tree    ast.StmtNode
	deps    []*dependency
	binder  binder
	offset  ast.ExprNode // of the outermost LIMIT; nil without one
	fixed   []fixedFunc
	inline  bool
	after   After
	wide    atomic.Bool
}

// AST is the parsed statement, for the verbs that the session carries out itself; nil for the others. It belongs to the caller; the trees of
// statements about transactions are shared and only to be read.
func (p *Plan) AST() ast.StmtNode { return p.tree }

// dependency is a table that a plan was made for.
type dependency struct {
	name  catalog.Name
	shape uint64
	kind  catalog.Kind
	// at is the table's place among those of the snapshot that was looked at last; it may be wrong.
	at atomic.Int64
}

// in gives the table in a snapshot; nil if it is gone or has another shape. A table's place is nearly always the same from version to
// version, so nothing must be kept per version.
func (d *dependency) in(snap *catalog.Snapshot) *catalog.Table {
	var t *catalog.Table
	if at := int(d.at.Load()); at < len(snap.Tables) && snap.Tables[at].Name == d.name {
		t = snap.Tables[at]
	} else if t = snap.Table(d.name); t != nil {
		d.at.Store(int64(slices.Index(snap.Tables, t)))
	}
	if t == nil || t.Shape != d.shape || t.Kind != d.kind {
		return nil
	}
	return t
}

// fits says whether the plan's tables are in a snapshot as the plan knows them; else it must be made again.
func (p *Plan) fits(snap *catalog.Snapshot) bool {
	for _, d := range p.deps {
		if d.in(snap) == nil {
			return false
		}
	}
	return true
}

// bindCtx is the work of binding one statement.
type bindCtx struct {
	ctx    context.Context
	env    *Env
	plan   *Plan
	args   *Args
	seq    Sequences
	tables []*catalog.Table
	// row is the folded row that templates are rendered for; id its number from a sequence.
	row   int
	id    uint64
	fixed []Literal
	// text is a buffer for the text of a statement for one node.
	text []byte
	// room is for the nodes of a statement, which are few.
	room [16]int
	// clock is the statement's time, once it was asked for.
	clock Literal
	// inline says that nothing may be waited for, and that one node must do; quick are the sequences then.
	inline bool
	quick  QuickSequences
}

// Sequences hands out the numbers of AUTO_INCREMENT columns.
type Sequences interface {
	// Next reserves n consecutive numbers of the named sequence and gives the first.
	Next(ctx context.Context, name string, n int) (uint64, error)
	// Raise makes sure that the sequence never again gives a number up to above, before it returns.
	Raise(ctx context.Context, name string, above uint64) error
}

// Bind looks at the values of one execution, finds the nodes under env's snapshot and fills out. The plan must have been made for that
// snapshot (Planner.Plan with the same env). out may be reused; what it holds is valid until then.
func (p *Plan) Bind(ctx context.Context, env *Env, a *Args, seq Sequences, out *Bound) error {
	out.Single, out.Root, out.Writes = nil, nil, nil
	if p.binder == nil {
		return nil
	}
	bc := &out.bc
	bc.ctx, bc.seq, bc.quick, bc.inline = ctx, seq, nil, false
	err := p.bind(env, a, out)
	if wide := out.Root != nil; p.wide.Load() != wide {
		p.wide.Store(wide)
	}
	return err
}

func (p *Plan) bind(env *Env, a *Args, out *Bound) error {
	bc := &out.bc
	bc.tables = bc.tables[:0]
	for _, d := range p.deps {
		t := d.in(env.Snapshot)
		if t == nil {
			return errStale.New()
		}
		bc.tables = append(bc.tables, t)
	}
	bc.env, bc.plan, bc.args = env, p, a
	bc.row, bc.id, bc.fixed, bc.clock.Kind = 0, 0, bc.fixed[:0], 0
	if e, ok := p.offset.(*slotExpr); ok {
		a.slot(e.index) // Offset asks for it once the statement was sent, when parameters may be gone
	}
	return p.binder.bind(bc, out)
}

// errStale tells a session that took a new snapshot between Plan and Bind to plan again.
var errStale = failure.Define("BL2030", 1412, "HY000", "Table definition has changed, please retry transaction", "")

// Stale says whether err asks for planning again under the same snapshot as binding.
func Stale(err error) bool {
	var f *failure.Error
	return asFailure(err, &f) && f.Kind == errStale
}

func asFailure(err error, f **failure.Error) bool { return errors.As(err, f) }

// single fills out with a statement for one node, in the client's own text.
func (out *Bound) verbatim(node int) {
	out.single = Single{Node: node, Verbatim: true}
	out.Single = &out.single
}

// rendered fills out with a statement for one node, in a text of ours.
func (out *Bound) rendered(node int, sql []byte) {
	out.single = Single{Node: node, SQL: sql}
	out.Single = &out.single
}

// anyNode picks a node for a statement that may run on any; the engine's session may prefer another.
func (bc *bindCtx) anyNode() (int, error) {
	for i := range bc.env.Snapshot.Nodes {
		if !bc.env.Snapshot.Nodes[i].Removed {
			return i, nil
		}
	}
	return 0, errNoNodes.New()
}
