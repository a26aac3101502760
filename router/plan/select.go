package plan

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/engine"
	"ballast/rules/failure"
)

// A SELECT that names sharded tables is planned in this order, one file each:
//
//   - select_blocks.go   takes the statement apart into query blocks, references and the conditions on them (select_implied.go: USING, IN)
//   - select_located.go  finds references whose rows meet on one node, because all balancing fields are equal
//   - select_spread.go   says at bind time on which nodes the rows are
//   - select_scatter.go  if they may be on several: what each node is asked, and how the answers are merged; then select_plain.go (rows as
//     they are), select_group.go and select_distinct.go, select_having.go, select_compute.go (expressions over aggregates), select_union.go, select_derived.go
//
// Whether one node or several are concerned is decided for each execution. What can't be merged right is refused then, not before: the same
// statement with another literal may stay on one node, and there everything is allowed.

// planSelect plans a query on sharded tables.
func (pc *planCtx) planSelect(stmt ast.StmtNode) (binder, error) {
	w := &blockWalk{pc: pc}
	stmt.Accept(w)
	b := &selectBinder{spread: pc.spreadOf(w.blocks)}
	if pc.rewritten {
		t, err := pc.wholeTemplate(stmt)
		if err != nil {
			return nil, err
		}
		b.whole = &t
	}
	b.tree, b.refusal = pc.scatterStatement(stmt, w.blocks, b.spread)
	if !pc.exact && (pc.repeats || pc.spacedName && !b.spread.byKey()) {
		return nil, needExact.New()
	}
	return b, nil
}

// selectBinder runs a query whole on one node where it can, else as a tree over several.
type selectBinder struct {
	spread *spread
	// whole is the statement's text for one node; nil means the client's own.
	whole *Template
	// tree builds the operators; refusal says why there is none.
	tree    treeBuilder
	refusal error
}

// treeBuilder makes operators for one execution.
type treeBuilder interface {
	// build gets the nodes concerned, at least one.
	build(bc *bindCtx, nodes []int) (engine.Node, error)
}

func (b *selectBinder) bind(bc *bindCtx, out *Bound) error {
	nodes := b.spread.nodes(bc, bc.room[:0])
	switch {
	case len(nodes) == 0:
		// No row can match: any node gives the right columns, and the one row of an aggregate.
		node, err := bc.anyNode()
		if err != nil {
			return err
		}
		bc.one(node, b.whole, out)
		out.single.AnyNode = true
		return nil
	case len(nodes) == 1:
		bc.one(nodes[0], b.whole, out)
		return nil
	case b.refusal != nil:
		return b.refusal
	case bc.inline:
		return ErrNeedsGoroutine
	}
	root, err := b.tree.build(bc, nodes)
	out.Root = root
	return err
}

// scatterStatement plans a statement for several nodes.
func (pc *planCtx) scatterStatement(stmt ast.StmtNode, blocks []*block, sp *spread) (treeBuilder, error) {
	if len(pc.plan.AssignsVars) > 0 {
		return nil, errManyNodes.New("assignment to user variables")
	}
	pc.inlineUserVars(stmt)
	fixClock(stmt)
	switch s := stmt.(type) {
	case *ast.SelectStmt:
		return pc.scatterSelect(s, blocks, sp)
	case *ast.SetOprStmt:
		return pc.scatterUnion(s)
	}
	return nil, errRefused.New("this query")
}

// inlineUserVars puts the values of user variables into the text that nodes get, since their connections don't know the variables.
func (pc *planCtx) inlineUserVars(stmt ast.StmtNode) {
	if len(pc.plan.UserVars) > 0 {
		stmt.Accept(&userVarInliner{pc: pc})
	}
}

type userVarInliner struct{ pc *planCtx }

// Enter implements ast.Visitor.
func (v *userVarInliner) Enter(n ast.Node) (ast.Node, bool) { return n, false }

// Leave implements ast.Visitor.
func (v *userVarInliner) Leave(n ast.Node) (ast.Node, bool) {
	x, ok := n.(*ast.VariableExpr)
	if !ok || x.IsSystem || x.Value != nil {
		return n, true
	}
	for i, name := range v.pc.plan.UserVars {
		if ast.NewCIStr(x.Name).L == name {
			return &slotExpr{kind: slotUserVar, index: i}, true
		}
	}
	return n, true
}

// Refusals of statements over several nodes. Each names the construct; the hints say what would do.
var (
	errTooMuch = failure.Define("BL2040", 1235, "42000", "over several nodes: %s is not supported",
		"name the balancing field with = in WHERE so that one node is concerned, or fetch the rows with a simpler statement")
	errJoinApart = failure.Define("BL2041", 1235, "42000", "over several nodes: rows of '%s' and '%s' that belong together may be on different nodes",
		"join tables of one balance group by = on all their balancing fields, or make one of them a global table")
	errOuterGlobal = failure.Define("BL2042", 1235, "42000", "over several nodes: the outer rows of the join come from '%s', which every node has",
		"put the sharded table on the outer side of the join")
	errSingleApart = failure.Define("BL2043", 1235, "42000", "over several nodes: single table '%s' is on one node only",
		"make it a global table, or name the balancing field with = so that its node is the only one concerned")
	errSubquery = failure.Define("BL2044", 1235, "42000", "over several nodes: %s reads '%s', whose rows may be on other nodes",
		"tie it to the outer table by = on all balancing fields, run the two queries one after the other, or make the table global")
	errOrderType = failure.Define("BL2045", 1235, "42000", "over several nodes: %s by column '%s' of type %s is not supported",
		"sort or group by an expression with a comparable type, for instance a CAST")
	errUnionWidth = failure.Define("BL2047", 1222, "21000", "The used SELECT statements have a different number of columns", "")
	errLimitValue = failure.Define("BL2046", 1210, "HY000", "Incorrect arguments to LIMIT", "")
)
