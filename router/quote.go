package router

import (
	"strconv"
	"strings"
)

// quoteName writes an identifier in backquotes.
func quoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// quoteString writes a string that is read the same with and without NO_BACKSLASH_ESCAPES, where the text allows that.
func quoteString(s string) string {
	if strings.IndexByte(s, '\\') >= 0 {
		var b strings.Builder
		b.WriteString("_utf8mb4 X'")
		const digits = "0123456789ABCDEF"
		for i := range len(s) {
			b.WriteByte(digits[s[i]>>4])
			b.WriteByte(digits[s[i]&15])
		}
		b.WriteByte('\'')
		return b.String()
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

func appendUint(dst []byte, v uint64) []byte { return strconv.AppendUint(dst, v, 10) }

func itoa(v uint64) string { return strconv.FormatUint(v, 10) }
