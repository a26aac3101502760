package plan

import "encoding/binary"

// packedDate is DATE, DATETIME or TIMESTAMP as a parameter: 0, 4, 7 or 11 bytes, missing ones are zero.
func packedDate(v []byte) (b [11]byte, micros uint32) {
	copy(b[:], v)
	return b, binary.LittleEndian.Uint32(b[7:])
}

// dateFault says what is wrong with a packed date; "" is nothing.
func dateFault(v []byte) string {
	b, micros := packedDate(v)
	switch {
	case len(v) != 0 && len(v) != 4 && len(v) != 7 && len(v) != 11:
		return "not as many bytes as a date has"
	case b[2] > 12 || b[3] > 31 || b[4] > 23 || b[5] > 59 || b[6] > 59 || micros > 999999 || binary.LittleEndian.Uint16(b[:]) > 9999:
		return "no such date"
	}
	return ""
}

func appendDate(dst, v []byte) []byte {
	b, _ := packedDate(v)
	year := binary.LittleEndian.Uint16(b[:])
	dst = appendTwo(appendTwo(dst, byte(year/100)), byte(year%100))
	dst = appendTwo(append(dst, '-'), b[2])
	return appendTwo(append(dst, '-'), b[3])
}

func appendDateTime(dst, v []byte) []byte {
	b, micros := packedDate(v)
	return appendClock(append(appendDate(dst, v), ' '), b[4], b[5], b[6], micros)
}

// packedTime is TIME as a parameter: 0, 8 or 12 bytes, missing ones are zero.
func packedTime(v []byte) (b [12]byte, hours uint64, micros uint32) {
	copy(b[:], v)
	return b, uint64(binary.LittleEndian.Uint32(b[1:]))*24 + uint64(b[5]), binary.LittleEndian.Uint32(b[8:])
}

// timeFault says what is wrong with a packed time; "" is nothing.
func timeFault(v []byte) string {
	b, hours, micros := packedTime(v)
	switch {
	case len(v) != 0 && len(v) != 8 && len(v) != 12:
		return "not as many bytes as a time has"
	case hours > 838 || b[6] > 59 || b[7] > 59 || micros > 999999:
		return "no such time"
	}
	return ""
}

func appendTime(dst, v []byte) []byte {
	b, hours, micros := packedTime(v)
	if b[0] != 0 {
		dst = append(dst, '-')
	}
	if hours > 99 {
		dst = append(dst, byte('0'+hours/100))
	}
	return appendClock(dst, byte(hours%100), b[6], b[7], micros)
}

// appendClock writes hh:mm:ss, and .ffffff if there is a fraction.
func appendClock(dst []byte, hours, minutes, seconds byte, micros uint32) []byte {
	dst = appendTwo(append(appendTwo(dst, hours), ':'), minutes)
	dst = appendTwo(append(dst, ':'), seconds)
	if micros == 0 {
		return dst
	}
	dst = appendTwo(append(dst, '.'), byte(micros/10000))
	return appendTwo(appendTwo(dst, byte(micros/100%100)), byte(micros%100))
}

func appendTwo(dst []byte, n byte) []byte { return append(dst, '0'+n/10, '0'+n%10) }
