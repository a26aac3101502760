package plan

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"ballast/rules/catalog"
)

// located is a set of references whose rows meet on one node: they are equal on all balancing fields of one balance group.
//
// Inside one list of conditions, equality makes two references one set. A condition of an outer join's inner side, or of a subquery, says
// something about the inner references only: their set becomes a guest of the other's, which does not make two hosts one set.
type located struct {
	into  *located // union-find
	hosts []*located
}

func (l *located) find() *located {
	for l.into != nil {
		l = l.into
	}
	return l
}

// guestOf says whether the rows of l are always found where those of host are.
func (l *located) guestOf(host *located) bool {
	seen := map[*located]bool{}
	var walk func(*located) bool
	walk = func(x *located) bool {
		x = x.find()
		if x == host.find() {
			return true
		}
		if seen[x] {
			return false
		}
		seen[x] = true
		return slices.ContainsFunc(x.hosts, walk)
	}
	return walk(l)
}

// locate finds the sets of a statement's references.
func locate(blocks []*block) {
	for _, b := range blocks {
		for _, r := range b.refs {
			r.group = &located{}
		}
	}
	for _, b := range blocks {
		for _, list := range b.lists {
			b.link(list)
		}
	}
}

// link looks for references that the list's equalities tie together on every balancing field. Fields may be equal through others of the list.
func (b *block) link(list *conditions) {
	eq := equalities{}
	refs := map[*placedRef]bool{}
	for _, e := range list.all() {
		x, y, ok := b.equality(e)
		if !ok {
			continue
		}
		eq.join(x, y)
		refs[x.ref], refs[y.ref] = true, true
	}
	if list == b.conds {
		for _, pair := range b.sought {
			eq.join(pair[0], pair[1])
			refs[pair[0].ref], refs[pair[1].ref] = true, true
		}
	}
	for _, x := range ordered(refs) {
		for _, y := range ordered(refs) {
			if x != y && sameGroup(x.table, y.table) && eq.tie(x, y) {
				b.tie(list, x, y)
			}
		}
	}
}

// tie records that x and y meet, according to whom the list is about.
func (b *block) tie(list *conditions, x, y *placedRef) {
	inX, inY := x.about(b, list), y.about(b, list)
	switch {
	case inX && inY:
		if x, y := x.group.find(), y.group.find(); x != y {
			x.into = y
			y.hosts = append(y.hosts, x.hosts...)
		}
	case inX:
		g := x.group.find()
		g.hosts = append(g.hosts, y.group)
	}
}

// about says whether the list, of block b, is about the reference's rows: it is one of the block's own, or stands in a derived table there.
func (r *placedRef) about(b *block, list *conditions) bool {
	if r.block == b {
		return r.conds.within(list)
	}
	p := r.block.place
	return p != nil && p.in == b && p.conds.within(list)
}

// ordered gives references in a fixed order.
func ordered(set map[*placedRef]bool) []*placedRef {
	out := make([]*placedRef, 0, len(set))
	for r := range set {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *placedRef) int { return a.source.OriginTextPosition() - b.source.OriginTextPosition() })
	return out
}

// sameGroup says whether rows of two tables with equal fields live together.
func sameGroup(a, b *catalog.Table) bool {
	if a == b {
		return true
	}
	if a.Group == "" || a.Group != b.Group || a.Name.Schema != b.Name.Schema || len(a.Fields) != len(b.Fields) {
		return false
	}
	for i := range a.Fields {
		x, y := a.Columns[a.Fields[i]].Field, b.Columns[b.Fields[i]].Field
		if x.Kind != y.Kind || x.Collation != y.Collation || x.Scale != y.Scale {
			return false
		}
	}
	return true
}

// fieldOf is one column of a reference.
type fieldOf struct {
	ref *placedRef
	col int
}

// equality reads `a.x = b.y` between columns of sharded tables.
func (b *block) equality(e ast.ExprNode) (x, y fieldOf, ok bool) {
	op, isOp := e.(*ast.BinaryOperationExpr)
	if !isOp || op.Op != opcode.EQ {
		return
	}
	x, okX := b.field(op.L)
	y, okY := b.field(op.R)
	return x, y, okX && okY && x.ref != y.ref
}

func (b *block) field(e ast.ExprNode) (fieldOf, bool) {
	for {
		p, ok := e.(*ast.ParenthesesExpr)
		if !ok {
			break
		}
		e = p.Expr
	}
	c, ok := e.(*ast.ColumnNameExpr)
	if !ok {
		return fieldOf{}, false
	}
	ref, at, col, ok := b.lookup(c.Name)
	if !ok {
		return b.throughDerived(c.Name)
	}
	r := at.placed(ref)
	return fieldOf{r, col}, r != nil
}

// equalities are columns that are equal to each other.
type equalities map[fieldOf]fieldOf

func (q equalities) root(f fieldOf) fieldOf {
	for {
		up, ok := q[f]
		if !ok {
			return f
		}
		f = up
	}
}

func (q equalities) join(x, y fieldOf) {
	if x, y := q.root(x), q.root(y); x != y {
		q[x] = y
	}
}

// tie says whether all balancing fields of the two are equal, position by position.
func (q equalities) tie(x, y *placedRef) bool {
	for i := range x.table.Fields {
		if q.root(fieldOf{x, x.table.Fields[i]}) != q.root(fieldOf{y, y.table.Fields[i]}) {
			return false
		}
	}
	return len(x.table.Fields) > 0
}
