package wire

import "encoding/binary"

// MaxAttributes is the most bytes of connection attributes that are accepted.
const MaxAttributes = 64 << 10

// HandshakeResponse is a client's answer to a greeting (HandshakeResponse41).
type HandshakeResponse struct {
	Capabilities Capability
	MaxPacket    uint32
	Collation    uint8
	User         string
	Auth         []byte            // the plugin's first answer
	DB           string            // with ClientConnectWithDB
	Plugin       string            // with ClientPluginAuth
	Attributes   map[string]string // with ClientConnectAttrs; nil when there are none
	// Extended holds MariaDB's extra capabilities, sent in place of filler by clients without ClientLongPassword.
	Extended uint32
}

// Append appends the payload. Capabilities say which fields are in it.
func (m *HandshakeResponse) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(m.Capabilities))
	dst = binary.LittleEndian.AppendUint32(dst, m.MaxPacket)
	dst = append(dst, m.Collation)
	dst = append(dst, make([]byte, 19)...)
	if m.Capabilities.Has(ClientLongPassword) {
		dst = append(dst, 0, 0, 0, 0)
	} else {
		dst = binary.LittleEndian.AppendUint32(dst, m.Extended)
	}
	dst = append(append(dst, m.User...), 0)
	dst = appendAuth(dst, m.Capabilities, m.Auth)
	if m.Capabilities.Has(ClientConnectWithDB) {
		dst = append(append(dst, m.DB...), 0)
	}
	if m.Capabilities.Has(ClientPluginAuth) {
		dst = append(append(dst, m.Plugin...), 0)
	}
	if m.Capabilities.Has(ClientConnectAttrs) {
		dst = appendAttributes(dst, m.Attributes)
	}
	return dst
}

// Decode reads the payload. Strings are copied; Auth points into body.
func (m *HandshakeResponse) Decode(body []byte) error {
	c := cursor{b: body}
	*m = HandshakeResponse{Capabilities: Capability(c.u32()), MaxPacket: c.u32(), Collation: c.u8()}
	if !m.Capabilities.Has(ClientProtocol41) {
		return malformed("handshake response", "client without protocol 4.1")
	}
	c.take(19)
	if ext := c.u32(); !m.Capabilities.Has(ClientLongPassword) {
		m.Extended = ext
	}
	m.User = string(c.untilNUL())
	m.Auth = c.auth(m.Capabilities)
	if m.Capabilities.Has(ClientConnectWithDB) && len(c.b) > 0 {
		m.DB = string(c.untilNULOrEnd())
	}
	if m.Capabilities.Has(ClientPluginAuth) && len(c.b) > 0 {
		m.Plugin = string(c.untilNULOrEnd())
	}
	if m.Capabilities.Has(ClientConnectAttrs) && len(c.b) > 0 {
		m.Attributes = c.attributes()
	}
	if c.bad {
		return malformed("handshake response", "too short")
	}
	return nil
}

func appendAuth(dst []byte, caps Capability, auth []byte) []byte {
	switch {
	case caps.Has(ClientPluginAuthLenenc):
		return AppendLenencBytes(dst, auth)
	case caps.Has(ClientSecureConnection):
		return append(append(dst, byte(len(auth))), auth...)
	default:
		return append(append(dst, auth...), 0)
	}
}

func (c *cursor) auth(caps Capability) []byte {
	switch {
	case caps.Has(ClientPluginAuthLenenc):
		return c.lenencBytes()
	case caps.Has(ClientSecureConnection):
		return c.take(int(c.u8()))
	default:
		return c.untilNULOrEnd()
	}
}
