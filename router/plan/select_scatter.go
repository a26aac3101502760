package plan

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/rules/catalog"
)

// scatterSelect plans one SELECT for several nodes: checks that each node's part of the answer needs that node's rows only, then plans the merge.
func (pc *planCtx) scatterSelect(sel *ast.SelectStmt, blocks []*block, sp *spread) (treeBuilder, error) {
	if err := pc.mayScatter(blocks[0], sp); err != nil {
		return nil, err
	}
	if err := refuseConstructs(sel); err != nil {
		return nil, err
	}
	for _, b := range blocks[1:] {
		if b.aggregatesOuter() {
			return nil, errTooMuch.New("an aggregate of the outer query inside a subquery")
		}
	}
	s := newScatter(pc, sel, blocks[0], sp)
	if err := s.readFields(); err != nil {
		return nil, err
	}
	return s.plan()
}

// mayScatter refuses statements whose rows don't all meet.
func (pc *planCtx) mayScatter(outer *block, sp *spread) error {
	if len(sp.singles) > 0 {
		return errSingleApart.New(pc.tables[sp.singles[0]].Name.Table)
	}
	if sp.anchor == nil {
		if err := pc.derivedAnchor(outer, sp); err != nil {
			return err
		}
	}
	if sp.anchor == nil {
		for _, r := range outer.scope {
			if !r.optional && r.table != nil && len(outer.refs) > 0 {
				return errOuterGlobal.New(r.alias)
			}
		}
		for _, set := range sp.sets {
			if set.block.derived {
				return errTooMuch.New("a derived table or common table expression on sharded table '" + set.refs[0].alias + "'")
			}
			return errSubquery.New("a subquery", set.refs[0].alias)
		}
		return errTooMuch.New("this query")
	}
	for _, set := range sp.apart {
		switch {
		case set.block == outer:
			return errJoinApart.New(sp.anchor.refs[0].alias, set.refs[0].alias)
		case set.block.derived:
			return errTooMuch.New("a derived table or common table expression on sharded table '" + set.refs[0].alias + "'")
		default:
			return errSubquery.New("a subquery", set.refs[0].alias)
		}
	}
	return nil
}

// refuseConstructs names what no merge of several nodes' answers can do.
func refuseConstructs(sel *ast.SelectStmt) error {
	switch {
	case sel.SelectStmtOpts != nil && sel.SelectStmtOpts.CalcFoundRows:
		return errTooMuch.New("SQL_CALC_FOUND_ROWS")
	case sel.SelectIntoOpt != nil:
		return errTooMuch.New("SELECT … INTO")
	case sel.GroupBy != nil && sel.GroupBy.Rollup:
		return errTooMuch.New("GROUP BY … WITH ROLLUP")
	case sel.Kind == ast.SelectStmtKindValues || sel.Fields == nil:
		return errTooMuch.New("VALUES")
	}
	c := &constructs{}
	sel.Accept(c)
	if c.what != "" {
		return errTooMuch.New(c.what)
	}
	return nil
}

// constructs looks for what is refused wherever it stands.
type constructs struct{ what string }

// Enter implements ast.Visitor.
func (c *constructs) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.WindowFuncExpr:
		c.what = "window function " + n.Name + "()"
	case *ast.FuncCallExpr:
		switch n.FnName.L {
		case "get_lock", "release_lock", "release_all_locks", "is_free_lock", "is_used_lock", "last_insert_id", "sleep", "benchmark", "grouping",
			"nextval", "lastval", "setval":
			c.what = "function " + n.FnName.O + "()"
		}
	}
	return n, c.what != ""
}

// Leave implements ast.Visitor.
func (c *constructs) Leave(n ast.Node) (ast.Node, bool) { return n, c.what == "" }

// hasAggregate says whether an expression holds an aggregate function of its own block.
func hasAggregate(e ast.Node) bool {
	f := &aggregateFinder{}
	e.Accept(f)
	return f.found
}

type aggregateFinder struct{ found bool }

// Enter implements ast.Visitor; subqueries have aggregates of their own.
func (f *aggregateFinder) Enter(n ast.Node) (ast.Node, bool) {
	switch n.(type) {
	case *ast.SubqueryExpr:
		return n, true
	case *ast.AggregateFuncExpr:
		f.found = true
	}
	return n, f.found
}

// Leave implements ast.Visitor.
func (f *aggregateFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// aggregatesOuter says whether a subquery holds an aggregate over columns of the query around it, which then is the outer query's aggregate.
func (b *block) aggregatesOuter() bool {
	f := &outerAggregates{b: b}
	for _, n := range b.aggregatePlaces() {
		n.Accept(f)
	}
	return f.found
}

// aggregatePlaces gives the parts of a SELECT where aggregates may stand.
func (b *block) aggregatePlaces() []ast.Node {
	var out []ast.Node
	if b.sel.Fields != nil {
		out = append(out, b.sel.Fields)
	}
	if b.sel.Having != nil {
		out = append(out, b.sel.Having)
	}
	if b.sel.OrderBy != nil {
		out = append(out, b.sel.OrderBy)
	}
	return out
}

type outerAggregates struct {
	b     *block
	in    int
	found bool
}

// Enter implements ast.Visitor.
func (f *outerAggregates) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.SubqueryExpr:
		return n, true // a block of its own
	case *ast.AggregateFuncExpr:
		f.in++
	case *ast.ColumnNameExpr:
		if _, _, own := f.b.scope.column(n.Name); f.in > 0 && !own && !f.b.scope.opaque() {
			f.found = true
		}
	}
	return n, f.found
}

// Leave implements ast.Visitor.
func (f *outerAggregates) Leave(n ast.Node) (ast.Node, bool) {
	if _, ok := n.(*ast.AggregateFuncExpr); ok {
		f.in--
	}
	return n, true
}

// balancedBy says whether the columns among exprs are all the balancing fields of a table whose rows every row needs: then rows that agree on
// exprs are on one node.
func (s *scatter) balancedBy(exprs []ast.ExprNode) bool {
	for _, r := range s.spread.anchor.refs {
		if r.optional || r.block != s.block {
			continue
		}
		all := true
		for _, f := range r.table.Fields {
			all = all && s.names(exprs, r, f)
		}
		if all {
			return true
		}
	}
	return false
}

func (s *scatter) names(exprs []ast.ExprNode, r *placedRef, col int) bool {
	for _, e := range exprs {
		if ref, c, ok := s.column(e); ok && ref == r.tableRef && c == col {
			return true
		}
	}
	return false
}

// column reads an expression that is a plain column of a known table of the block.
func (s *scatter) column(e ast.ExprNode) (*tableRef, int, bool) {
	for {
		p, ok := e.(*ast.ParenthesesExpr)
		if !ok {
			break
		}
		e = p.Expr
	}
	c, ok := e.(*ast.ColumnNameExpr)
	if !ok {
		return nil, 0, false
	}
	return s.block.scope.column(c.Name)
}

func (s *scatter) catalogColumn(e ast.ExprNode) *catalog.Column {
	if ref, c, ok := s.column(e); ok {
		return &ref.table.Columns[c]
	}
	return nil
}
