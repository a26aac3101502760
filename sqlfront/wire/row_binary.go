package wire

import "fmt"

// BeginBinaryRow appends the head of a binary row: its first byte and a NULL bitmap of zeros. Values that are not NULL follow in the order
// of the columns by AppendBinaryValue; for those that are, SetBinaryNull is called instead, with row beginning at that first byte.
func BeginBinaryRow(dst []byte, columns int) []byte {
	dst = append(dst, 0)
	for range (columns + 9) / 8 {
		dst = append(dst, 0)
	}
	return dst
}

// SetBinaryNull marks column i of a binary row as NULL; row begins at the row's first byte.
func SetBinaryNull(row []byte, i int) {
	row[1+(i+2)/8] |= 1 << ((i + 2) % 8)
}

// AppendBinaryValue appends one value in the form that Field.Of gives: it adds the length prefix that the type wants. The value's length must
// fit the type.
func AppendBinaryValue(dst []byte, t Type, value []byte) []byte {
	switch t.layout() {
	case layoutLenenc:
		return AppendLenencBytes(dst, value)
	case layoutDatetime, layoutTime:
		return append(append(dst, byte(len(value))), value...)
	case layoutNull:
		return dst
	default:
		return append(dst, value...)
	}
}

// ScanBinaryRow finds the values of a binary row; columns and fields have one entry for each column, all fields are overwritten.
func ScanBinaryRow(row []byte, columns []Column, fields []Field) error {
	if len(columns) != len(fields) {
		return fmt.Errorf("binary row: %d columns, %d fields: %w", len(columns), len(fields), ErrMalformed)
	}
	at := 1 + (len(columns)+9)/8
	if len(row) < at || row[0] != 0 {
		return malformed("binary row", "too short or wrong first byte")
	}
	for i := range columns {
		if row[1+(i+2)/8]&(1<<((i+2)%8)) != 0 {
			fields[i] = nullField
			continue
		}
		start, end, ok := binaryValue(row, at, columns[i].Type)
		if !ok {
			return malformed("binary row", "bad value")
		}
		fields[i] = Field{start, end}
		at = end
	}
	if at != len(row) {
		return malformed("binary row", "too long")
	}
	return nil
}

// binaryValue finds the value of type t that begins (with its length prefix, if it has one) at b[at:].
func binaryValue(b []byte, at int, t Type) (start, end int, ok bool) {
	l := t.layout()
	switch l {
	case layoutNull:
		return at, at, true
	case layoutLenenc:
		s, n := LenencBytes(b[at:])
		return at + n - len(s), at + n, n > 0
	case layoutDatetime, layoutTime:
		if at >= len(b) {
			return 0, 0, false
		}
		n := int(b[at])
		switch {
		case n == 0:
		case l == layoutDatetime && (n == 4 || n == 7 || n == 11):
		case l == layoutTime && (n == 8 || n == 12):
		default:
			return 0, 0, false
		}
		end = at + 1 + n
		return at + 1, end, end <= len(b)
	default:
		end = at + l.fixed()
		return at, end, end <= len(b)
	}
}
