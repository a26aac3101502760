package plan

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"ballast/rules/catalog"
)

// tableRef is one table reference of a query block: a table under the name that the block's expressions use for it.
type tableRef struct {
	// alias is how the block calls it, schema the schema that may qualify it.
	alias, schema string
	// table is nil for derived tables, common table expressions and tables of system schemas.
	table *catalog.Table
	// index is the table's place in bindCtx.tables.
	index int
	// optional is set for tables on the inner side of an outer join: their columns may be all NULL.
	optional bool
	source   *ast.TableSource
	// names are the columns of a derived table in lower case, if they can be told from its text; opaque says that they can't.
	names  []string
	opaque bool
}

// scope is the table references of one query block, in text order.
type scope []*tableRef

// scopeOf collects the references of a FROM clause.
func (pc *planCtx) scopeOf(from *ast.TableRefsClause) scope {
	var s scope
	if from != nil && from.TableRefs != nil {
		pc.collect(from.TableRefs, false, &s)
	}
	return s
}

func (pc *planCtx) collect(n ast.ResultSetNode, optional bool, s *scope) {
	switch n := n.(type) {
	case *ast.Join:
		pc.collect(n.Left, optional || n.Tp == ast.RightJoin, s)
		if n.Right != nil {
			pc.collect(n.Right, optional || n.Tp == ast.LeftJoin, s)
		}
	case *ast.TableSource:
		ref := &tableRef{alias: n.AsName.O, source: n, optional: optional, index: -1}
		switch src := n.Source.(type) {
		case *ast.TableName:
			if ref.alias == "" {
				ref.alias = src.Name.O
			}
			if r, ok := pc.refs[src]; ok {
				ref.table, ref.schema = r.table, r.schema
				if r.table != nil {
					ref.index = r.index
				}
			}
			ref.opaque = ref.table == nil
		case *ast.Join:
			pc.collect(src, optional, s)
			return
		case *ast.SelectStmt:
			ref.names, ref.opaque = derivedColumns(n, src)
		default:
			ref.opaque = true
		}
		*s = append(*s, ref)
	}
}

// column finds the reference and the column that a name means; ok is false where that can't be told within this block (the name of an
// outer block's column, or of a derived table's).
func (s scope) column(name *ast.ColumnName) (ref *tableRef, column int, ok bool) {
	unsure := false
	for _, r := range s {
		if name.Table.L != "" && !strings.EqualFold(r.alias, name.Table.O) {
			continue
		}
		if name.Schema.L != "" && (!strings.EqualFold(r.schema, name.Schema.O) || r.table == nil) {
			continue
		}
		if r.table == nil {
			unsure = unsure || r.opaque || slices.Contains(r.names, name.Name.L)
			continue
		}
		i, found := r.table.Column(name.Name.O)
		if !found {
			continue
		}
		if ref != nil {
			return nil, 0, false // ambiguous; the server says so
		}
		ref, column, ok = r, i, true
	}
	if unsure && name.Table.L == "" {
		return nil, 0, false
	}
	return ref, column, ok
}

// derivedColumns gives the names of a derived table's columns; opaque says that only the server knows them.
func derivedColumns(src *ast.TableSource, sel *ast.SelectStmt) (names []string, opaque bool) {
	for _, c := range src.ColumnNames {
		names = append(names, c.L)
	}
	if len(names) > 0 || sel.Fields == nil {
		return names, len(names) == 0
	}
	for _, f := range sel.Fields.Fields {
		c, isColumn := f.Expr.(*ast.ColumnNameExpr)
		switch {
		case f.AsName.L != "":
			names = append(names, f.AsName.L)
		case isColumn:
			names = append(names, c.Name.Name.L)
		case f.WildCard != nil:
			return nil, true
		}
	}
	return names, false
}
