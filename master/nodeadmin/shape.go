package nodeadmin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ballast/master/core"
	"ballast/rules/catalog"
)

// querier is what shapes are read through: the node's pool or one session.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Shape reads a table's columns and keys.
func (n *Node) Shape(ctx context.Context, flavor catalog.Flavor, name catalog.Name) (*core.Shape, error) {
	s, err := readShape(ctx, n.db, flavor, name)
	if err != nil {
		return nil, fmt.Errorf("read the definition of %s on node %s: %w", name, n.Name, err)
	}
	return s, nil
}

func readShape(ctx context.Context, q querier, flavor catalog.Flavor, name catalog.Name) (*core.Shape, error) {
	s := &core.Shape{}
	engines, err := q.QueryContext(ctx, "SELECT COALESCE(ENGINE, '') FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?", name.Schema, name.Table)
	if err != nil {
		return nil, err
	}
	err = each(engines, func() error { return engines.Scan(&s.Engine) })
	if err == nil {
		err = readColumns(ctx, q, flavor, name, s)
	}
	if err == nil {
		err = readKeys(ctx, q, name, s)
	}
	if err == nil {
		err = readForeign(ctx, q, name, s)
	}
	return s, err
}

// each calls row for every row, and closes them.
func each(rows *sql.Rows, row func() error) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := row(); err != nil {
			return err
		}
	}
	return rows.Err()
}

func readColumns(ctx context.Context, q querier, flavor catalog.Flavor, name catalog.Name, s *core.Shape) error {
	rows, err := q.QueryContext(ctx, `SELECT COLUMN_NAME, COLUMN_TYPE, DATA_TYPE, COALESCE(CHARACTER_SET_NAME, ''), COALESCE(COLLATION_NAME, ''), IS_NULLABLE,
		COLUMN_DEFAULT, EXTRA, COALESCE(CHARACTER_MAXIMUM_LENGTH, 0), COALESCE(NUMERIC_PRECISION, 0), COALESCE(NUMERIC_SCALE, 0), COALESCE(DATETIME_PRECISION, 0),
		COALESCE(GENERATION_EXPRESSION, '')
		FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION`, name.Schema, name.Table)
	if err != nil {
		return err
	}
	return each(rows, func() error {
		var c catalog.Column
		var nullable, extra, generation string
		var def sql.NullString
		var length, precision, scale, fraction int64
		if err := rows.Scan(&c.Name, &c.Type, &c.DataType, &c.Charset, &c.Collation, &nullable, &def, &extra, &length, &precision, &scale, &fraction, &generation); err != nil {
			return err
		}
		extra = strings.ToUpper(extra)
		c.Nullable = nullable == "YES"
		c.AutoIncrement = strings.Contains(extra, "AUTO_INCREMENT")
		c.Generated = generation != ""
		c.Invisible = strings.Contains(extra, "INVISIBLE")
		if def.Valid && !c.Generated {
			c.Default, c.DefaultExpr = readDefault(flavor, def.String, extra, c)
		}
		c.HasDefault = c.Default != nil || c.Nullable || c.AutoIncrement || c.Generated
		c.Field = core.FieldType(core.ColumnFacts{
			DataType: c.DataType, ColumnType: c.Type, Collation: c.Collation, Length: int(length), Precision: int(precision), Scale: int(scale),
			Fraction: int(fraction), Nullable: c.Nullable,
		})
		s.Columns = append(s.Columns, c)
		return nil
	})
}

