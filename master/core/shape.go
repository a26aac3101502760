package core

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"ballast/rules"
	"ballast/rules/catalog"
)

// Shape is a table as the nodes describe it.
type Shape struct {
	Engine  string
	Columns []catalog.Column
	Keys    []catalog.Key
	Foreign []ForeignKey
}

// ForeignKey is a reference from one table to another.
type ForeignKey struct {
	Name       string
	Columns    []string
	To         catalog.Name
	Referenced []string
	// SetsNull says that deleting or changing the referenced row sets Columns to NULL.
	SetsNull bool
}

// PrimaryKey gives the columns of the primary key, nil if there is none.
func (s *Shape) PrimaryKey() []string {
	for _, k := range s.Keys {
		if k.Primary {
			return k.Columns
		}
	}
	return nil
}

// Column finds a column by name, which MySQL compares without case.
func (s *Shape) Column(name string) (catalog.Column, bool) {
	for _, c := range s.Columns {
		if strings.EqualFold(c.Name, name) {
			return c, true
		}
	}
	return catalog.Column{}, false
}

// AutoIncrement gives the AUTO_INCREMENT column's name, "" if there is none.
func (s *Shape) AutoIncrement() string {
	for _, c := range s.Columns {
		if c.AutoIncrement {
			return c.Name
		}
	}
	return ""
}

// ColumnFacts are the columns of information_schema that a field's type is made from.
type ColumnFacts struct {
	DataType, ColumnType, Collation string
	Length, Precision, Scale        int
	Fraction                        int
	Nullable                        bool
}

// FieldType gives a column's type as a balancing field; Kind FieldNone where the type can't be one.
func FieldType(c ColumnFacts) rules.FieldType {
	f := rules.FieldType{Nullable: c.Nullable}
	integer := func(bits int) {
		f.Kind, f.Bits = rules.FieldInt, bits
		if strings.Contains(c.ColumnType, "unsigned") || strings.Contains(c.ColumnType, "zerofill") {
			f.Kind = rules.FieldUint
		}
	}
	switch strings.ToLower(c.DataType) {
	case "tinyint":
		integer(8)
	case "smallint":
		integer(16)
	case "mediumint":
		integer(24)
	case "int", "integer":
		integer(32)
	case "bigint":
		integer(64)
	case "decimal", "numeric":
		f.Kind, f.Length, f.Scale = rules.FieldDecimal, c.Precision, c.Scale
	case "char", "varchar":
		f.Kind, f.Length, f.Collation, f.Fixed = rules.FieldString, c.Length, c.Collation, c.DataType == "char"
	case "binary", "varbinary":
		f.Kind, f.Length, f.Fixed = rules.FieldBinary, c.Length, c.DataType == "binary"
	case "date":
		f.Kind = rules.FieldDate
	case "datetime":
		f.Kind, f.Scale = rules.FieldDateTime, c.Fraction
	case "timestamp":
		f.Kind, f.Scale = rules.FieldTimestamp, c.Fraction
	case "time":
		f.Kind, f.Scale = rules.FieldTime, c.Fraction
	case "year":
		f.Kind = rules.FieldYear
	}
	return f
}

// TableShape numbers what plans depend on: columns, keys, kind and the strategy's fields. Equal tables have equal numbers.
func TableShape(t *catalog.Table) uint64 {
	h := fnv.New64a()
	add := func(parts ...string) {
		var n [4]byte
		for _, p := range parts {
			binary.LittleEndian.PutUint32(n[:], uint32(len(p)))
			h.Write(n[:])
			h.Write([]byte(p))
		}
	}
	add(t.Name.Schema, t.Name.Table, string(t.Kind), t.Group, t.Sequence)
	for _, c := range t.Columns {
		def := "-"
		if c.Default != nil {
			def = "=" + *c.Default
		}
		add(c.Name, c.Type, c.Collation, def, fmt.Sprint(c.Nullable, c.HasDefault, c.DefaultExpr, c.AutoIncrement, c.Generated, c.Invisible))
	}
	for _, k := range t.Keys {
		add(k.Name, strconv.FormatBool(k.Unique), strconv.FormatBool(k.Primary), strconv.FormatBool(k.Prefix))
		add(k.Columns...)
	}
	if t.Strategy != nil {
		add(t.Strategy.By...)
	}
	add(t.PerNodeUnique...)
	if sum := h.Sum64(); sum != 0 {
		return sum
	}
	return 1
}

// SameColumns says whether two definitions of a table give rows of the same form.
func SameColumns(a, b []catalog.Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if x.Name != y.Name || x.Type != y.Type || x.Collation != y.Collation || x.Nullable != y.Nullable ||
			x.Generated != y.Generated || x.Invisible != y.Invisible || x.AutoIncrement != y.AutoIncrement {
			return false
		}
	}
	return true
}
