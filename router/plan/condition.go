package plan

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"ballast/rules"
	"ballast/rules/catalog"
)

// condBlock is a query block under the view of pruning: its references, the conditions that every result row satisfies, and the columns
// that those make equal.
type condBlock struct {
	pc    *planCtx
	scope scope
	conds []ast.ExprNode
	// equal maps a column to the representative of the columns that equal it.
	equal map[columnID]columnID
}

// columnID is a column of a reference of the block.
type columnID struct {
	ref *tableRef
	col int
}

// condBlock takes the conditions apart at AND. They must hold for every row that counts: WHERE, and ON of inner joins.
func (pc *planCtx) condBlock(s scope, conds ...ast.ExprNode) *condBlock {
	b := &condBlock{pc: pc, scope: s, equal: map[columnID]columnID{}}
	for _, c := range conds {
		b.conds = appendConjuncts(b.conds, c)
	}
	for _, c := range b.conds {
		b.noteEquality(c)
	}
	return b
}

// appendConjuncts takes an expression apart at AND.
func appendConjuncts(dst []ast.ExprNode, e ast.ExprNode) []ast.ExprNode {
	switch x := e.(type) {
	case nil:
		return dst
	case *ast.ParenthesesExpr:
		return appendConjuncts(dst, x.Expr)
	case *ast.BinaryOperationExpr:
		if x.Op == opcode.LogicAnd {
			return appendConjuncts(appendConjuncts(dst, x.L), x.R)
		}
	}
	return append(dst, e)
}

// noteEquality remembers a.x = b.y between columns of one type, so that what is known of one is known of the other.
func (b *condBlock) noteEquality(e ast.ExprNode) {
	x, ok := e.(*ast.BinaryOperationExpr)
	if !ok || x.Op != opcode.EQ {
		return
	}
	l, okL := b.columnOf(x.L)
	r, okR := b.columnOf(x.R)
	if !okL || !okR || !sameType(l.ref.table.Columns[l.col].Field, r.ref.table.Columns[r.col].Field) {
		return
	}
	if from, to := b.root(l), b.root(r); from != to {
		b.equal[from] = to
	}
}

// sameType says whether equal values of two columns are the same key.
func sameType(a, b rules.FieldType) bool {
	return a.Kind != rules.FieldNone && a.Kind == b.Kind && a.Scale == b.Scale && a.Collation == b.Collation && a.Fixed == b.Fixed &&
		(!a.Fixed || a.Length == b.Length)
}

func (b *condBlock) root(c columnID) columnID {
	for {
		up, ok := b.equal[c]
		if !ok {
			return c
		}
		c = up
	}
}

// joined says whether the conditions make two columns equal.
func (b *condBlock) joined(x, y columnID) bool { return b.root(x) == b.root(y) }

// columnOf reads an expression as a column of one of the block's tables.
func (b *condBlock) columnOf(e ast.ExprNode) (columnID, bool) {
	for {
		p, ok := e.(*ast.ParenthesesExpr)
		if !ok {
			break
		}
		e = p.Expr
	}
	c, ok := e.(*ast.ColumnNameExpr)
	if !ok {
		return columnID{}, false
	}
	ref, col, ok := b.scope.column(c.Name)
	return columnID{ref, col}, ok
}

// pruner finds the nodes that may hold rows of one reference that satisfy its block's conditions.
type pruner struct {
	// table is the table's place in bindCtx.tables.
	table int
	cond  *cond
	// keys, when set, are the operands of an equality for each balancing field, in order: the way of nearly all statements.
	keys []operand
}

// pruner compiles what the block's conditions say of a reference to a sharded table.
func (b *condBlock) pruner(ref *tableRef) *pruner {
	c := &compiler{b: b, ref: ref}
	all := &cond{kind: condAnd}
	for _, e := range b.conds {
		if k := c.compile(e, false); k.kind != condAny {
			all.kids = append(all.kids, k)
		}
	}
	p := &pruner{table: ref.index, cond: all}
	keys := make([]operand, len(ref.table.Fields))
	found := make([]bool, len(keys))
	count := 0
	for _, k := range all.kids {
		if k.kind == condCompare && k.op == opEQ && !found[k.field] {
			keys[k.field], found[k.field] = k.args[0], true
			count++
		}
	}
	if count == len(keys) {
		p.keys = keys
	}
	return p
}

// nodes appends the nodes that may hold matching rows, ascending; none means that no row can match.
func (p *pruner) nodes(bc *bindCtx, dst []int) []int {
	t := bc.tables[p.table]
	if t.Kind != catalog.Sharded {
		return bc.nodesOf(t, dst)
	}
	if p.keys != nil {
		if node, done := p.one(bc, t); done {
			if node >= 0 {
				dst = append(dst, node)
			}
			return dst
		}
	}
	fields := make([]rules.FieldType, len(t.Fields))
	for i, c := range t.Fields {
		fields[i] = t.Columns[c].Field
	}
	boxes := p.cond.within(bc, fields, []box{make(box, len(fields))})
	if len(boxes) == 1 {
		return t.Placement.Prune(boxes[0], dst)
	}
	var found nodeBits
	var buf []int
	for _, b := range boxes {
		buf = t.Placement.Prune(b, buf[:0])
		for _, n := range buf {
			found.add(n)
		}
	}
	return found.appendTo(dst)
}

// maxKeyFields bounds the balancing fields that the fast way handles without allocating.
const maxKeyFields = 4

// one finds the node of a full key; done is false if the key is not certain, node is -1 if no row can have it.
func (p *pruner) one(bc *bindCtx, t *catalog.Table) (node int, done bool) {
	var key [maxKeyFields]rules.Value
	if len(p.keys) > maxKeyFields || len(p.keys) != len(t.Fields) {
		return 0, false
	}
	for i := range p.keys {
		l, ok := p.keys[i].value(bc)
		if !ok {
			return 0, false
		}
		if l.Kind == LitNull {
			return -1, true
		}
		cmp := comparer{env: bc.env, mariaDB: bc.plan.mariaDB, direct: p.keys[i].op == 0 && p.keys[i].cast == castNone}
		v, how := cmp.equal(&t.Columns[t.Fields[i]].Field, &l)
		switch how {
		case never:
			return -1, true
		case exact:
			key[i] = v
		default:
			return 0, false
		}
	}
	node, err := t.Placement.Node(key[:len(p.keys)])
	if err != nil {
		if rules.NoPlaceError(err) {
			return -1, true
		}
		return 0, false
	}
	return node, true
}

// nodeBits is a small set of node indexes.
type nodeBits struct{ bits []uint64 }

func (s *nodeBits) add(n int) {
	for n/64 >= len(s.bits) {
		s.bits = append(s.bits, 0)
	}
	s.bits[n/64] |= 1 << (n % 64)
}

func (s *nodeBits) has(n int) bool { return n/64 < len(s.bits) && s.bits[n/64]&(1<<(n%64)) != 0 }

// appendTo appends the members, ascending.
func (s *nodeBits) appendTo(dst []int) []int {
	for n := range len(s.bits) * 64 {
		if s.has(n) {
			dst = append(dst, n)
		}
	}
	return dst
}

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
