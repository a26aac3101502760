package plan

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"ballast/sqlfront/wire"
)

// The type bytes of parameters.
const (
	typeTiny      wire.Type = 1
	typeShort     wire.Type = 2
	typeLong      wire.Type = 3
	typeFloat     wire.Type = 4
	typeDouble    wire.Type = 5
	typeNull      wire.Type = 6
	typeTimestamp wire.Type = 7
	typeLongLong  wire.Type = 8
	typeInt24     wire.Type = 9
	typeDate      wire.Type = 10
	typeTime      wire.Type = 11
	typeDateTime  wire.Type = 12
	typeYear      wire.Type = 13
	typeBit       wire.Type = 16
	typeDecimal   wire.Type = 0
	typeNewDec    wire.Type = 246
	typeTinyBlob  wire.Type = 249
	typeBlob      wire.Type = 252
)

// ParamLiterals makes literals of the parameters of one execution, in order.
func ParamLiterals(params []wire.Param) ([]Literal, error) {
	out := make([]Literal, 0, len(params))
	var arena []byte
	for i := range params {
		lit, grown, err := paramLiteral(&params[i], arena)
		if err != nil {
			return nil, errBadParam.New(i+1, err)
		}
		arena = grown
		out = append(out, lit)
	}
	return out, nil
}

// paramLiteral makes one literal; texts that must be written out go to arena.
func paramLiteral(p *wire.Param, arena []byte) (Literal, []byte, error) {
	if p.Null || p.Type == typeNull {
		return Literal{Kind: LitNull, Bare: true}, arena, nil
	}
	if p.Long {
		if p.Type >= typeTinyBlob && p.Type <= typeBlob {
			return Literal{Kind: LitBytes, Bare: true, Raw: p.Value}, arena, nil
		}
		return Literal{Kind: LitString, Bare: true, Raw: p.Value}, arena, nil
	}
	start, kind := len(arena), LitInt
	v := p.Value
	switch p.Type {
	case typeTiny, typeShort, typeYear, typeLong, typeInt24, typeLongLong:
		if len(v) != intSize(p.Type) {
			return Literal{}, arena, fmt.Errorf("%d bytes for an integer of %d", len(v), intSize(p.Type))
		}
		arena = appendInt(arena, v, p.Unsigned)
	case typeFloat:
		if len(v) != 4 {
			return Literal{}, arena, fmt.Errorf("%d bytes for a float", len(v))
		}
		f := float64(math.Float32frombits(binary.LittleEndian.Uint32(v)))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return Literal{}, arena, fmt.Errorf("not a finite number")
		}
		arena, kind = strconv.AppendFloat(arena, f, 'e', -1, 64), LitFloat
	case typeDouble:
		if len(v) != 8 {
			return Literal{}, arena, fmt.Errorf("%d bytes for a double", len(v))
		}
		f := math.Float64frombits(binary.LittleEndian.Uint64(v))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return Literal{}, arena, fmt.Errorf("not a finite number")
		}
		arena, kind = strconv.AppendFloat(arena, f, 'e', -1, 64), LitFloat
	case typeDate, typeDateTime, typeTimestamp:
		var err error
		if arena, kind, err = appendDateTime(arena, v, p.Type == typeDate); err != nil {
			return Literal{}, arena, err
		}
	case typeTime:
		var err error
		if arena, err = appendTime(arena, v); err != nil {
			return Literal{}, arena, err
		}
		kind = LitTime
	case typeDecimal, typeNewDec:
		if !plainDecimal(v) {
			return Literal{Kind: LitString, Bare: true, Raw: v}, arena, nil
		}
		return Literal{Kind: LitDecimal, Bare: true, Raw: v}, arena, nil
	case typeBit, typeTinyBlob, typeTinyBlob + 1, typeTinyBlob + 2, typeBlob:
		return Literal{Kind: LitBytes, Bare: true, Raw: v}, arena, nil
	default:
		return Literal{Kind: LitString, Bare: true, Raw: v}, arena, nil
	}
	return Literal{Kind: kind, Bare: true, Raw: arena[start:len(arena):len(arena)]}, arena, nil
}

func intSize(t wire.Type) int {
	switch t {
	case typeTiny:
		return 1
	case typeShort, typeYear:
		return 2
	case typeLongLong:
		return 8
	}
	return 4
}

// appendInt writes a little-endian integer of 1, 2, 4 or 8 bytes.
func appendInt(dst, v []byte, unsigned bool) []byte {
	var u uint64
	for i, b := range v {
		u |= uint64(b) << (8 * i)
	}
	if unsigned {
		return strconv.AppendUint(dst, u, 10)
	}
	shift := 64 - 8*len(v)
	return strconv.AppendInt(dst, int64(u<<shift)>>shift, 10)
}

// appendDateTime writes the packed form of DATE, DATETIME and TIMESTAMP: 0, 4, 7 or 11 bytes.
func appendDateTime(dst, v []byte, date bool) ([]byte, LitKind, error) {
	if len(v) != 0 && len(v) != 4 && len(v) != 7 && len(v) != 11 {
		return dst, 0, fmt.Errorf("%d bytes for a date", len(v))
	}
	var b [11]byte
	copy(b[:], v)
	micros := binary.LittleEndian.Uint32(b[7:])
	if b[2] > 12 || b[3] > 31 || b[4] > 23 || b[5] > 59 || b[6] > 59 || micros > 999999 || binary.LittleEndian.Uint16(b[:]) > 9999 {
		return dst, 0, fmt.Errorf("no such date")
	}
	dst = fmt.Appendf(dst, "%04d-%02d-%02d", binary.LittleEndian.Uint16(b[:]), b[2], b[3])
	if date {
		return dst, LitDate, nil
	}
	dst = fmt.Appendf(dst, " %02d:%02d:%02d", b[4], b[5], b[6])
	if micros != 0 {
		dst = fmt.Appendf(dst, ".%06d", micros)
	}
	return dst, LitTimestamp, nil
}

// appendTime writes the packed form of TIME: 0, 8 or 12 bytes.
func appendTime(dst, v []byte) ([]byte, error) {
	if len(v) != 0 && len(v) != 8 && len(v) != 12 {
		return dst, fmt.Errorf("%d bytes for a time", len(v))
	}
	var b [12]byte
	copy(b[:], v)
	hours := uint64(binary.LittleEndian.Uint32(b[1:]))*24 + uint64(b[5])
	micros := binary.LittleEndian.Uint32(b[8:])
	if hours > 838 || b[6] > 59 || b[7] > 59 || micros > 999999 {
		return dst, fmt.Errorf("no such time")
	}
	if b[0] != 0 {
		dst = append(dst, '-')
	}
	dst = fmt.Appendf(dst, "%02d:%02d:%02d", hours, b[6], b[7])
	if micros != 0 {
		dst = fmt.Appendf(dst, ".%06d", micros)
	}
	return dst, nil
}

// plainDecimal says whether v is digits with an optional sign and point.
func plainDecimal(v []byte) bool {
	if len(v) > 0 && v[0] == '-' {
		v = v[1:]
	}
	digits, points := 0, 0
	for _, c := range v {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == '.':
			points++
		default:
			return false
		}
	}
	return digits > 0 && points <= 1
}