// readDefault makes one form of what the servers print: MySQL prints the value and marks expressions in EXTRA, MariaDB prints SQL.
func readDefault(flavor catalog.Flavor, text, extra string, c catalog.Column) (*string, bool) {
	if flavor == catalog.MySQL {
		expr := strings.Contains(extra, "DEFAULT_GENERATED")
		return &text, expr
	}
	switch {
	case text == "NULL":
		return nil, false
	case len(text) >= 2 && text[0] == '\'' && text[len(text)-1] == '\'':
		plain := strings.NewReplacer("''", "'", `\'`, "'", `\\`, `\`, `\n`, "\n", `\r`, "\r", `\0`, "\x00", `\Z`, "\x1a").Replace(text[1 : len(text)-1])
		return &plain, false
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return &text, false
	}
	if c.DataType == "bit" && strings.HasPrefix(text, "b'") {
		return &text, false
	}
	return &text, true
}

func readKeys(ctx context.Context, q querier, name catalog.Name, s *core.Shape) error {
	rows, err := q.QueryContext(ctx, `SELECT INDEX_NAME, NON_UNIQUE, COALESCE(COLUMN_NAME, ''), SUB_PART IS NOT NULL
		FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY INDEX_NAME = 'PRIMARY' DESC, NON_UNIQUE, INDEX_NAME, SEQ_IN_INDEX`, name.Schema, name.Table)
	if err != nil {
		return err
	}
	return each(rows, func() error {
		var index, column string
		var nonUnique, prefix bool
		if err := rows.Scan(&index, &nonUnique, &column, &prefix); err != nil {
			return err
		}
		if column == "" {
			column = "(expression)"
		}
		if len(s.Keys) == 0 || s.Keys[len(s.Keys)-1].Name != index {
			s.Keys = append(s.Keys, catalog.Key{Name: index, Unique: !nonUnique, Primary: index == "PRIMARY"})
		}
		k := &s.Keys[len(s.Keys)-1]
		k.Columns = append(k.Columns, column)
		k.Prefix = k.Prefix || prefix
		return nil
	})
}

func readForeign(ctx context.Context, q querier, name catalog.Name, s *core.Shape) error {
	rows, err := q.QueryContext(ctx, `SELECT k.CONSTRAINT_NAME, k.COLUMN_NAME, k.REFERENCED_TABLE_SCHEMA, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME,
		COALESCE((SELECT r.DELETE_RULE = 'SET NULL' OR r.UPDATE_RULE = 'SET NULL' FROM information_schema.REFERENTIAL_CONSTRAINTS r
			WHERE r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND r.TABLE_NAME = k.TABLE_NAME LIMIT 1), 0)
		FROM information_schema.KEY_COLUMN_USAGE k WHERE k.TABLE_SCHEMA = ? AND k.TABLE_NAME = ? AND k.REFERENCED_TABLE_NAME IS NOT NULL
		ORDER BY k.CONSTRAINT_NAME, k.ORDINAL_POSITION`, name.Schema, name.Table)
	if err != nil {
		return err
	}
	return each(rows, func() error {
		var constraint, column, toColumn string
		var to catalog.Name
		var setsNull bool
		if err := rows.Scan(&constraint, &column, &to.Schema, &to.Table, &toColumn, &setsNull); err != nil {
			return err
		}
		if len(s.Foreign) == 0 || s.Foreign[len(s.Foreign)-1].Name != constraint {
			s.Foreign = append(s.Foreign, core.ForeignKey{Name: constraint, To: to, SetsNull: setsNull})
		}
		f := &s.Foreign[len(s.Foreign)-1]
		f.Columns = append(f.Columns, column)
		f.Referenced = append(f.Referenced, toColumn)
		return nil
	})
}

// Incoming lists the foreign keys of other tables that refer to a table; To is the table that has the key.
func (n *Node) Incoming(ctx context.Context, name catalog.Name) ([]core.ForeignKey, error) {
	rows, err := n.db.QueryContext(ctx, `SELECT CONSTRAINT_NAME, TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, REFERENCED_COLUMN_NAME
		FROM information_schema.KEY_COLUMN_USAGE WHERE REFERENCED_TABLE_SCHEMA = ? AND REFERENCED_TABLE_NAME = ? AND NOT (TABLE_SCHEMA = ? AND TABLE_NAME = ?)
		ORDER BY TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION`, name.Schema, name.Table, name.Schema, name.Table)
	if err != nil {
		return nil, fmt.Errorf("look for foreign keys to %s on node %s: %w", name, n.Name, err)
	}
	var out []core.ForeignKey
	err = each(rows, func() error {
		var f core.ForeignKey
		var column, toColumn string
		if err := rows.Scan(&f.Name, &f.To.Schema, &f.To.Table, &column, &toColumn); err != nil {
			return err
		}
		if len(out) == 0 || out[len(out)-1].Name != f.Name || out[len(out)-1].To != f.To {
			out = append(out, f)
		}
		last := &out[len(out)-1]
		last.Columns = append(last.Columns, column)
		last.Referenced = append(last.Referenced, toColumn)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for foreign keys to %s on node %s: %w", name, n.Name, err)
	}
	return out, nil
}

// MaxID is the highest value of a column on the node; 0 for an empty table.
func (n *Node) MaxID(ctx context.Context, name catalog.Name, column string) (uint64, error) {
	var top uint64
	if err := n.db.QueryRowContext(ctx, "SELECT COALESCE(MAX(GREATEST("+Quote(column)+", 0)), 0) FROM "+QuoteName(name)).Scan(&top); err != nil {
		return 0, fmt.Errorf("read the highest id of %s on node %s: %w", name, n.Name, err)
	}
	return top, nil
}
