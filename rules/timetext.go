package rules

import (
	"fmt"
	"strings"
	"time"
)

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
