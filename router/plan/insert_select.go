package plan

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"ballast/rules"
	"ballast/rules/catalog"
)

// insertSelect plans INSERT … SELECT into a sharded or global table. A SELECT without tables and conditions is a row of values. Otherwise the
// statement must stay on one node: the rows that it reads are there, and the key that it writes is a constant, or a column that WHERE
// makes one, whose place is there too.
func (pc *planCtx) insertSelect(s *ast.InsertStmt, name *ast.TableName, t *catalog.Table) error {
	refused := errInsertSelect.New(pc.verbName(), t.Name)
	sel, ok := s.Select.(*ast.SelectStmt)
	switch {
	case !ok:
		return refused
	case sel.Kind == ast.SelectStmtKindValues && pc.mariaDB:
		return errNoParse.New("ROW", 1) // MariaDB has no such form, and says so itself
	case sel.Kind == ast.SelectStmtKindValues && sel.OrderBy == nil && sel.Limit == nil:
		s.Select, s.Lists = nil, make([][]ast.ExprNode, len(sel.Lists)) // VALUES ROW (…), ROW (…)
		for i, row := range sel.Lists {
			s.Lists[i] = row.Values
		}
		return pc.insert(s)
	case sel.Fields == nil || sel.With != nil:
		return refused
	}
	row := make([]ast.ExprNode, 0, len(sel.Fields.Fields))
	plain := sel.From == nil && sel.Where == nil && sel.Having == nil && sel.GroupBy == nil && sel.Limit == nil
	for _, f := range sel.Fields.Fields {
		if f.Expr == nil {
			return refused
		}
		plain = plain && !hasAggregate(f.Expr)
		row = append(row, f.Expr)
	}
	if plain {
		s.Select, s.Lists, pc.selected = nil, [][]ast.ExprNode{row}, true
		return pc.insert(s)
	}
	if t.Kind != catalog.Sharded || t.Sequence != "" {
		return refused
	}
	p := &copyPlan{table: pc.refs[name].index, ignore: s.IgnoreErr, refused: refused}
	columns, err := insertColumns(s, name, t)
	if err != nil {
		return err
	}
	if len(columns) != len(row) {
		return errValueCount.New(1)
	}
	if err := pc.checkOnDuplicate(s, t); err != nil {
		return err
	}
	conds := pc.condBlock(pc.scopeOf(sel.From), sel.Where)
	for _, f := range t.Fields {
		i := slices.Index(columns, f)
		if i < 0 {
			return refused
		}
		key, ok := conds.constant(row[i], &t.Columns[f].Field)
		if !ok {
			return refused
		}
		p.keys = append(p.keys, key)
	}
	w := &blockWalk{pc: pc}
	sel.Accept(w)
	p.spread = pc.spreadOf(w.blocks)
	if pc.rewritten {
		whole, err := newTemplate(pc.stmt, pc.env.Flags)
		if err != nil {
			return err
		}
		p.whole = &whole
	}
	pc.plan.binder = p
	return nil
}

// constantKey is a key that a SELECT gives to all its rows: an operand that is stored, or one that a column of the key's type equals.
type constantKey struct {
	o      operand
	column bool
}

// constant reads an expression as a value that is the same in all rows.
func (b *condBlock) constant(e ast.ExprNode, t *rules.FieldType) (constantKey, bool) {
	if o, ok := b.pc.operandOf(e); ok {
		return constantKey{o: o}, true
	}
	col, ok := b.columnOf(e)
	if !ok || !sameType(col.ref.table.Columns[col.col].Field, *t) {
		return constantKey{}, false
	}
	for _, c := range b.conds {
		x, ok := c.(*ast.BinaryOperationExpr)
		if !ok || x.Op != opcode.EQ {
			continue
		}
		for _, sides := range [2][2]ast.ExprNode{{x.L, x.R}, {x.R, x.L}} {
			if have, ok := b.columnOf(sides[0]); ok && (have == col || b.joined(have, col)) {
				if o, ok := b.pc.operandOf(sides[1]); ok {
					return constantKey{o: o, column: true}, true
				}
			}
		}
	}
	return constantKey{}, false
}

// copyPlan is INSERT … SELECT that stays on one node.
type copyPlan struct {
	table   int
	spread  *spread
	keys    []constantKey
	ignore  bool
	whole   *Template
	refused error
}

func (p *copyPlan) bind(bc *bindCtx, out *Bound) error {
	t := bc.tables[p.table]
	key := make([]rules.Value, len(p.keys))
	store := storer{env: bc.env, mariaDB: bc.plan.mariaDB, strict: bc.env.Flags&Strict != 0 && !p.ignore, ignore: p.ignore}
	for i := range p.keys {
		l, ok := p.keys[i].o.value(bc)
		if !ok || l.Kind == LitDefault {
			return p.refused
		}
		c := &t.Columns[t.Fields[i]]
		if p.keys[i].column {
			v, how := comparer{env: bc.env, mariaDB: bc.plan.mariaDB, direct: true}.equal(&c.Field, &l)
			if how != exact {
				return p.refused
			}
			key[i] = v
			continue
		}
		v, how, why := store.value(c, &l)
		if how != stores {
			return errKeyUnsure.New(c.Name, t.Name, why)
		}
		key[i] = v
	}
	node, err := t.Placement.Node(key)
	if err != nil {
		return err
	}
	for _, n := range p.spread.nodes(bc, bc.room[:0]) {
		if n != node {
			return p.refused
		}
	}
	bc.one(node, p.whole, out)
	return nil
}
