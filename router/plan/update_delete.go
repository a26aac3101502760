package plan

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/engine"
	"ballast/rules/catalog"
)

// modification is what UPDATE and DELETE have in common once they are taken apart.
type modification struct {
	from    *ast.TableRefsClause
	where   ast.ExprNode
	with    *ast.WithClause
	set     []*ast.Assignment
	order   *ast.OrderByClause
	limit   *ast.Limit
	multi   bool
	ignore  bool
	scope   scope
	targets []*tableRef
}

// update plans UPDATE.
func (pc *planCtx) update(s *ast.UpdateStmt) error {
	m := &modification{from: s.TableRefs, where: s.Where, with: s.With, set: s.List, order: s.Order, limit: s.Limit, ignore: s.IgnoreErr}
	m.scope = pc.scopeOf(s.TableRefs)
	m.multi = len(m.scope) > 1
	for _, a := range s.List {
		ref, _, ok := m.scope.column(a.Column)
		if !ok {
			if !m.multi && m.scope[0].table != nil {
				return errUnknownCol.New(columnText(a.Column), "field list")
			}
			return errRefused.New("UPDATE of column " + columnText(a.Column) + ", whose table can't be told")
		}
		m.addTarget(ref)
	}
	return pc.modification(m)
}

// delete plans DELETE.
func (pc *planCtx) delete(s *ast.DeleteStmt) error {
	m := &modification{from: s.TableRefs, where: s.Where, with: s.With, order: s.Order, limit: s.Limit, multi: s.IsMultiTable}
	m.scope = pc.scopeOf(s.TableRefs)
	if !s.IsMultiTable {
		m.targets = m.scope
		return pc.modification(m)
	}
	for _, n := range s.Tables.Tables {
		var found *tableRef
		for _, r := range m.scope {
			if strings.EqualFold(r.alias, n.Name.O) && (n.Schema.L == "" || strings.EqualFold(r.schema, n.Schema.O)) {
				found = r
			}
		}
		if found == nil {
			return errUnknownTarget.New(n.Name.O)
		}
		m.addTarget(found)
	}
	return pc.modification(m)
}

func (m *modification) addTarget(ref *tableRef) {
	for _, t := range m.targets {
		if t == ref {
			return
		}
	}
	m.targets = append(m.targets, ref)
}

// modification plans an UPDATE or DELETE by the kinds of its tables.
func (pc *planCtx) modification(m *modification) error {
	sharded, global := 0, 0
	for _, t := range m.targets {
		switch {
		case t.table == nil:
			return errRefused.New(pc.verbName() + " of a table of a system schema")
		case t.table.Kind == catalog.Global:
			global++
		case t.table.Kind == catalog.Sharded:
			sharded++
		}
		pc.need(t.table.Name.Schema, t.table.Name.Table, catalog.Write)
	}
	pc.needRead()
	switch {
	case global > 0:
		return pc.modifyGlobal(m)
	case !pc.sharded():
		return pc.unsharded()
	case sharded == 0:
		return errMultiPart.New(pc.verbName() + " of a single table together with a sharded one")
	}
	return pc.modifySharded(m)
}

// modifyGlobal plans a write on full copies: every node runs it, and all must do the same.
func (pc *planCtx) modifyGlobal(m *modification) error {
	for _, t := range pc.tables {
		if t.Kind != catalog.Global {
			return errMultiPart.New(pc.verbName() + " of a global table together with one that is not")
		}
	}
	v := varietyOf(pc.stmt)
	switch {
	case v.random != "":
		return errRefused.New(pc.verbName() + " of a global table with " + v.random + "()")
	case v.locks != "":
		return errRefused.New(pc.verbName() + " of a global table with " + v.locks + "()")
	case m.limit != nil:
		return errRefused.New(pc.verbName() + " of a global table with LIMIT")
	}
	out, _ := pc.stmt.Accept(&fixer{pc})
	pc.stmt = out.(ast.StmtNode)
	pc.inlineUserVars(pc.stmt)
	whole, err := newTemplate(pc.stmt, pc.env.Flags)
	if err != nil {
		return err
	}
	pc.plan.binder = &globalWrite{table: m.targets[0].index, whole: whole}
	return nil
}

// globalWrite runs the same text on all nodes.
type globalWrite struct {
	table int
	whole Template
}

