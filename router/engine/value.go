package engine

import (
	"encoding/binary"
	"math"
	"strconv"

	"ballast/sqlfront/wire"
)

// kind says which field of a value counts.
type kind uint8

const (
	null kind = iota
	integer
	unsigned
	exact    // a decimal: its text in b
	floating // f
	str      // bytes in b, padded with pad when compared
	instant  // i: microseconds of a date or time of day, packed so that they order
	duration // i: microseconds of a TIME
)

// value is one decoded value. b points into the row it came from.
type value struct {
	kind kind
	i    int64
	u    uint64
	f    float64
	b    []byte
	pad  []byte
}

// decode reads one value by its column's class.
func (s *shape) decode(row []byte, f field, column int, c class) (value, error) {
	if f.null {
		return value{}, nil
	}
	data := row[f.data:f.end]
	var v value
	ok := true
	switch c {
	case classInt, classUint:
		v, ok = s.decodeInt(data, column, c)
	case classDecimal:
		v = value{kind: exact, b: data}
		_, _, _, ok = splitDecimal(data)
	case classFloat, classDouble:
		v, ok = s.decodeFloat(data, column)
	case classDateTime:
		v.kind = instant
		if s.format == wire.Binary {
			v.i, ok = instantBinary(data)
		} else {
			v.i, ok = instantText(data)
		}
	case classTime:
		v.kind = duration
		if s.format == wire.Binary {
			v.i, ok = durationBinary(data)
		} else {
			v.i, ok = durationText(data)
		}
	default:
		v = value{kind: str, b: data}
	}
	if !ok {
		return value{}, errBadRow.New()
	}
	return v, nil
}

func (s *shape) decodeInt(data []byte, column int, c class) (value, bool) {
	if s.format == wire.Text {
		if c == classUint {
			u, err := strconv.ParseUint(string(data), 10, 64)
			return value{kind: unsigned, u: u}, err == nil
		}
		i, err := strconv.ParseInt(string(data), 10, 64)
		return value{kind: integer, i: i}, err == nil
	}
	var u uint64
	var i int64
	switch len(data) {
	case 1:
		u, i = uint64(data[0]), int64(int8(data[0]))
	case 2:
		w := binary.LittleEndian.Uint16(data)
		u, i = uint64(w), int64(int16(w))
	case 4:
		w := binary.LittleEndian.Uint32(data)
		u, i = uint64(w), int64(int32(w))
	case 8:
		u = binary.LittleEndian.Uint64(data)
		i = int64(u)
	default:
		return value{}, false
	}
	if s.columns[column].Type == wire.TypeYear {
		i = int64(u)
	}
	if c == classUint {
		return value{kind: unsigned, u: u}, true
	}
	return value{kind: integer, i: i}, true
}

func (s *shape) decodeFloat(data []byte, column int) (value, bool) {
	if s.format == wire.Text {
		f, err := strconv.ParseFloat(string(data), 64)
		return value{kind: floating, f: f}, err == nil
	}
	switch len(data) {
	case 4:
		return value{kind: floating, f: float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))}, true
	case 8:
		return value{kind: floating, f: math.Float64frombits(binary.LittleEndian.Uint64(data))}, true
	}
	return value{}, false
}

// number gives a numeric value as an exact decimal; ok is false for NULL, floats and values that are no numbers.
func (v value) number() (decimal, bool) {
	switch v.kind {
	case integer:
		return decimalOf(v.i), true
	case unsigned:
		return decimalOfUint(v.u), true
	case exact:
		return parseDecimal(v.b)
	}
	return decimal{}, false
}

// float gives a numeric value as float64, 0 for anything else.
func (v value) float() float64 {
	if v.kind == floating {
		return v.f
	}
	if d, ok := v.number(); ok {
		return d.float()
	}
	return 0
}
