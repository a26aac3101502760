package wire

import "encoding/binary"

// SSLRequestSize is the payload length of an SSLRequest: the head of a HandshakeResponse, nothing else.
const SSLRequestSize = 32

// SSLRequest is sent by a client that goes on in TLS; after it both sides shake hands in TLS and the client sends its HandshakeResponse there.
type SSLRequest struct {
	Capabilities Capability // ClientSSL is among them
	MaxPacket    uint32
	Collation    uint8
}

// IsSSLRequest tells whether a client's first payload is an SSLRequest and not a HandshakeResponse.
func IsSSLRequest(body []byte) bool {
	return len(body) == SSLRequestSize && Capability(binary.LittleEndian.Uint32(body)).Has(ClientSSL)
}

// Append appends the payload.
func (m *SSLRequest) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(m.Capabilities))
	dst = binary.LittleEndian.AppendUint32(dst, m.MaxPacket)
	dst = append(dst, m.Collation)
	return append(dst, make([]byte, 23)...)
}

// Decode reads the payload.
func (m *SSLRequest) Decode(body []byte) error {
	if !IsSSLRequest(body) {
		return malformed("ssl request", "wrong length or flags")
	}
	c := cursor{b: body}
	*m = SSLRequest{Capabilities: Capability(c.u32()), MaxPacket: c.u32(), Collation: c.u8()}
	return nil
}
