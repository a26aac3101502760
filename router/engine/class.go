package engine

import (
	"strconv"

	"ballast/sqlfront/wire"
)

// class groups column types by how their values are read and compared.
type class uint8

const (
	classInt class = iota
	classUint
	classDecimal
	classFloat // FLOAT: exact in binary rows only, text rows print six digits
	classDouble
	classText     // compared by the server's weights only
	classBytes    // compared byte by byte
	classDateTime // DATE, DATETIME, TIMESTAMP
	classTime     // TIME
	classOther    // JSON, spatial: no order over several nodes
)

func classOf(c wire.Column) class {
	switch c.Type {
	case wire.TypeTiny, wire.TypeShort, wire.TypeLong, wire.TypeInt24, wire.TypeLongLong, wire.TypeYear:
		if c.Flags&wire.FlagUnsigned != 0 {
			return classUint
		}
		return classInt
	case wire.TypeDecimal, wire.TypeNewDecimal:
		return classDecimal
	case wire.TypeFloat:
		return classFloat
	case wire.TypeDouble:
		return classDouble
	case wire.TypeDate, wire.TypeNewDate, wire.TypeDatetime, wire.TypeDatetime2, wire.TypeTimestamp, wire.TypeTimestamp2:
		return classDateTime
	case wire.TypeTime, wire.TypeTime2:
		return classTime
	case wire.TypeBit, wire.TypeNull:
		return classBytes
	case wire.TypeJSON, wire.TypeGeometry, wire.TypeVector:
		return classOther
	}
	if c.Charset == wire.CollationBinary && c.Flags&(wire.FlagEnum|wire.FlagSet) == 0 {
		return classBytes
	}
	return classText
}

func (c class) numeric() bool { return c <= classDouble }

// isString says whether a weight column, where there is one, decides the order.
func (c class) isString() bool { return c == classText || c == classBytes }

// typeName names a column's type for error messages, as SQL writes it.
func typeName(c wire.Column) string {
	switch classOf(c) {
	case classInt:
		return "BIGINT"
	case classUint:
		return "BIGINT UNSIGNED"
	case classDecimal:
		return "DECIMAL"
	case classFloat:
		return "FLOAT"
	case classDouble:
		return "DOUBLE"
	case classDateTime:
		if c.Type == wire.TypeDate || c.Type == wire.TypeNewDate {
			return "DATE"
		}
		return "DATETIME"
	case classTime:
		return "TIME"
	}
	switch c.Type {
	case wire.TypeBit:
		return "BIT"
	case wire.TypeNull:
		return "NULL"
	case wire.TypeJSON:
		return "JSON"
	case wire.TypeGeometry:
		return "GEOMETRY"
	case wire.TypeVector:
		return "VECTOR"
	}
	switch {
	case c.Flags&wire.FlagEnum != 0:
		return "ENUM"
	case c.Flags&wire.FlagSet != 0:
		return "SET"
	case c.Charset == wire.CollationBinary:
		return "VARBINARY"
	}
	return "VARCHAR(" + strconv.FormatUint(uint64(c.Length), 10) + ")"
}
