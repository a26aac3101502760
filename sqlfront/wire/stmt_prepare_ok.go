package wire

import "encoding/binary"

// StmtPrepareOK is the first packet of the answer to COM_STMT_PREPARE. Params parameter definitions follow it and then Columns column
// definitions, each list, if not empty, ended by an EOF packet unless ClientDeprecateEOF is negotiated.
type StmtPrepareOK struct {
	ID              uint32
	Columns, Params uint16
	Warnings        uint16
}

// Append appends the payload.
func (m *StmtPrepareOK) Append(dst []byte) []byte {
	dst = append(dst, OKHeader)
	dst = binary.LittleEndian.AppendUint32(dst, m.ID)
	dst = binary.LittleEndian.AppendUint16(dst, m.Columns)
	dst = binary.LittleEndian.AppendUint16(dst, m.Params)
	dst = append(dst, 0)
	return binary.LittleEndian.AppendUint16(dst, m.Warnings)
}

// Decode reads the payload.
func (m *StmtPrepareOK) Decode(body []byte) error {
	c := cursor{b: body}
	if c.u8() != OKHeader {
		return malformed("prepare ok", "wrong first byte")
	}
	*m = StmtPrepareOK{ID: c.u32(), Columns: c.u16(), Params: c.u16()}
	c.take(1)
	m.Warnings = c.u16()
	if c.bad {
		return malformed("prepare ok", "too short")
	}
	return nil
}
