package plan

import (
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/engine"
)

// order reads the ORDER BY of the whole UNION: positions and names of the first SELECT's columns.
func (r *unionReader) order(o *ast.OrderByClause) error {
	if o == nil {
		return nil
	}
	first := r.sides[0]
	for _, it := range o.Items {
		at := -1
		n, position, err := first.pc.positionOf(it.Expr)
		if err != nil {
			return err
		}
		if position {
			at = n - 1
			if at < 0 || at >= len(first.fields) {
				return errUnknownCol.New(strconv.Itoa(n), "order clause")
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

// add makes a key of a column. Strings are compared by weight under their collation, which must be the same on all sides: as their columns say,
// or else as the servers say.
func (r *unionReader) add(keys *[]engine.Key, at int, desc bool) error {
	for _, have := range r.keyed {
		if have.at == at {
			k := have.key
			k.Desc = desc
			*keys = append(*keys, k)
			return nil
		}
	}
	kind, known, err := r.kindOf(at)
	if err != nil {
		return err
	}
	k := engine.Key{Column: at, Weight: -1, Desc: desc}
	next := len(r.sides[0].fields) + r.extras
	switch kind {
	case orderFloat:
		k.Column = next
		err = r.ask(at, func(e ast.ExprNode) []ast.ExprNode { return []ast.ExprNode{compose("%+0e0", e)} })
	case orderWeight, orderPadded, orderUnknown:
		k.Weight, k.Pad = next, next+1
		err = r.ask(at, func(e ast.ExprNode) []ast.ExprNode {
			if known {
				return []ast.ExprNode{weightOf(e), padOf(e, kind == orderPadded)}
			}
			return []ast.ExprNode{weightOf(e), padOf(e, false), compose("COLLATION(%)", e)}
		})
		if !known {
			r.plan.uniform = append(r.plan.uniform, next+2)
		}
	}
	*keys = append(*keys, k)
	r.keyed = append(r.keyed, sortable{key: k, at: at})
	return err
}

// kindOf says how a column's values are ordered on all sides; known says that they all are columns of one collation.
func (r *unionReader) kindOf(at int) (kind order, known bool, err error) {
	collation := ""
	for i, s := range r.sides {
		if s.opaque || at < len(s.fields) && s.fields[at].expr == nil {
			return 0, false, errTooMuch.New("UNION of '*' with NATURAL JOIN, USING or a derived table, where rows must be compared")
		}
		if at >= len(s.fields) {
			return 0, false, errUnionWidth.New()
		}
		k := s.orderOf(s.fields[at].expr)
		c := s.catalogColumn(s.fields[at].expr)
		if k == orderIndex && c != nil {
			k = collationOrder(c.Collation) // ENUM and SET are strings in a UNION
		}
		if i == 0 {
			kind, known = k, c != nil
		}
		if k != kind {
			kind = orderUnknown
		}
		if c == nil || i > 0 && c.Collation != collation {
			known = false
		} else {
			collation = c.Collation
		}
	}
	if kind == orderUnknown {
		known = false
	}
	return kind, known, nil
}

// ask adds columns to all sides.
func (r *unionReader) ask(at int, columns func(e ast.ExprNode) []ast.ExprNode) error {
	n := 0
	for _, s := range r.sides {
		if s.sel.Distinct || s.sel.GroupBy != nil && hasAggregate(s.fields[at].expr) {
			return errTooMuch.New("DISTINCT or aggregates in a UNION whose strings are compared")
		}
		from := unnamed(s.fields[at].expr)
		if c := s.catalogColumn(from); c != nil && columnOrder(c) == orderIndex {
			from = compose("CONCAT(%)", from) // the weight of an ENUM or SET is its number
		}
		more := columns(from)
		n = len(more)
		for _, e := range more {
			if _, _, plain := s.column(s.fields[at].expr); s.sel.GroupBy != nil && !plain {
				e = compose("MIN(%)", e)
			}
			s.extra = append(s.extra, &ast.SelectField{Expr: e, AsName: ast.NewCIStr("__w" + strconv.Itoa(len(s.extra)))})
		}
	}
	r.extras += n
	return nil
}
