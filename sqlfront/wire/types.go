package wire

// Capability is the set of client/server capability flags of the handshake.
type Capability uint32

// Column is one column definition of a result set (protocol 4.1).
type Column struct {
	Schema, Table, OrgTable, Name, OrgName string
	// Charset is the collation id of the values (63 for binary and numbers).
	Charset uint16
	// Length is the display width in bytes.
	Length   uint32
	Type     Type
	Flags    uint16
	Decimals uint8
}

// Type is the type byte of a column or parameter.
type Type uint8

// OK is the content of an OK packet.
type OK struct {
	Affected, InsertID uint64
	Status             Status
	Warnings           uint16
	Info               string
}

// Status is the server status word of OK and EOF packets.
type Status uint16

// Format tells text rows (COM_QUERY) from binary rows (COM_STMT_EXECUTE).
type Format uint8

// The two row formats.
const (
	Text Format = iota
	Binary
)

// Param is one parameter of COM_STMT_EXECUTE, as it came.
type Param struct {
	Type     Type
	Unsigned bool
	Null     bool
	// Value is the binary-protocol value without its length prefix (raw little-endian bytes for numbers, packed form for times, bytes for strings).
	Value []byte
	// Long is true when the value came by COM_STMT_SEND_LONG_DATA.
	Long bool
}
