package wire

import "encoding/binary"

// ChangeUser is COM_CHANGE_USER. The connection's capabilities say which fields are in it; they are not part of the message.
type ChangeUser struct {
	User       string
	Auth       []byte
	DB         string
	Collation  uint16            // 0 when the client left it out
	Plugin     string            // with ClientPluginAuth
	Attributes map[string]string // with ClientConnectAttrs; nil when there are none
}

// Append appends the command byte and the body.
func (m *ChangeUser) Append(dst []byte, caps Capability) []byte {
	dst = append(dst, byte(ComChangeUser))
	dst = append(append(dst, m.User...), 0)
	if caps.Has(ClientSecureConnection) {
		dst = append(append(dst, byte(len(m.Auth))), m.Auth...)
	} else {
		dst = append(append(dst, m.Auth...), 0)
	}
	dst = append(append(dst, m.DB...), 0)
	dst = binary.LittleEndian.AppendUint16(dst, m.Collation)
	if caps.Has(ClientPluginAuth) {
		dst = append(append(dst, m.Plugin...), 0)
	}
	if caps.Has(ClientConnectAttrs) {
		dst = appendAttributes(dst, m.Attributes)
	}
	return dst
}

// Decode reads the body that follows the command byte. Strings are copied; Auth points into body.
func (m *ChangeUser) Decode(body []byte, caps Capability) error {
	c := cursor{b: body}
	*m = ChangeUser{User: string(c.untilNUL())}
	if caps.Has(ClientSecureConnection) {
		m.Auth = c.take(int(c.u8()))
	} else {
		m.Auth = c.untilNUL()
	}
	m.DB = string(c.untilNULOrEnd())
	if len(c.b) > 0 {
		m.Collation = c.u16()
	}
	if caps.Has(ClientPluginAuth) && len(c.b) > 0 {
		m.Plugin = string(c.untilNULOrEnd())
	}
	if caps.Has(ClientConnectAttrs) && len(c.b) > 0 {
		m.Attributes = c.attributes()
	}
	if c.bad {
		return malformed("change user", "too short")
	}
	return nil
}
