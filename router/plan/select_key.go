package plan

import (
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/router/engine"
	"ballast/rules/catalog"
)

// sortable is an expression as a key of merging.
type sortable struct {
	key engine.Key
	// at is the index of the column that the nodes can sort by in the same order.
	at int
}

// keyOf makes a key of an expression; at is its index among the answer's columns, or -1. purpose words the refusal.
func (s *scatter) keyOf(e ast.ExprNode, at int, desc bool, purpose string) (sortable, error) {
	e = unnamed(e)
	kind := s.orderOf(e)
	if kind == orderNone {
		if c := s.catalogColumn(e); c != nil {
			return sortable{}, errOrderType.New(purpose, c.Name, c.Type)
		}
		return sortable{}, errOrderType.New(purpose, "?", "JSON")
	}
	var err error
	switch kind {
	case orderIndex:
		at, err = s.hide(s.perGroup(compose("%+0", e), e))
	case orderInstant:
		text := "UNIX_TIMESTAMP(%)"
		if s.grouped && !s.pc.mariaDB {
			text = "CAST(% AS DATETIME(6))" // MySQL sorts by the instant, but groups by what it prints
		}
		at, err = s.hide(compose(text, e))
	case orderFloat:
		at, err = s.hide(s.perGroup(compose("%+0e0", e), e))
	default:
		if at < 0 {
			at, err = s.hide(e)
		}
	}
	if err != nil {
		return sortable{}, err
	}
	out := sortable{key: engine.Key{Column: at, Weight: -1, Desc: desc}, at: at}
	out.key.Weight, out.key.Pad, err = s.weigh(e, kind)
	return out, err
}

// weigh asks for the weight and the pad of a string, -1 and 0 where they are not needed.
func (s *scatter) weigh(e ast.ExprNode, kind order) (weight, pad int, err error) {
	if kind != orderWeight && kind != orderPadded && kind != orderUnknown {
		return -1, 0, nil
	}
	if weight, err = s.hide(s.perGroup(weightOf(e), e)); err != nil || kind == orderWeight {
		return weight, 0, err
	}
	pad, err = s.hide(s.perGroup(padOf(e, kind == orderPadded), e))
	return weight, pad, err
}

// perGroup makes a function of a group's expression acceptable to ONLY_FULL_GROUP_BY, which does not see that it depends on the group:
// all rows of the group give equal values, so the smallest will do.
func (s *scatter) perGroup(f, of ast.ExprNode) ast.ExprNode {
	if !s.grouped || hasAggregate(of) {
		return f
	}
	if _, _, plain := s.column(of); plain {
		return f
	}
	return compose("MIN(%)", f)
}

// orderItem is one item of ORDER BY with what it stands for.
type orderItem struct {
	expr ast.ExprNode
	// at is the index of the answer's column that it is, or -1.
	at   int
	desc bool
	item *ast.ByItem
}

// orderItems reads an ORDER BY: positions, aliases, columns, expressions. Constants order nothing and are left out.
func (s *scatter) orderItems(o *ast.OrderByClause) ([]orderItem, error) {
	if o == nil {
		return nil, nil
	}
	var out []orderItem
	for _, it := range o.Items {
		n, position, err := s.pc.positionOf(it.Expr)
		if err != nil {
			return nil, err
		}
		if !position && isConstant(it.Expr) {
			continue
		}
		item := orderItem{at: -1, desc: it.Desc, item: it}
		if position {
			if n < 1 || !s.opaque && n > len(s.fields) {
				return nil, errUnknownCol.New(strconv.Itoa(n), "order clause")
			}
			if n > len(s.fields) || s.fields[n-1].expr == nil {
				return nil, errTooMuch.New("ORDER BY a position behind '*' with NATURAL JOIN, USING or a derived table")
			}
			item.at = n - 1
		} else if name, ok := plainName(it.Expr); ok {
			item.at = s.byName(name, false)
		}
		if item.at >= 0 {
			item.expr = s.fields[item.at].expr
		} else {
			item.expr = s.withoutAliases(it.Expr)
			item.at = s.visible(item.expr)
		}
		out = append(out, item)
	}
	return out, nil
}

// pushedItem is how a node is told to sort by a column of its own answer.
func (s *scatter) pushedItem(k sortable) *ast.ByItem {
	if k.at >= len(s.fields) {
		return &ast.ByItem{Expr: compose(quoteName(s.hidden[k.at-len(s.fields)].name)), Desc: k.key.Desc, NullOrder: true}
	}
	return &ast.ByItem{Expr: &ast.PositionExpr{N: k.at + 1}, Desc: k.key.Desc, NullOrder: true}
}

// isFirstField says whether e is the first balancing field of a table that every row needs.
func (s *scatter) isFirstField(e ast.ExprNode) (*catalog.Table, int, bool) {
	ref, c, ok := s.column(e)
	if !ok {
		return nil, 0, false
	}
	for _, r := range s.spread.anchor.refs {
		if r.tableRef == ref && !r.optional && r.block == s.block && r.table.Fields[0] == c {
			return r.table, r.index, true
		}
	}
	return nil, 0, false
}
