package wire

import "encoding/binary"

// ScrambleSize is the length of the random bytes in a greeting that a client mixes with its password.
const ScrambleSize = 20

// Greeting is the first packet of a connection (protocol version 10), sent by the server.
type Greeting struct {
	Version      string // of the server, as clients show it
	ConnectionID uint32
	Scramble     [ScrambleSize]byte // no zero bytes
	Capabilities Capability
	Collation    uint8 // default collation id, low byte
	Status       Status
	Plugin       string // default authentication plugin; "" without ClientPluginAuth
	// Extended holds MariaDB's extra capabilities, sent in place of filler by servers without ClientLongPassword.
	Extended uint32
}

// Append appends the payload.
func (m *Greeting) Append(dst []byte) []byte {
	dst = append(dst, 10)
	dst = append(append(dst, m.Version...), 0)
	dst = binary.LittleEndian.AppendUint32(dst, m.ConnectionID)
	dst = append(append(dst, m.Scramble[:8]...), 0)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(m.Capabilities))
	dst = append(dst, m.Collation)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(m.Status))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(m.Capabilities>>16))
	if m.Capabilities.Has(ClientPluginAuth) {
		dst = append(dst, ScrambleSize+1)
	} else {
		dst = append(dst, 0)
	}
	dst = append(dst, 0, 0, 0, 0, 0, 0)
	if m.Capabilities.Has(ClientLongPassword) {
		dst = append(dst, 0, 0, 0, 0)
	} else {
		dst = binary.LittleEndian.AppendUint32(dst, m.Extended)
	}
	dst = append(append(dst, m.Scramble[8:]...), 0)
	if m.Capabilities.Has(ClientPluginAuth) {
		dst = append(append(dst, m.Plugin...), 0)
	}
	return dst
}

// Decode reads the payload. A server that answers with an ERR packet in place of a greeting must be seen to before.
func (m *Greeting) Decode(body []byte) error {
	c := cursor{b: body}
	if v := c.u8(); v != 10 {
		return malformed("greeting", "protocol version is not 10")
	}
	*m = Greeting{Version: string(c.untilNUL()), ConnectionID: c.u32()}
	copy(m.Scramble[:8], c.take(8))
	c.take(1)
	caps := Capability(c.u16())
	m.Collation = c.u8()
	m.Status = Status(c.u16())
	m.Capabilities = caps | Capability(c.u16())<<16
	authLen := int(c.u8())
	c.take(6)
	if ext := c.u32(); !m.Capabilities.Has(ClientLongPassword) {
		m.Extended = ext
	}
	if c.bad {
		return malformed("greeting", "too short")
	}
	if !m.Capabilities.Has(ClientSecureConnection) {
		return malformed("greeting", "server without secure connections")
	}
	second := c.take(max(13, authLen-8))
	copy(m.Scramble[8:], second)
	if m.Capabilities.Has(ClientPluginAuth) {
		m.Plugin = string(c.untilNULOrEnd())
	}
	if c.bad {
		return malformed("greeting", "too short")
	}
	return nil
}