func (g *globalWrite) bind(bc *bindCtx, out *Bound) error {
	sql := g.whole.render(nil, bc)
	w := &Writes{Global: true, Timestamp: bc.statementTime()}
	for _, n := range bc.nodesOf(bc.tables[g.table], nil) {
		w.Parts = append(w.Parts, engine.Query{Node: n, SQL: sql})
	}
	out.Writes = w
	return nil
}

// modifySharded plans a write on rows that are spread.
func (pc *planCtx) modifySharded(m *modification) error {
	sel := &ast.SelectStmt{SelectStmtOpts: &ast.SelectStmtOpts{}, From: m.from, Where: m.where, With: m.with, Fields: &ast.FieldList{}}
	for _, a := range m.set {
		sel.Fields.Fields = append(sel.Fields.Fields, &ast.SelectField{Expr: a.Expr})
	}
	w := &blockWalk{pc: pc}
	sel.Accept(w)
	b := &shardedWrite{spread: pc.spreadOf(w.blocks), rewritten: pc.rewritten, table: m.targets[0].index}
	if err := b.keyChanges(pc, m); err != nil {
		return err
	}
	b.refusal = pc.mayScatter(w.blocks[0], b.spread)
	v := varietyOf(pc.stmt)
	switch {
	case b.refusal != nil:
	case m.limit != nil:
		b.refusal = errManyNodes.New(pc.verbName() + " … LIMIT")
	case m.order != nil:
		b.refusal = errManyNodes.New(pc.verbName() + " … ORDER BY")
	case v.locks != "":
		b.refusal = errManyNodes.New(pc.verbName() + " with " + v.locks + "()")
	case len(pc.plan.AssignsVars) > 0:
		b.refusal = errManyNodes.New("assignment to user variables")
	}
	b.timed = v.clock || updatesClock(m)
	pc.inlineUserVars(pc.stmt)
	var err error
	b.whole, err = newTemplate(pc.stmt, pc.env.Flags)
	pc.plan.binder = b
	return err
}

// updatesClock says whether columns may be set to the time by ON UPDATE CURRENT_TIMESTAMP; the catalog does not tell, so all time columns count.
func updatesClock(m *modification) bool {
	for _, t := range m.targets {
		for i := range t.table.Columns {
			if d := t.table.Columns[i].DataType; len(m.set) > 0 && (d == "timestamp" || d == "datetime") {
				return true
			}
		}
	}
	return false
}

// shardedWrite runs an UPDATE or DELETE on the nodes whose rows it may touch.
type shardedWrite struct {
	spread    *spread
	table     int
	whole     Template
	rewritten bool
	// timed says that all nodes must agree on the time.
	timed bool
	// refusal says why several nodes will not do; nil if they will.
	refusal error
	// keys is set when balancing fields are assigned.
	keys *keyChange
}

func (s *shardedWrite) bind(bc *bindCtx, out *Bound) error {
	nodes := s.spread.nodes(bc, bc.room[:0])
	if len(nodes) == 0 {
		all := bc.tables[s.table].Placement.Nodes()
		if len(all) == 0 {
			return errNoNodes.New()
		}
		s.one(bc, all[0], out)
		out.single.AnyNode = true
		return nil
	}
	if s.keys != nil {
		if err := s.keys.check(bc, nodes); err != nil {
			return err
		}
	}
	if len(nodes) == 1 {
		s.one(bc, nodes[0], out)
		return nil
	}
	if s.refusal != nil {
		return s.refusal
	}
	if bc.inline {
		return ErrNeedsGoroutine
	}
	sql := bc.wholeText(s.rewritten, s.whole)
	w := &Writes{Parts: make([]engine.Query, 0, len(nodes))}
	for _, n := range nodes {
		w.Parts = append(w.Parts, engine.Query{Node: n, SQL: sql})
	}
	if s.timed {
		w.Timestamp = bc.statementTime()
	}
	out.Writes = w
	return nil
}

func (s *shardedWrite) one(bc *bindCtx, node int, out *Bound) {
	if s.rewritten {
		bc.text = s.whole.render(bc.text[:0], bc)
		out.rendered(node, bc.text)
		return
	}
	out.verbatim(node)
}

// wholeText gives the statement's text for several nodes: the client's own where it will do.
func (bc *bindCtx) wholeText(rewritten bool, whole Template) []byte {
	if !rewritten && !bc.args.bound && len(bc.plan.UserVars) == 0 {
		return bc.args.Text
	}
	return whole.render(nil, bc)
}
