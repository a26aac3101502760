package plan

import (
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/engine"
)

// unionPlan puts the rows of several SELECTs together, each of which is on one node or on several.
type unionPlan struct {
	sides []*unionSide
	// distinct is how many sides from the first on are under a UNION without ALL; 0 for none.
	distinct int
	limit    *limitPlan
	sort     []engine.Key
	keys     []engine.Key // of all columns, for distinct rows
	// visible is how many columns the answer has, when there are weights behind them; else 0.
	visible int
}

// unionSide is one SELECT of a UNION.
type unionSide struct {
	spread  *spread
	whole   Template
	tree    treeBuilder
	refusal error
}

// scatterUnion plans a UNION whose sides are on several nodes.
func (pc *planCtx) scatterUnion(u *ast.SetOprStmt) (treeBuilder, error) {
	p := &unionPlan{}
	if u.With != nil || u.SelectList.With != nil {
		return nil, errTooMuch.New("WITH before a UNION")
	}
	var err error
	if p.limit, err = pc.readLimit(u.Limit); err != nil {
		return nil, err
	}
	r := &unionReader{pc: pc, plan: p}
	if err := r.read(u.SelectList.Selects); err != nil {
		return nil, err
	}
	if err := r.order(u.OrderBy); err != nil {
		return nil, err
	}
	if p.distinct > 0 {
		for i := range r.sides[0].fields {
			if err := r.add(&p.keys, i, false); err != nil {
				return nil, err
			}
		}
	}
	for _, s := range r.sides {
		side, err := s.finishSide()
		if err != nil {
			return nil, err
		}
		p.sides = append(p.sides, side)
	}
	if r.weights > 0 {
		p.visible = len(r.sides[0].fields)
	}
	return p, nil
}

// unionReader reads the sides of a UNION.
type unionReader struct {
	pc      *planCtx
	plan    *unionPlan
	sides   []*unionSelect
	weights int
}

// unionSelect is one side while it is planned: its SELECT, to which weights are added that the union sorts by.
type unionSelect struct {
	*scatter
	blocks []*block
	extra  []*ast.SelectField
}

func (r *unionReader) read(selects []ast.Node) error {
	for i, n := range selects {
		sel := oneSelect(n)
		if sel == nil {
			return errTooMuch.New("a UNION inside a UNION")
		}
		if op := sel.AfterSetOperator; i > 0 && op != nil {
			switch *op {
			case ast.Union:
				r.plan.distinct = i + 1
			case ast.UnionAll:
			default:
				return errTooMuch.New(op.String())
			}
		}
		if sel.Fields == nil {
			return errTooMuch.New("VALUES in a UNION")
		}
		w := &blockWalk{pc: r.pc}
		sel.Accept(w)
		s := newScatter(r.pc, sel, w.blocks[0], r.pc.spreadOf(w.blocks))
		if err := s.readFields(); err != nil {
			return err
		}
		r.sides = append(r.sides, &unionSelect{scatter: s, blocks: w.blocks})
	}
	return nil
}

// oneSelect takes a SELECT out of its parentheses; nil if there is more than one in them.
func oneSelect(n ast.Node) *ast.SelectStmt {
	switch n := n.(type) {
	case *ast.SelectStmt:
		return n
	case *ast.SetOprSelectList:
		if len(n.Selects) != 1 || n.With != nil {
			return nil
		}
		inner := oneSelect(n.Selects[0])
		if inner == nil || (n.OrderBy != nil || n.Limit != nil) && (inner.OrderBy != nil || inner.Limit != nil) {
			return nil
		}
		sel := *inner
		sel.AfterSetOperator = n.AfterSetOperator
		if n.OrderBy != nil || n.Limit != nil {
			sel.OrderBy, sel.Limit = n.OrderBy, n.Limit
		}
		return &sel
	}
	return nil
}

// order reads the ORDER BY of the whole UNION: positions and names of the first SELECT's columns.
func (r *unionReader) order(o *ast.OrderByClause) error {
	if o == nil {
		return nil
	}
	first := r.sides[0]
	for _, it := range o.Items {
		at := -1
		if p, ok := it.Expr.(*ast.PositionExpr); ok {
			at = p.N - 1
			if at < 0 || at >= len(first.fields) {
				return errUnknownCol.New(strconv.Itoa(p.N), "order clause")
			}
		} else if name, ok := plainName(it.Expr); ok {
			at = first.byName(name, false)
		}
		if at < 0 {
			return errTooMuch.New("ORDER BY an expression behind a UNION")
		}
		if err := r.add(&r.plan.sort, at, it.Desc); err != nil {
			return err
		}
	}
	return nil
}

