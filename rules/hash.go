package rules

import (
	"hash/crc32"
	"strconv"
)

// The hash of a key is CRC32 (the IEEE polynomial, as MySQL's CRC32()) over text that depends on nothing but the value:
//
//	numbers        the decimal text; a DECIMAL without zeros at the end of its fraction, so 7, 7.0 and 7.00 are one
//	dates, times   the decimal text of the microseconds since 1970-01-01 (in UTC for TIMESTAMP; the signed length for TIME)
//	strings        the key under the column's collation (package collate)
//	binary         the bytes; BINARY(n) filled up with zero bytes
//	NULL           hashes to 0
//
// Several fields hash as CRC32 over their hashes' decimal texts, joined by commas.

// crcOf continues a CRC32 over b. It is spelled out here because crc32.Update makes its argument escape to the heap.
func crcOf[T string | []byte](crc uint32, b T) uint32 {
	crc = ^crc
	i := 0
	for ; len(b)-i >= 8; i += 8 { // eight bytes at a time, each through the table of its distance from the end
		crc ^= uint32(b[i]) | uint32(b[i+1])<<8 | uint32(b[i+2])<<16 | uint32(b[i+3])<<24
		crc = crcTables[0][b[i+7]] ^ crcTables[1][b[i+6]] ^ crcTables[2][b[i+5]] ^ crcTables[3][b[i+4]] ^
			crcTables[4][crc>>24] ^ crcTables[5][crc>>16&0xFF] ^ crcTables[6][crc>>8&0xFF] ^ crcTables[7][crc&0xFF]
	}
	for ; i < len(b); i++ {
		crc = crcTables[0][byte(crc)^b[i]] ^ crc>>8
	}
	return ^crc
}

// crcTables[n][c] is the CRC of the byte c with n zero bytes behind it.
var crcTables = makeCRCTables()

func makeCRCTables() *[8][256]uint32 {
	t := &[8][256]uint32{*crc32.IEEETable}
	for c := range 256 {
		for n := 1; n < 8; n++ {
			before := t[n-1][c]
			t[n][c] = t[0][byte(before)] ^ before>>8
		}
	}
	return t
}

// hashNumber hashes the number of a step before.
func hashNumber(n number) uint32 {
	var buf [24]byte
	return crcOf(0, n.append(buf[:0]))
}

// hash hashes a value that is NULL or fits.
func (f *field) hash(v *Value) (uint32, error) {
	switch v.Kind {
	case Null:
		return 0, nil
	case Decimal:
		return crcOf(0, plainDecimal(v.S)), nil
	case Bytes:
		var buf [keyBuffer]byte
		key, err := f.appendKey(buf[:0], v)
		if err != nil {
			return 0, err
		}
		return crcOf(0, key), nil
	default:
		return hashNumber(whole(v)), nil
	}
}

// hashKey hashes the fields from first to end.
func (p *Placement) hashKey(key []Value, first, end int) (uint32, error) {
	if end == first+1 {
		return p.fields[first].hash(&key[first])
	}
	var sum uint32
	for i := first; i < end; i++ {
		h, err := p.fields[i].hash(&key[i])
		if err != nil {
			return 0, err
		}
		var buf [16]byte
		text := buf[:0]
		if i > first {
			text = append(text, ',')
		}
		sum = crcOf(sum, strconv.AppendUint(text, uint64(h), 10))
	}
	return sum, nil
}

func itoa(i int) string { return strconv.Itoa(i) }

func utoa(u uint64) string { return strconv.FormatUint(u, 10) }
