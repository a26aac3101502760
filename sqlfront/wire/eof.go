package wire

import "encoding/binary"

// EOFSize is the payload length of an EOF packet.
const EOFSize = 5

// EOF ends column definitions and rows where ClientDeprecateEOF is not negotiated.
type EOF struct {
	Warnings uint16
	Status   Status
}

// Append appends the payload.
func (m *EOF) Append(dst []byte) []byte {
	dst = append(dst, EOFHeader)
	dst = binary.LittleEndian.AppendUint16(dst, m.Warnings)
	return binary.LittleEndian.AppendUint16(dst, uint16(m.Status))
}

// Decode reads the payload.
func (m *EOF) Decode(body []byte) error {
	if len(body) != EOFSize || body[0] != EOFHeader {
		return malformed("eof", "wrong length or first byte")
	}
	m.Warnings = binary.LittleEndian.Uint16(body[1:])
	m.Status = Status(binary.LittleEndian.Uint16(body[3:]))
	return nil
}
