package plan

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"
)

// compiler turns expressions into conds for one reference.
type compiler struct {
	b   *condBlock
	ref *tableRef
}

// field gives the balancing field of the reference that an expression is, or equals by the block's conditions.
func (c *compiler) field(e ast.ExprNode) (int, bool) {
	col, ok := c.b.columnOf(e)
	if !ok {
		return 0, false
	}
	for i, f := range c.ref.table.Fields {
		mine := columnID{c.ref, f}
		if col == mine || c.b.joined(col, mine) {
			return i, true
		}
	}
	return 0, false
}

// compile reads a condition; with not set, its negation.
func (c *compiler) compile(e ast.ExprNode, not bool) *cond {
	switch x := e.(type) {
	case *ast.ParenthesesExpr:
		return c.compile(x.Expr, not)
	case *ast.UnaryOperationExpr:
		if x.Op == opcode.Not || x.Op == opcode.Not2 {
			return c.compile(x.V, !not)
		}
	case *ast.BinaryOperationExpr:
		return c.binary(x, not)
	case *ast.PatternInExpr:
		if x.Not != not || x.Sel != nil {
			return anyCond
		}
		return c.in(x)
	case *ast.BetweenExpr:
		return c.between(x, not)
	case *ast.IsNullExpr:
		if x.Not != not {
			return anyCond
		}
		if f, ok := c.own(x.Expr); ok {
			return &cond{kind: condIsNull, field: f}
		}
	case *ast.IsTruthExpr:
		if x.True == 1 && !x.Not && !not {
			return c.compile(x.Expr, false)
		}
	case *slotExpr, *test_driver.ValueExpr:
		if o, ok := c.b.pc.operandOf(e); ok && !not {
			return &cond{kind: condConst, args: []operand{o}}
		}
	}
	return anyCond
}

// own is field without the columns that are only equal to it: NULL is not passed on by an equality.
func (c *compiler) own(e ast.ExprNode) (int, bool) {
	col, ok := c.b.columnOf(e)
	if !ok || col.ref != c.ref {
		return 0, false
	}
	for i, f := range c.ref.table.Fields {
		if col.col == f {
			return i, true
		}
	}
	return 0, false
}

func (c *compiler) binary(x *ast.BinaryOperationExpr, not bool) *cond {
	switch x.Op {
	case opcode.LogicAnd, opcode.LogicOr:
		l, r := c.compile(x.L, not), c.compile(x.R, not)
		if (x.Op == opcode.LogicAnd) != not {
			return both(l, r)
		}
		return either(l, r)
	}
	op, ok := comparisonOf(x.Op, not)
	if !ok {
		return anyCond
	}
	if row, isRow := x.L.(*ast.RowExpr); isRow {
		if other, isRow := x.R.(*ast.RowExpr); isRow && op == opEQ {
			return c.rows(row, []*ast.RowExpr{other})
		}
		return anyCond
	}
	left, right := x.L, x.R
	f, found := c.field(left)
	if !found {
		if f, found = c.field(right); !found {
			return anyCond
		}
		left, right, op = right, left, op.mirrored()
	}
	if op == opNullEQ {
		if _, mine := c.own(left); !mine {
			return anyCond
		}
	}
	o, ok := c.b.pc.operandOf(right)
	if !ok {
		return anyCond
	}
	return &cond{kind: condCompare, field: f, op: op, args: []operand{o}}
}

// comparisonOf gives the operator, negated if not is set; the negation of = and of <=> says nothing.
func comparisonOf(op opcode.Op, not bool) (comparison, bool) {
	switch op {
	case opcode.EQ:
		return opEQ, !not
	case opcode.NullEQ:
		return opNullEQ, !not
	case opcode.NE:
		return opEQ, not
	case opcode.LT:
		return pick(not, opGE, opLT), true
	case opcode.LE:
		return pick(not, opGT, opLE), true
	case opcode.GT:
		return pick(not, opLE, opGT), true
	case opcode.GE:
		return pick(not, opLT, opGE), true
	}
	return 0, false
}

func pick(first bool, a, b comparison) comparison {
	if first {
		return a
	}
	return b
}

func both(l, r *cond) *cond {
	switch {
	case l.kind == condAny:
		return r
	case r.kind == condAny:
		return l
	}
	return join(condAnd, l, r)
}

func either(l, r *cond) *cond {
	if l.kind == condAny || r.kind == condAny {
		return anyCond
	}
	return join(condOr, l, r)
}

// join puts two conditions under one node; chains of one kind become a flat list. The tree is being built: l is nobody else's yet.
func join(kind condKind, l, r *cond) *cond {
	if l.kind != kind {
		l = &cond{kind: kind, kids: []*cond{l}}
	}
	if r.kind == kind {
		l.kids = append(l.kids, r.kids...)
	} else {
		l.kids = append(l.kids, r)
	}
	return l
}

func (c *compiler) in(x *ast.PatternInExpr) *cond {
	if row, ok := x.Expr.(*ast.RowExpr); ok {
		rows := make([]*ast.RowExpr, 0, len(x.List))
		for _, e := range x.List {
			r, ok := e.(*ast.RowExpr)
			if !ok {
				return anyCond
			}
			rows = append(rows, r)
		}
		return c.rows(row, rows)
	}
	f, ok := c.field(x.Expr)
	if !ok {
		return anyCond
	}
	out := &cond{kind: condIn, field: f}
	for _, e := range x.List {
		o, ok := c.b.pc.operandOf(e)
		if !ok {
			return anyCond
		}
		out.args = append(out.args, o)
	}
	return out
}

// rows reads (a, b) IN ((1, 2), …), of which (a, b) = (1, 2) is the short form.
func (c *compiler) rows(left *ast.RowExpr, rows []*ast.RowExpr) *cond {
	out := &cond{kind: condRows, fields: make([]int, len(left.Values))}
	known := false
	for i, e := range left.Values {
		f, ok := c.field(e)
		out.fields[i] = f
		if !ok {
			out.fields[i] = -1
		}
		known = known || ok
	}
	if !known {
		return anyCond
	}
	for _, r := range rows {
		if len(r.Values) != len(left.Values) {
			return anyCond
		}
		row := make([]operand, len(r.Values))
		for i, e := range r.Values {
			o, ok := c.b.pc.operandOf(e)
			if out.fields[i] >= 0 && !ok {
				return anyCond
			}
			row[i] = o
		}
		out.rows = append(out.rows, row)
	}
	return out
}

func (c *compiler) between(x *ast.BetweenExpr, not bool) *cond {
	f, ok := c.field(x.Expr)
	if !ok {
		return anyCond
	}
	lo, okL := c.b.pc.operandOf(x.Left)
	hi, okR := c.b.pc.operandOf(x.Right)
	if !okL || !okR {
		return anyCond
	}
	if x.Not == not {
		return &cond{kind: condBetween, field: f, args: []operand{lo, hi}}
	}
	return either(&cond{kind: condCompare, field: f, op: opLT, args: []operand{lo}}, &cond{kind: condCompare, field: f, op: opGT, args: []operand{hi}})
}
