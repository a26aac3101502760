package wire

// HeaderSize is the size of a packet header: 3 bytes of length, 1 of sequence number.
const HeaderSize = 4

// MaxPayload is the most payload that one packet carries; a payload of this size or more continues in the next packet.
const MaxPayload = 1<<24 - 1

// Header reads a packet header; b must hold HeaderSize bytes.
func Header(b []byte) (length int, seq uint8) {
	return int(b[0]) | int(b[1])<<8 | int(b[2])<<16, b[3]
}

// PutHeader writes a packet header over the first HeaderSize bytes of b.
func PutHeader(b []byte, length int, seq uint8) {
	b[0], b[1], b[2], b[3] = byte(length), byte(length>>8), byte(length>>16), seq
}

// AppendPacket appends payload as one or more packets that begin with sequence number seq; next is the number after the last of them.
func AppendPacket(dst []byte, seq uint8, payload []byte) (out []byte, next uint8) {
	for {
		n := min(len(payload), MaxPayload)
		dst = append(dst, byte(n), byte(n>>8), byte(n>>16), seq)
		dst = append(dst, payload[:n]...)
		seq++
		payload = payload[n:]
		if n < MaxPayload {
			return dst, seq
		}
	}
}

// BeginPacket reserves a header in dst; the payload is then appended behind it and EndPacket is called with the same mark.
func BeginPacket(dst []byte) (out []byte, mark int) {
	return append(dst, 0, 0, 0, 0), len(dst)
}

// EndPacket fills in the header that BeginPacket reserved at mark for the payload that follows it up to the end of dst, splitting a payload
// of MaxPayload or more; next is the sequence number after the last packet.
func EndPacket(dst []byte, mark int, seq uint8) (out []byte, next uint8) {
	n := len(dst) - mark - HeaderSize
	if n < MaxPayload {
		PutHeader(dst[mark:], n, seq)
		return dst, seq + 1
	}
	more := n / MaxPayload // headers to add
	dst = append(dst, make([]byte, more*HeaderSize)...)
	payload := dst[mark+HeaderSize:]
	for i := more; i > 0; i-- { // from the last part, so that nothing is overwritten before it has moved
		from := i * MaxPayload
		to := from + i*HeaderSize
		size := min(n-from, MaxPayload)
		copy(payload[to:to+size], payload[from:from+size])
		PutHeader(payload[to-HeaderSize:], size, seq+uint8(i))
	}
	PutHeader(dst[mark:], MaxPayload, seq)
	return dst, seq + uint8(more) + 1
}
