package plan

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/rules"
	"ballast/rules/catalog"
)

// keyChange is an UPDATE that assigns to balancing fields: allowed as long as the row's place stays the same.
type keyChange struct {
	table int
	// name is the first field assigned, for the error.
	name string
	// assigned has the new value of each balancing field; kept fields come from old, the equalities of WHERE (nil if it does not give them all).
	assigned []*operand
	old      []operand
	ignore   bool
}

// keyChanges finds assignments to balancing fields.
func (s *shardedWrite) keyChanges(pc *planCtx, m *modification) error {
	for _, target := range m.targets {
		if target.table.Kind != catalog.Sharded {
			continue
		}
		var k *keyChange
		for _, a := range m.set {
			ref, col, ok := m.scope.column(a.Column)
			if !ok || ref != target || m.sameColumn(a.Expr, columnID{target, col}) {
				continue
			}
			for i, f := range target.table.Fields {
				if f != col {
					continue
				}
				o, known := pc.operandOf(a.Expr)
				if !known || m.multi || s.keys != nil {
					return errKeyChange.New(a.Column.Name.O, target.table.Name)
				}
				if k == nil {
					k = &keyChange{ignore: m.ignore, table: target.index, name: a.Column.Name.O, assigned: make([]*operand, len(target.table.Fields))}
				}
				k.assigned[i] = &o
			}
		}
		if k != nil {
			k.old = pc.condBlock(m.scope, m.where).pruner(target).keys
			s.keys = k
		}
	}
	return nil
}

// sameColumn says whether an expression is the column itself.
func (m *modification) sameColumn(e ast.ExprNode, c columnID) bool {
	switch e := e.(type) {
	case *ast.ParenthesesExpr:
		return m.sameColumn(e.Expr, c)
	case *ast.ColumnNameExpr:
		ref, col, ok := m.scope.column(e.Name)
		return ok && c == columnID{ref, col}
	case *ast.FuncCallExpr:
		return e.FnName.L == "last_insert_id" && len(e.Args) == 1 && m.sameColumn(e.Args[0], c)
	}
	return false
}

// check lets the change pass if the new key's place is the one node that the statement runs on.
func (k *keyChange) check(bc *bindCtx, nodes []int) error {
	t := bc.tables[k.table]
	refused := errKeyChange.New(k.name, t.Name)
	if len(nodes) != 1 {
		return refused
	}
	key := make([]rules.Value, len(t.Fields))
	store := storer{env: bc.env, mariaDB: bc.plan.mariaDB, strict: bc.env.Flags&Strict != 0 && !k.ignore, ignore: k.ignore}
	for i, f := range t.Fields {
		c := &t.Columns[f]
		if o := k.assigned[i]; o != nil {
			l, ok := o.value(bc)
			if !ok {
				return refused
			}
			v, how, _ := store.value(c, &l)
			switch how {
			case fails:
				return nil // the server says why
			case storesUnsure:
				return refused
			}
			key[i] = v
			continue
		}
		if i >= len(k.old) {
			return refused
		}
		l, ok := k.old[i].value(bc)
		if !ok {
			return refused
		}
		v, how := comparer{env: bc.env, mariaDB: bc.plan.mariaDB, direct: true}.equal(&c.Field, &l)
		if how != exact {
			return refused
		}
		key[i] = v
	}
	node, err := t.Placement.Node(key)
	if err != nil || node != nodes[0] {
		return refused
	}
	return nil
}
