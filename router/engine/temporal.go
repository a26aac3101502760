package engine

import "encoding/binary"

// packInstant makes a number that orders as the dates do. Every part is below its factor, also in odd dates such as 0000-00-00.
func packInstant(year, month, day, hour, minute, second, micro int64) int64 {
	return (((((year*16+month)*32+day)*32+hour)*64+minute)*64+second)*1e6 + micro
}

// instantText reads "YYYY-MM-DD[ hh:mm:ss[.ffffff]]".
func instantText(s []byte) (int64, bool) {
	var p [7]int64
	for i, at := range [6][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		if len(s) < at[1] {
			if i < 3 || i > 3 || len(s) > 10 {
				return 0, false
			}
			return packInstant(p[0], p[1], p[2], 0, 0, 0, 0), true
		}
		n, ok := digits(s[at[0]:at[1]])
		if !ok {
			return 0, false
		}
		p[i] = n
	}
	micro, ok := fraction(s[19:])
	return packInstant(p[0], p[1], p[2], p[3], p[4], p[5], micro), ok
}

// instantBinary reads the packed form of the binary protocol without its length byte: 0, 4, 7 or 11 bytes.
func instantBinary(b []byte) (int64, bool) {
	var p [7]int64
	switch len(b) {
	case 11:
		p[6] = int64(binary.LittleEndian.Uint32(b[7:]))
		fallthrough
	case 7:
		p[3], p[4], p[5] = int64(b[4]), int64(b[5]), int64(b[6])
		fallthrough
	case 4:
		p[0], p[1], p[2] = int64(binary.LittleEndian.Uint16(b)), int64(b[2]), int64(b[3])
	case 0:
	default:
		return 0, false
	}
	return packInstant(p[0], p[1], p[2], p[3], p[4], p[5], p[6]), true
}

// durationText reads "[-]h…hh:mm:ss[.ffffff]".
func durationText(s []byte) (int64, bool) {
	neg := len(s) > 0 && s[0] == '-'
	if neg {
		s = s[1:]
	}
	colon := 0
	for colon < len(s) && s[colon] != ':' {
		colon++
	}
	if colon == 0 || len(s) < colon+6 || s[colon+3] != ':' {
		return 0, false
	}
	h, ok1 := digits(s[:colon])
	m, ok2 := digits(s[colon+1 : colon+3])
	sec, ok3 := digits(s[colon+4 : colon+6])
	micro, ok4 := fraction(s[colon+6:])
	t := ((h*60+m)*60+sec)*1e6 + micro
	if neg {
		t = -t
	}
	return t, ok1 && ok2 && ok3 && ok4
}

// durationBinary reads the packed form of the binary protocol without its length byte: 0, 8 or 12 bytes.
func durationBinary(b []byte) (int64, bool) {
	var micro int64
	switch len(b) {
	case 0:
		return 0, true
	case 8:
	case 12:
		micro = int64(binary.LittleEndian.Uint32(b[8:]))
	default:
		return 0, false
	}
	days := int64(binary.LittleEndian.Uint32(b[1:]))
	t := (((days*24+int64(b[5]))*60+int64(b[6]))*60+int64(b[7]))*1e6 + micro
	if b[0] != 0 {
		t = -t
	}
	return t, true
}

func digits(s []byte) (int64, bool) {
	var n int64
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(s) > 0 && len(s) <= 9
}

// fraction reads ".ffffff" (at most six digits) as microseconds; nothing is 0.
func fraction(s []byte) (int64, bool) {
	if len(s) == 0 {
		return 0, true
	}
	if s[0] != '.' || len(s) > 7 {
		return 0, false
	}
	n, ok := digits(s[1:])
	for range 7 - len(s) {
		n *= 10
	}
	return n, ok
}
