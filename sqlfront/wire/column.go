package wire

import "encoding/binary"

// Append appends the payload of a column definition.
func (m *Column) Append(dst []byte) []byte {
	dst = append(dst, 3, 'd', 'e', 'f')
	dst = AppendLenencString(dst, m.Schema)
	dst = AppendLenencString(dst, m.Table)
	dst = AppendLenencString(dst, m.OrgTable)
	dst = AppendLenencString(dst, m.Name)
	dst = AppendLenencString(dst, m.OrgName)
	dst = append(dst, 0x0c)
	dst = binary.LittleEndian.AppendUint16(dst, m.Charset)
	dst = binary.LittleEndian.AppendUint32(dst, m.Length)
	dst = append(dst, byte(m.Type))
	dst = binary.LittleEndian.AppendUint16(dst, m.Flags)
	return append(dst, m.Decimals, 0, 0)
}

// AppendFieldList appends the payload as COM_FIELD_LIST answers it: with a default value behind it, here always NULL.
func (m *Column) AppendFieldList(dst []byte) []byte {
	return append(m.Append(dst), 0xfb)
}

// Decode reads the payload of a column definition, also in the form of COM_FIELD_LIST, whose default value it leaves out.
func (m *Column) Decode(body []byte) error {
	c := cursor{b: body}
	c.lenencBytes() // catalog, always "def"
	*m = Column{
		Schema: string(c.lenencBytes()), Table: string(c.lenencBytes()), OrgTable: string(c.lenencBytes()),
		Name: string(c.lenencBytes()), OrgName: string(c.lenencBytes()),
	}
	if fixed := c.lenenc(); fixed < 0x0c {
		return malformed("column definition", "fixed part too short")
	}
	m.Charset = c.u16()
	m.Length = c.u32()
	m.Type = Type(c.u8())
	m.Flags = c.u16()
	m.Decimals = c.u8()
	if c.bad {
		return malformed("column definition", "too short")
	}
	return nil
}

// Unsigned tells whether the column holds unsigned numbers.
func (m *Column) Unsigned() bool { return m.Flags&FlagUnsigned != 0 }
