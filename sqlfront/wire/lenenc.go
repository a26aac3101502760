package wire

import "encoding/binary"

// AppendLenencInt appends a length-encoded integer.
func AppendLenencInt(dst []byte, v uint64) []byte {
	switch {
	case v < 0xfb:
		return append(dst, byte(v))
	case v < 1<<16:
		return append(dst, 0xfc, byte(v), byte(v>>8))
	case v < 1<<24:
		return append(dst, 0xfd, byte(v), byte(v>>8), byte(v>>16))
	default:
		return binary.LittleEndian.AppendUint64(append(dst, 0xfe), v)
	}
}

// LenencInt reads a length-encoded integer at the start of b; n is how many bytes it takes, 0 when b does not begin with one
// (too short, or the first byte is 0xfb, the NULL of text rows, or 0xff).
func LenencInt(b []byte) (v uint64, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	switch first := b[0]; {
	case first < 0xfb:
		return uint64(first), 1
	case first == 0xfc && len(b) >= 3:
		return uint64(b[1]) | uint64(b[2])<<8, 3
	case first == 0xfd && len(b) >= 4:
		return uint64(b[1]) | uint64(b[2])<<8 | uint64(b[3])<<16, 4
	case first == 0xfe && len(b) >= 9:
		return binary.LittleEndian.Uint64(b[1:]), 9
	default:
		return 0, 0
	}
}

// AppendLenencString appends a string with its length-encoded length.
func AppendLenencString(dst []byte, s string) []byte {
	return append(AppendLenencInt(dst, uint64(len(s))), s...)
}

// AppendLenencBytes is AppendLenencString for bytes.
func AppendLenencBytes(dst, s []byte) []byte {
	return append(AppendLenencInt(dst, uint64(len(s))), s...)
}

// LenencBytes reads a length-encoded string at the start of b; n is how many bytes it takes with its length, 0 when b does not hold one.
// The result points into b.
func LenencBytes(b []byte) (s []byte, n int) {
	l, n := LenencInt(b)
	if n == 0 || l > uint64(len(b)-n) {
		return nil, 0
	}
	end := n + int(l)
	return b[n:end], end
}

// cursor walks a body while decoding; the first fault sticks and every later read gives zero.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) take(n int) []byte {
	if c.bad || n > len(c.b) || n < 0 {
		c.bad = true
		return nil
	}
	s := c.b[:n]
	c.b = c.b[n:]
	return s
}

func (c *cursor) u8() uint8 {
	if s := c.take(1); s != nil {
		return s[0]
	}
	return 0
}

func (c *cursor) u16() uint16 {
	if s := c.take(2); s != nil {
		return binary.LittleEndian.Uint16(s)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if s := c.take(4); s != nil {
		return binary.LittleEndian.Uint32(s)
	}
	return 0
}

func (c *cursor) lenenc() uint64 {
	if c.bad {
		return 0
	}
	v, n := LenencInt(c.b)
	if n == 0 {
		c.bad = true
		return 0
	}
	c.b = c.b[n:]
	return v
}

func (c *cursor) lenencBytes() []byte {
	if c.bad {
		return nil
	}
	s, n := LenencBytes(c.b)
	if n == 0 {
		c.bad = true
		return nil
	}
	c.b = c.b[n:]
	return s
}

// untilNUL takes up to and including the next zero byte and gives what stands before it.
func (c *cursor) untilNUL() []byte {
	if c.bad {
		return nil
	}
	for i, x := range c.b {
		if x == 0 {
			s := c.b[:i]
			c.b = c.b[i+1:]
			return s
		}
	}
	c.bad = true
	return nil
}

// untilNULOrEnd is untilNUL for a string that some clients leave without its zero byte at the very end.
func (c *cursor) untilNULOrEnd() []byte {
	for _, x := range c.b {
		if x == 0 {
			return c.untilNUL()
		}
	}
	return c.rest()
}

func (c *cursor) rest() []byte {
	if c.bad {
		return nil
	}
	s := c.b
	c.b = nil
	return s
}
