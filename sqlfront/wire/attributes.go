package wire

import (
	"maps"
	"slices"
)

// appendAttributes appends connection attributes: the length of all, then names and values, sorted by name.
func appendAttributes(dst []byte, attrs map[string]string) []byte {
	size := 0
	for k, v := range attrs {
		size += lenencSize(len(k)) + len(k) + lenencSize(len(v)) + len(v)
	}
	dst = AppendLenencInt(dst, uint64(size))
	for _, k := range slices.Sorted(maps.Keys(attrs)) {
		dst = AppendLenencString(dst, k)
		dst = AppendLenencString(dst, attrs[k])
	}
	return dst
}

func lenencSize(n int) int {
	switch {
	case n < 0xfb:
		return 1
	case n < 1<<16:
		return 3
	case n < 1<<24:
		return 4
	default:
		return 9
	}
}

func (c *cursor) attributes() map[string]string {
	all := c.lenencBytes()
	if c.bad || len(all) > MaxAttributes {
		c.bad = true
		return nil
	}
	if len(all) == 0 {
		return nil
	}
	attrs := map[string]string{}
	for in := (cursor{b: all}); len(in.b) > 0; {
		k := in.lenencBytes()
		v := in.lenencBytes()
		if in.bad {
			c.bad = true
			return nil
		}
		attrs[string(k)] = string(v)
	}
	return attrs
}
