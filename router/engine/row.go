package engine

import "ballast/sqlfront/wire"

// field says where one value of a row packet is: [start,end) with its length prefix, [data,end) without. For NULL in the binary format all three are equal.
type field struct {
	start, data, end int
	null             bool
}

// shape knows a result's columns and format, and finds the values in its rows.
type shape struct {
	columns []wire.Column
	format  wire.Format
}

// scan finds the first n values of row and appends them to dst.
func (s *shape) scan(row []byte, n int, dst []field) ([]field, error) {
	if s.format == wire.Binary {
		return s.scanBinary(row, n, dst)
	}
	at := 0
	for range n {
		if at >= len(row) {
			return nil, errBadRow.New()
		}
		if size := int(row[at]); size < nullText { // nearly always
			f := field{start: at, data: at + 1, end: at + 1 + size}
			if f.end > len(row) {
				return nil, errBadRow.New()
			}
			dst = append(dst, f)
			at = f.end
			continue
		}
		if row[at] == nullText {
			dst = append(dst, field{start: at, data: at + 1, end: at + 1, null: true})
			at++
			continue
		}
		f, ok := lenenc(row, at)
		if !ok {
			return nil, errBadRow.New()
		}
		dst = append(dst, f)
		at = f.end
	}
	return dst, nil
}

// nullText stands for NULL in a text row.
const nullText = 0xfb

// binaryHeader is the size of a binary row's header: one zero byte and the NULL bitmap, which starts at bit 2.
func binaryHeader(columns int) int { return 1 + (columns+7+2)/8 }

func (s *shape) scanBinary(row []byte, n int, dst []field) ([]field, error) {
	at := binaryHeader(len(s.columns))
	if len(row) < at || row[0] != 0 {
		return nil, errBadRow.New()
	}
	for i := range n {
		if bit := i + 2; row[1+bit/8]&(1<<(bit%8)) != 0 {
			dst = append(dst, field{start: at, data: at, end: at, null: true})
			continue
		}
		f := field{start: at, data: at}
		switch size, kind := binarySize(s.columns[i].Type); kind {
		case sizedFixed:
			f.end = at + size
		case sizedByte:
			if at >= len(row) {
				return nil, errBadRow.New()
			}
			f.data, f.end = at+1, at+1+int(row[at])
		default:
			var ok bool
			if f, ok = lenenc(row, at); !ok {
				return nil, errBadRow.New()
			}
		}
		if f.end > len(row) {
			return nil, errBadRow.New()
		}
		dst = append(dst, f)
		at = f.end
	}
	return dst, nil
}

// lenenc finds a length-encoded string at an offset.
func lenenc(row []byte, at int) (field, bool) {
	size, n := wire.LenencInt(row[at:])
	if n == 0 || size > uint64(len(row)-at-n) {
		return field{}, false
	}
	return field{start: at, data: at + n, end: at + n + int(size)}, true
}

// sizing says how the binary format tells the length of a value.
type sizing uint8

const (
	sizedLenenc sizing = iota
	sizedFixed
	sizedByte
)

func binarySize(t wire.Type) (int, sizing) {
	switch t {
	case wire.TypeTiny:
		return 1, sizedFixed
	case wire.TypeShort, wire.TypeYear:
		return 2, sizedFixed
	case wire.TypeLong, wire.TypeInt24, wire.TypeFloat:
		return 4, sizedFixed
	case wire.TypeLongLong, wire.TypeDouble:
		return 8, sizedFixed
	case wire.TypeNull:
		return 0, sizedFixed
	case wire.TypeDate, wire.TypeDatetime, wire.TypeTimestamp, wire.TypeNewDate, wire.TypeTimestamp2, wire.TypeDatetime2, wire.TypeTime, wire.TypeTime2:
		return 0, sizedByte
	}
	return 0, sizedLenenc
}

// cell is one value as it stands in a row packet of its format, with its length prefix; nil is NULL in either format.
type cell []byte

// cellOf gives a field's cell; it points into row.
func cellOf(row []byte, f field) cell {
	if f.null {
		return nil
	}
	return cell(row[f.start:f.end:f.end])
}

// appendRow builds a row packet from its cells.
func appendRow(dst []byte, format wire.Format, cells []cell) []byte {
	if format == wire.Text {
		for _, c := range cells {
			if c == nil {
				dst = append(dst, nullText)
			} else {
				dst = append(dst, c...)
			}
		}
		return dst
	}
	at := len(dst)
	for range binaryHeader(len(cells)) {
		dst = append(dst, 0)
	}
	for i, c := range cells {
		if c == nil {
			bit := i + 2
			dst[at+1+bit/8] |= 1 << (bit % 8)
			continue
		}
		dst = append(dst, c...)
	}
	return dst
}

// sameColumns says whether rows of the two results can stand in one result without being changed.
func sameColumns(a, b []wire.Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Type != b[i].Type || (a[i].Flags^b[i].Flags)&wire.FlagUnsigned != 0 {
			return false
		}
	}
	return true
}
