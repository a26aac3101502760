package rules

import (
	"fmt"
	"strings"
	"time"
)

// Text writes a non-NULL value of the type as MySQL prints it, so that Parse gives it back: strings as they are, TIMESTAMP in UTC, no zeros at
// the end of a fraction.
func (t FieldType) Text(v Value) string {
	switch t.Kind {
	case FieldString, FieldBinary:
		return v.S
	case FieldDecimal:
		return plainDecimal(v.S)
	case FieldDate, FieldDateTime, FieldTimestamp, FieldTime:
		return t.timeText(v.I)
	default:
		return whole(&v).String()
	}
}

// timeText writes microseconds as MySQL prints them in the field's type, without a fraction of zero.
func (t FieldType) timeText(micros int64) string {
	switch t.Kind {
	case FieldDate:
		return time.UnixMicro(micros).UTC().Format(time.DateOnly)
	case FieldTime:
		sign := ""
		if micros < 0 {
			sign, micros = "-", -micros
		}
		sec := micros / microsPerSecond
		return fmt.Sprintf("%s%02d:%02d:%02d", sign, sec/3600, sec/60%60, sec%60) + fraction(micros%microsPerSecond)
	default:
	}
	at := time.UnixMicro(micros).UTC()
	return at.Format(time.DateTime) + fraction(int64(at.Nanosecond())/1000)
}

func fraction(micros int64) string {
	if micros == 0 {
		return ""
	}
	return strings.TrimRight(fmt.Sprintf(".%06d", micros), "0")
}
