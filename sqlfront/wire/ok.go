package wire

import "encoding/binary"

// The first bytes of the packets that end an answer.
const (
	OKHeader  = 0x00
	EOFHeader = 0xfe // also of the OK packet that stands for an EOF packet under ClientDeprecateEOF
	ErrHeader = 0xff
)

// Append appends the payload of an OK packet. Without ClientSessionTrack, which is never negotiated here.
func (m *OK) Append(dst []byte) []byte { return m.appendWith(dst, OKHeader) }

// AppendEOF appends the payload of the OK packet that ends rows under ClientDeprecateEOF.
func (m *OK) AppendEOF(dst []byte) []byte { return m.appendWith(dst, EOFHeader) }

func (m *OK) appendWith(dst []byte, header byte) []byte {
	dst = append(dst, header)
	dst = AppendLenencInt(dst, m.Affected)
	dst = AppendLenencInt(dst, m.InsertID)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(m.Status))
	dst = binary.LittleEndian.AppendUint16(dst, m.Warnings)
	if m.Info != "" {
		dst = AppendLenencString(dst, m.Info)
	}
	return dst
}

// Decode reads the payload of an OK packet with either header.
func (m *OK) Decode(body []byte) error {
	*m = OK{}
	info, _, err := m.decode(body)
	if err != nil {
		return err
	}
	m.Info = string(info)
	return nil
}

// decode reads all but Info, which it gives as bytes, and says where in body the status word is.
func (m *OK) decode(body []byte) (info []byte, statusAt int, err error) {
	c := cursor{b: body}
	if h := c.u8(); c.bad || (h != OKHeader && h != EOFHeader) {
		return nil, 0, malformed("ok", "wrong first byte")
	}
	m.Affected = c.lenenc()
	m.InsertID = c.lenenc()
	statusAt = len(body) - len(c.b)
	m.Status = Status(c.u16())
	m.Warnings = c.u16()
	if c.bad {
		return nil, 0, malformed("ok", "too short")
	}
	// Servers give the text a length; the manual says it simply runs to the end. Both are read.
	if s, n := LenencBytes(c.b); n == len(c.b) && n > 0 {
		return s, statusAt, nil
	}
	return c.rest(), statusAt, nil
}
