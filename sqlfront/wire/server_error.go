package wire

import (
	"encoding/binary"
	"fmt"
)

// ServerError is the content of an ERR packet, as a Go error.
type ServerError struct {
	// Number is the MySQL error number.
	Number uint16
	// State is the SQLSTATE, five characters; empty for the errors sent in place of a greeting.
	State   string
	Message string
}

// Error words the error as the mysql client does.
func (e *ServerError) Error() string {
	state := e.State
	if state == "" {
		state = "HY000"
	}
	return fmt.Sprintf("ERROR %d (%s): %s", e.Number, state, e.Message)
}

// MySQL gives the error number and the SQLSTATE.
func (e *ServerError) MySQL() (uint16, string) { return e.Number, e.State }

// Append appends the payload of an ERR packet. An empty State leaves the SQLSTATE out, as in the errors that precede a greeting.
func (e *ServerError) Append(dst []byte) []byte {
	dst = append(dst, ErrHeader)
	dst = binary.LittleEndian.AppendUint16(dst, e.Number)
	if e.State != "" {
		state := [5]byte{'0', '0', '0', '0', '0'}
		copy(state[:], e.State)
		dst = append(append(dst, '#'), state[:]...)
	}
	return append(dst, e.Message...)
}

// Decode reads the payload of an ERR packet.
func (e *ServerError) Decode(body []byte) error {
	c := cursor{b: body}
	if c.u8() != ErrHeader {
		return malformed("error", "wrong first byte")
	}
	*e = ServerError{Number: c.u16()}
	if len(c.b) >= 6 && c.b[0] == '#' {
		e.State = string(c.b[1:6])
		c.take(6)
	}
	e.Message = string(c.rest())
	if c.bad {
		return malformed("error", "too short")
	}
	return nil
}
