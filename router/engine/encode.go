package engine

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"ballast/sqlfront/wire"
)

func appendUint64(dst []byte, u uint64) []byte { return binary.BigEndian.AppendUint64(dst, u) }

func appendFloat(dst []byte, f float64) []byte { return appendUint64(dst, math.Float64bits(f)) }

// notFixed is the Decimals of a FLOAT or DOUBLE column without a fixed number of digits.
const notFixed = 31

// intCell encodes an integer for a column of an integer type.
func (s shape) intCell(column int, i int64) cell { return s.intCellIn(nil, column, i) }

// intCellIn is intCell in a buffer that is no longer needed.
func (s shape) intCellIn(buf []byte, column int, i int64) cell {
	buf = buf[:0]
	if s.format == wire.Binary {
		if size, kind := binarySize(s.columns[column].Type); kind == sizedFixed {
			return cell(binary.LittleEndian.AppendUint64(buf, uint64(i))[:size])
		}
	}
	buf = strconv.AppendInt(append(buf, 0), i, 10)
	buf[0] = byte(len(buf) - 1)
	return cell(buf)
}

// uintCell is intCell for unsigned numbers.
func (s shape) uintCell(column int, u uint64) cell {
	if _, kind := binarySize(s.columns[column].Type); s.format == wire.Text || kind != sizedFixed {
		return textCell(strconv.AppendUint(nil, u, 10))
	}
	return s.intCell(column, int64(u))
}

// decimalCell encodes an exact number for a column of type DECIMAL, rounded to the column's scale.
func (s shape) decimalCell(column int, d decimal) cell {
	return textCell([]byte(d.round(int(s.columns[column].Decimals)).String()))
}

// floatCell encodes a float for a column of type DOUBLE or FLOAT.
func (s shape) floatCell(column int, f float64) cell {
	col := s.columns[column]
	if s.format == wire.Binary {
		if col.Type == wire.TypeFloat {
			return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(f)))
		}
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(f))
	}
	if col.Decimals < notFixed {
		return textCell(strconv.AppendFloat(nil, f, 'f', int(col.Decimals), 64))
	}
	return textCell([]byte(formatDouble(f)))
}

// formatDouble prints a float as the servers do: the shortest digits that read back the same, with an exponent only where that is shorter.
func formatDouble(f float64) string {
	sci := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exp, _ := strings.Cut(sci, "e")
	e, err := strconv.Atoi(exp)
	if err != nil || e >= -15 && e < 15 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return mantissa + "e" + strconv.Itoa(e)
}

// textCell is a length-encoded string.
func textCell(data []byte) cell {
	return cell(wire.AppendLenencBytes(make([]byte, 0, len(data)+9), data))
}
