package rules

// Kind says how a Value holds its key.
type Kind uint8

// The kinds of key values. Dates and times are integers so that every field kind but strings orders as a number.
const (
	// Null is SQL NULL.
	Null Kind = iota
	// Int is a signed 64-bit integer in I.
	Int
	// Uint is an unsigned 64-bit integer in U; used only for values that a field of kind FieldUint holds.
	Uint
	// Decimal is an exact number in its canonical text in S ("-12.50": scale of the field, no leading zeros, "-0" is "0").
	Decimal
	// Bytes is a string or binary value in S, in the column's own character set's UTF-8 form (strings) or as stored (binary).
	Bytes
	// Time is a DATE, DATETIME, TIMESTAMP (UTC) or TIME in microseconds: since 1970-01-01 00:00:00 for the first three, signed length for TIME. In I.
	Time
)

// Value is one value of a balancing field, already converted to the field's type. It is passed by value and allocates nothing.
type Value struct {
	Kind Kind
	I    int64
	U    uint64
	S    string
}

// FieldKind is the class of a column's type, as far as rules care.
type FieldKind uint8

// The classes of column types that may be balancing fields. FieldNone marks one that may not (FLOAT, DOUBLE, JSON, spatial, BIT …).
const (
	FieldNone FieldKind = iota
	FieldInt
	FieldUint
	FieldDecimal
	FieldString
	FieldBinary
	FieldDate
	FieldDateTime
	FieldTimestamp
	FieldTime
	FieldYear
)

// FieldType describes the type of a balancing field.
type FieldType struct {
	Kind FieldKind
	// Bits is the width of an integer: 8, 16, 24, 32 or 64.
	Bits int
	// Length is the length of CHAR/VARCHAR in characters, of BINARY/VARBINARY in bytes, the precision of DECIMAL.
	Length int
	// Scale is the scale of DECIMAL, and the fractional digits of time types.
	Scale int
	// Fixed marks CHAR and BINARY (BINARY pads with zero bytes to Length).
	Fixed bool
	// Collation is the column's collation, for FieldString.
	Collation string
	// Nullable says whether the column takes NULL.
	Nullable bool
}
