package wire

// The column and parameter types.
const (
	TypeDecimal    Type = 0x00
	TypeTiny       Type = 0x01
	TypeShort      Type = 0x02
	TypeLong       Type = 0x03
	TypeFloat      Type = 0x04
	TypeDouble     Type = 0x05
	TypeNull       Type = 0x06
	TypeTimestamp  Type = 0x07
	TypeLongLong   Type = 0x08
	TypeInt24      Type = 0x09
	TypeDate       Type = 0x0a
	TypeTime       Type = 0x0b
	TypeDatetime   Type = 0x0c
	TypeYear       Type = 0x0d
	TypeNewDate    Type = 0x0e
	TypeVarchar    Type = 0x0f
	TypeBit        Type = 0x10
	TypeTimestamp2 Type = 0x11
	TypeDatetime2  Type = 0x12
	TypeTime2      Type = 0x13
	TypeVector     Type = 0xf2
	TypeJSON       Type = 0xf5
	TypeNewDecimal Type = 0xf6
	TypeEnum       Type = 0xf7
	TypeSet        Type = 0xf8
	TypeTinyBlob   Type = 0xf9
	TypeMediumBlob Type = 0xfa
	TypeLongBlob   Type = 0xfb
	TypeBlob       Type = 0xfc
	TypeVarString  Type = 0xfd
	TypeString     Type = 0xfe
	TypeGeometry   Type = 0xff
)

// The flags of a column definition.
const (
	FlagNotNull       uint16 = 0x0001
	FlagPrimaryKey    uint16 = 0x0002
	FlagUniqueKey     uint16 = 0x0004
	FlagMultipleKey   uint16 = 0x0008
	FlagBlob          uint16 = 0x0010
	FlagUnsigned      uint16 = 0x0020
	FlagZerofill      uint16 = 0x0040
	FlagBinary        uint16 = 0x0080
	FlagEnum          uint16 = 0x0100
	FlagAutoIncrement uint16 = 0x0200
	FlagTimestamp     uint16 = 0x0400
	FlagSet           uint16 = 0x0800
	FlagNoDefault     uint16 = 0x1000
	FlagOnUpdateNow   uint16 = 0x2000
	FlagNum           uint16 = 0x8000
)

// Some collation ids.
const (
	CollationLatin1    uint16 = 8   // latin1_swedish_ci
	CollationUTF8      uint16 = 33  // utf8mb3_general_ci
	CollationUTF8MB4   uint16 = 45  // utf8mb4_general_ci
	CollationUTF8MB409 uint16 = 255 // utf8mb4_0900_ai_ci
	CollationBinary    uint16 = 63
)

// layout says how the binary protocol stores a type's values.
type layout uint8

const (
	layoutLenenc layout = iota
	layoutNull
	layoutFixed1
	layoutFixed2
	layoutFixed4
	layoutFixed8
	layoutDatetime // one length byte: 0, 4, 7 or 11
	layoutTime     // one length byte: 0, 8 or 12
)

func (t Type) layout() layout {
	switch t {
	case TypeTiny:
		return layoutFixed1
	case TypeShort, TypeYear:
		return layoutFixed2
	case TypeLong, TypeInt24, TypeFloat:
		return layoutFixed4
	case TypeLongLong, TypeDouble:
		return layoutFixed8
	case TypeNull:
		return layoutNull
	case TypeDate, TypeDatetime, TypeTimestamp, TypeNewDate, TypeTimestamp2, TypeDatetime2:
		return layoutDatetime
	case TypeTime, TypeTime2:
		return layoutTime
	default:
		return layoutLenenc
	}
}

// fixed is the size of a fixed layout, 0 for the others.
func (l layout) fixed() int {
	switch l {
	case layoutFixed1:
		return 1
	case layoutFixed2:
		return 2
	case layoutFixed4:
		return 4
	case layoutFixed8:
		return 8
	default:
		return 0
	}
}
