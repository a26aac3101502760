package plan

import (
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
	// uniform are the columns with collations that must be the same.
	uniform []int
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
	r.leaveDistinct()
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
	if r.extras > 0 {
		p.visible = len(r.sides[0].fields)
	}
	return p, nil
}

// unionReader reads the sides of a UNION.
type unionReader struct {
	pc     *planCtx
	plan   *unionPlan
	sides  []*unionSelect
	extras int
	// keyed are the keys made so far, with the columns that they are of.
	keyed []sortable
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

// leaveDistinct drops DISTINCT from sides whose rows lose their repetitions anyway.
func (r *unionReader) leaveDistinct() {
	for _, s := range r.sides[:r.plan.distinct] {
		if s.sel.Distinct && s.sel.Limit == nil {
			sel := *s.sel
			sel.Distinct = false
			s.sel = &sel
		}
	}
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
	if p.distinct < len(branches) {
		root = p.checked(root)
	}
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
	var root engine.Node = &engine.Distinct{Input: p.checked(&engine.Union{Branches: branches[:p.distinct:p.distinct]}), Keys: p.keys, Unsorted: true, Budget: budget}
	if p.distinct < len(branches) {
		root = &engine.Union{Branches: append([]engine.Node{root}, branches[p.distinct:]...)}
	}
	return root
}

// checked makes sure that weights were made under one collation.
func (p *unionPlan) checked(in engine.Node) engine.Node {
	if len(p.uniform) == 0 {
		return in
	}
	return &engine.Uniform{Input: in, Columns: p.uniform}
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
