package plan

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/rules/catalog"
)

// statement plans what was parsed, by its kind.
func (pc *planCtx) statement() error {
	switch s := pc.stmt.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		pc.plan.Verb = Select
		return pc.query()
	case *ast.InsertStmt:
		pc.plan.Verb, pc.plan.InsertsSelect = Insert, s.Select != nil
		if s.IsReplace {
			pc.plan.Verb = Replace
		}
		return pc.modify(func() error { return pc.insert(s) })
	case *ast.UpdateStmt:
		pc.plan.Verb = Update
		return pc.modify(func() error { return pc.update(s) })
	case *ast.DeleteStmt:
		pc.plan.Verb = Delete
		return pc.modify(func() error { return pc.delete(s) })
	}
	return pc.command()
}

// query plans SELECT and its unions.
func (pc *planCtx) query() error {
	if err := pc.checkQuery(); err != nil {
		return err
	}
	pc.noteFound()
	pc.rewriteSession()
	if err := pc.resolve(pc.stmt); err != nil {
		return err
	}
	pc.needRead()
	if !pc.sharded() {
		return pc.unsharded()
	}
	b, err := pc.planSelect(pc.stmt)
	if err != nil {
		return err
	}
	if sb, ok := b.(*selectBinder); ok {
		pc.addInto(sb.whole)
	}
	pc.plan.binder = b
	return nil
}

// checkQuery refuses what no SELECT may hold here, and notes locks.
func (pc *planCtx) checkQuery() error {
	c := &queryCheck{}
	pc.stmt.Accept(c)
	if c.outfile {
		return errRefused.New("SELECT … INTO OUTFILE")
	}
	pc.plan.Locking = c.locks
	return nil
}

type queryCheck struct{ outfile, locks bool }

// Enter implements ast.Visitor.
func (c *queryCheck) Enter(n ast.Node) (ast.Node, bool) {
	if s, ok := n.(*ast.SelectStmt); ok {
		if s.SelectStmtOpts == nil {
			s.SelectStmtOpts = &ast.SelectStmtOpts{SQLCache: true}
		}
		if s.Kind == ast.SelectStmtKindTable { // TABLE t is SELECT * FROM t
			s.Kind = ast.SelectStmtKindSelect
		}
		c.outfile = c.outfile || s.SelectIntoOpt != nil
		c.locks = c.locks || s.LockInfo != nil && s.LockInfo.LockType != ast.SelectLockNone
	}
	return n, false
}

// Leave implements ast.Visitor.
func (c *queryCheck) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// modify does what all writes have in common, then plans by kind.
func (pc *planCtx) modify(kind func() error) error {
	pc.rewriteSession()
	if err := pc.resolve(pc.stmt); err != nil {
		return err
	}
	return kind()
}

// unsharded plans a statement whose tables are all global, single or the server's own: it runs whole on one node.
func (pc *planCtx) unsharded() error {
	one, err := pc.singleTable()
	if err != nil {
		return err
	}
	b := &wholeBinder{single: -1}
	for i, t := range pc.tables {
		if t == one {
			b.single = i
		}
	}
	b.any = one == nil
	if pc.rewritten {
		t, err := pc.wholeTemplate(pc.stmt)
		if err != nil {
			return err
		}
		pc.addInto(&t)
		b.sql = &t
	}
	pc.plan.binder = b
	return nil
}

// wholeBinder sends a statement to the node of its single tables, or to any.
type wholeBinder struct {
	single int
	any    bool
	sql    *Template
}

func (b *wholeBinder) bind(bc *bindCtx, out *Bound) error {
	node := 0
	if b.single >= 0 {
		one := bc.tables[b.single]
		node = one.SingleNode
		for _, t := range bc.tables {
			if t.Kind == catalog.Single && t.SingleNode != node { // one was moved since the plan was made
				return errSingles.New(one.Name, t.Name)
			}
		}
	} else {
		var err error
		if node, err = bc.anyNode(); err != nil {
			return err
		}
	}
	bc.one(node, b.sql, out)
	out.single.AnyNode = b.any
	return nil
}

// one sends a statement to one node: verbatim, or the text of a template.
func (bc *bindCtx) one(node int, sql *Template, out *Bound) {
	if sql == nil {
		out.verbatim(node)
		return
	}
	bc.text = sql.render(bc.text[:0], bc)
	out.rendered(node, bc.text)
}

// nodesOf gives the nodes that a table of any kind has rows on.
func (bc *bindCtx) nodesOf(t *catalog.Table, dst []int) []int {
	switch t.Kind {
	case catalog.Sharded:
		return append(dst, t.Placement.Nodes()...)
	case catalog.Single:
		return append(dst, t.SingleNode)
	}
	for i := range bc.env.Snapshot.Nodes {
		if !bc.env.Snapshot.Nodes[i].Removed {
			dst = append(dst, i)
		}
	}
	return dst
}
