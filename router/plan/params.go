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

// checkParams says whether the parameters of an execution are well formed.
func checkParams(params []wire.Param) error {
	for i := range params {
		if fault := paramFault(&params[i]); fault != "" {
			return errBadParam.New(i+1, fault)
		}
	}
	return nil
}

// paramFault says what is wrong with a parameter; "" is nothing.
func paramFault(p *wire.Param) string {
	v := p.Value
	if p.Null || p.Long {
		return ""
	}
	switch p.Type {
	case typeTiny, typeShort, typeYear, typeLong, typeInt24, typeLongLong:
		if len(v) != intSize(p.Type) {
			return fmt.Sprintf("%d bytes for an integer of %d", len(v), intSize(p.Type))
		}
	case typeFloat, typeDouble:
		f, ok := floatOf(p)
		switch {
		case !ok:
			return fmt.Sprintf("%d bytes for a floating-point number", len(v))
		case math.IsNaN(f) || math.IsInf(f, 0):
			return "not a finite number"
		}
	case typeDate, typeDateTime, typeTimestamp:
		return dateFault(v)
	case typeTime:
		return timeFault(v)
	}
	return ""
}

// floatOf reads FLOAT and DOUBLE; ok is false if there are not as many bytes as there should be.
func floatOf(p *wire.Param) (f float64, ok bool) {
	switch {
	case p.Type == typeFloat && len(p.Value) == 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(p.Value))), true
	case p.Type == typeDouble && len(p.Value) == 8:
		return math.Float64frombits(binary.LittleEndian.Uint64(p.Value)), true
	}
	return 0, false
}

// paramLiteral makes a literal of a parameter that has no fault; texts that must be written out go to arena.
func paramLiteral(p *wire.Param, arena []byte) (Literal, []byte) {
	v := p.Value
	switch {
	case p.Null || p.Type == typeNull:
		return Literal{Kind: LitNull, Bare: true}, arena
	case p.Type >= typeTinyBlob && p.Type <= typeBlob, p.Type == typeBit && !p.Long:
		return Literal{Kind: LitBytes, Bare: true, Raw: v}, arena
	case p.Long:
		return Literal{Kind: LitString, Bare: true, Raw: v}, arena
	}
	start, kind := len(arena), LitInt
	switch p.Type {
	case typeTiny, typeShort, typeYear, typeLong, typeInt24, typeLongLong:
		arena = appendInt(arena, v, p.Unsigned)
	case typeFloat, typeDouble:
		f, _ := floatOf(p)
		arena, kind = strconv.AppendFloat(arena, f, 'e', -1, 64), LitFloat
	case typeDate:
		arena, kind = appendDate(arena, v), LitDate
	case typeDateTime, typeTimestamp:
		arena, kind = appendDateTime(arena, v), LitTimestamp
	case typeTime:
		arena, kind = appendTime(arena, v), LitTime
	case typeDecimal, typeNewDec:
		if plainDecimal(v) {
			return Literal{Kind: LitDecimal, Bare: true, Raw: v}, arena
		}
		return Literal{Kind: LitString, Bare: true, Raw: v}, arena
	default:
		return Literal{Kind: LitString, Bare: true, Raw: v}, arena
	}
	return Literal{Kind: kind, Bare: true, Raw: arena[start:len(arena):len(arena)]}, arena
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