// add makes a key of a column. Strings are compared by weight where all sides give a column of one collation; else the engine refuses them.
func (r *unionReader) add(keys *[]engine.Key, at int, desc bool) error {
	k := engine.Key{Column: at, Weight: -1, Desc: desc}
	collation := ""
	for i, s := range r.sides {
		if s.opaque {
			return errTooMuch.New("UNION of '*' with NATURAL JOIN, USING or a derived table, where rows must be compared")
		}
		if at >= len(s.fields) {
			return errUnionWidth.New()
		}
		c := s.catalogColumn(s.fields[at].expr)
		switch {
		case c == nil:
			collation = ""
		case i == 0:
			collation = c.Collation
		case c.Collation != collation:
			collation = ""
		}
		if collation == "" {
			*keys = append(*keys, k)
			return nil
		}
	}
	kind := columnOrder(r.sides[0].catalogColumn(r.sides[0].fields[at].expr))
	if kind != orderWeight && kind != orderPadded {
		*keys = append(*keys, k)
		return nil
	}
	width := len(r.sides[0].fields)
	k.Weight, k.Pad = width+r.weights, width+r.weights+1
	r.weights += 2
	for _, s := range r.sides {
		if s.sel.Distinct || s.sel.GroupBy != nil {
			return errTooMuch.New("DISTINCT or GROUP BY in a UNION whose strings are compared")
		}
		e := s.fields[at].expr
		pad := compose("NULL")
		if kind == orderPadded {
			pad = padOf(e, true)
		}
		s.extra = append(s.extra, &ast.SelectField{Expr: weightOf(e), AsName: ast.NewCIStr("__w" + strconv.Itoa(len(s.extra)))},
			&ast.SelectField{Expr: pad, AsName: ast.NewCIStr("__w" + strconv.Itoa(len(s.extra)+1))})
	}
	*keys = append(*keys, k)
	return nil
}

// finishSide plans one side with its weights.
func (s *unionSelect) finishSide() (*unionSide, error) {
	side := &unionSide{spread: s.spread}
	sel := *s.sel
	sel.IsInBraces, sel.AfterSetOperator = false, nil
	sel.Fields = &ast.FieldList{Fields: append(append([]*ast.SelectField(nil), s.pushed...), s.extra...)}
	var err error
	if side.whole, err = newTemplate(&sel, s.pc.env.Flags); err != nil {
		return nil, err
	}
	side.tree, side.refusal = s.pc.scatterSelect(&sel, s.blocks, s.spread)
	return side, nil
}

func (p *unionPlan) build(bc *bindCtx, _ []int) (engine.Node, error) {
	w, err := p.limit.window(bc)
	if err != nil {
		return nil, err
	}
	var branches []engine.Node
	for _, s := range p.sides {
		b, err := s.build(bc)
		if err != nil {
			return nil, err
		}
		branches = append(branches, b)
	}
	root := p.together(branches, bc.env.QueryMemory)
	if p.sort != nil {
		root = &engine.Sort{Input: root, Keys: p.sort, Limit: w.rows(), Budget: bc.env.QueryMemory}
	}
	root = w.limit(root)
	if p.visible > 0 {
		root = &engine.Project{Input: root, First: p.visible}
	}
	return root, nil
}

// together joins the branches: those up to the last UNION without ALL lose repeated rows.
func (p *unionPlan) together(branches []engine.Node, budget int64) engine.Node {
	if p.distinct == 0 {
		return &engine.Union{Branches: branches}
	}
	var root engine.Node = &engine.Distinct{Input: &engine.Union{Branches: branches[:p.distinct:p.distinct]}, Keys: p.keys, Unsorted: true, Budget: budget}
	if p.distinct < len(branches) {
		root = &engine.Union{Branches: append([]engine.Node{root}, branches[p.distinct:]...)}
	}
	return root
}

func (s *unionSide) build(bc *bindCtx) (engine.Node, error) {
	var room [16]int
	nodes := s.spread.nodes(bc, room[:0])
	if len(nodes) > 1 {
		if s.refusal != nil {
			return nil, s.refusal
		}
		return s.tree.build(bc, nodes)
	}
	if len(nodes) == 0 {
		node, err := bc.anyNode()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	return &engine.Scatter{Queries: queries(nodes, s.whole.render(nil, bc))}, nil
}
