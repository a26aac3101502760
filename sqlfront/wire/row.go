package wire

// Field is the place of one value inside a row's payload. NULL has Start −1.
type Field struct {
	Start, End int
}

// Null tells whether the value is NULL.
func (f Field) Null() bool { return f.Start < 0 }

// Of gives the value's bytes in row: text in text rows; in binary rows the value without its length prefix (raw little-endian bytes for
// numbers, packed form for dates and times, bytes for strings). NULL gives nil; an empty string gives an empty, non-nil slice.
func (f Field) Of(row []byte) []byte {
	if f.Start < 0 {
		return nil
	}
	return row[f.Start:f.End:f.End]
}

var nullField = Field{Start: -1, End: -1}

// textNull is the byte that stands for NULL in text rows.
const textNull = 0xfb

// AppendTextNull appends a NULL to a text row.
func AppendTextNull(dst []byte) []byte { return append(dst, textNull) }

// AppendTextValue appends a value to a text row; nil is NULL.
func AppendTextValue(dst, value []byte) []byte {
	if value == nil {
		return append(dst, textNull)
	}
	return AppendLenencBytes(dst, value)
}

// ScanTextRow finds the values of a text row: fields has one entry for each column, all are overwritten.
func ScanTextRow(row []byte, fields []Field) error {
	at := 0
	for i := range fields {
		if at >= len(row) {
			return malformed("text row", "too short")
		}
		first := row[at]
		if first < textNull { // by far the most values
			end := at + 1 + int(first)
			if end > len(row) {
				return malformed("text row", "too short")
			}
			fields[i] = Field{at + 1, end}
			at = end
			continue
		}
		if first == textNull {
			fields[i] = nullField
			at++
			continue
		}
		s, n := LenencBytes(row[at:])
		if n == 0 {
			return malformed("text row", "too short")
		}
		fields[i] = Field{at + n - len(s), at + n}
		at += n
	}
	if at != len(row) {
		return malformed("text row", "too long")
	}
	return nil
}
