package wire

// The first bytes of the server's packets during authentication, beside those of OK (0x00) and ERR (0xff).
const (
	// AuthSwitchHeader begins an AuthSwitch.
	AuthSwitchHeader = 0xfe
	// AuthMoreHeader begins an AuthMore.
	AuthMoreHeader = 0x01
)

// AuthSwitch is the server's wish to go on with another plugin. The client answers with that plugin's data as a bare payload.
type AuthSwitch struct {
	Plugin string
	// Data is the plugin's: for the plugins spoken here the scramble (ScrambleSize bytes; a zero byte after it on the wire).
	Data []byte
}

// Append appends the payload.
func (m *AuthSwitch) Append(dst []byte) []byte {
	dst = append(dst, AuthSwitchHeader)
	dst = append(append(dst, m.Plugin...), 0)
	return append(append(dst, m.Data...), 0)
}

// Decode reads the payload; Data points into body. A body of the header alone is the old plugin of 4.0, which is refused.
func (m *AuthSwitch) Decode(body []byte) error {
	c := cursor{b: body}
	if c.u8() != AuthSwitchHeader || len(c.b) == 0 {
		return malformed("auth switch", "no plugin")
	}
	m.Plugin = string(c.untilNUL())
	m.Data = c.rest()
	if n := len(m.Data); n > 0 && m.Data[n-1] == 0 {
		m.Data = m.Data[:n-1]
	}
	if c.bad {
		return malformed("auth switch", "too short")
	}
	return nil
}

// AuthMore carries further data of the plugin from the server to the client.
type AuthMore struct {
	Data []byte
}

// Append appends the payload.
func (m *AuthMore) Append(dst []byte) []byte {
	return append(append(dst, AuthMoreHeader), m.Data...)
}

// Decode reads the payload; Data points into body.
func (m *AuthMore) Decode(body []byte) error {
	if len(body) == 0 || body[0] != AuthMoreHeader {
		return malformed("auth more data", "wrong first byte")
	}
	m.Data = body[1:]
	return nil
}
