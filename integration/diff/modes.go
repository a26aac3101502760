package diff

import (
	"strings"

	"github.com/go-mysql-org/go-mysql/mysql"
)

// mode is how a generated session is set up: the switches that change what texts mean.
type mode struct {
	// set are the statements at the session's begin.
	set []string
	// quotes says that "…" is a string, identifiers that it is a name, pipes that || joins strings.
	quotes, identifiers, pipes bool
	// capabilities are those of the client beyond the usual ones.
	capabilities []uint32
	// latin1 says that the client sends and reads latin1.
	latin1 bool
	// strings are literals that mean something in this mode only, or whose escapes do.
	strings []string
}

var escaped = []string{`'q\"'`, `'it\'s'`, `'\\b'`, `'\A'`, "_utf8mb4'u'", "'é '", "'É'"}

// modes are taken in turn by the seed.
var modes = []mode{
	{quotes: true, strings: escaped},
	{set: []string{"SET sql_mode = ''"}, quotes: true, strings: escaped},
	{set: []string{"SET sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,STRICT_TRANS_TABLES'", "SET time_zone = '+05:30'"}, identifiers: true, pipes: true, strings: escaped},
	{quotes: true, strings: escaped, capabilities: []uint32{mysql.CLIENT_FOUND_ROWS}},
	{set: []string{"SET sql_mode = 'NO_BACKSLASH_ESCAPES,ONLY_FULL_GROUP_BY,STRICT_ALL_TABLES'", "SET time_zone = 'Europe/Berlin'"}, quotes: true, strings: []string{`'\'`, `'a\'''`, "'é'"}},
	{set: []string{"SET NAMES latin1"}, quotes: true, latin1: true, strings: []string{"'é'", "'ß'", "'É'", `'\\'`, "_latin1'é'"}},
	{set: []string{"SET SESSION time_zone = 'America/New_York', sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO'"}, quotes: true, strings: escaped},
	{set: []string{"SET sql_mode = 'ONLY_FULL_GROUP_BY'", "SET NAMES utf8mb4"}, quotes: true, strings: escaped},
}

// encode gives a statement's text as the session's client sends it.
func (m *mode) encode(sql string) string {
	if !m.latin1 {
		return sql
	}
	var b strings.Builder
	for _, r := range sql {
		b.WriteByte(byte(r))
	}
	return b.String()
}

// odd are literals of another kind than the column's, or in a form that is seldom written: what they equal is for the servers to say.
var odd = map[string][]string{
	"s":  {"0", "12", "1.5", "TRUE", "x'61'", "0x42", "_binary'a'", "'a  '", "'Ａ'", "'ss'", "1e0", "DATE '2024-01-02'", "'E'", "' a'"},
	"k":  {"0", "12", "12.0", "x'62'", "'b  '", "'B '", "_latin1'b'", "'É'"},
	"vb": {"0", "12", "'é'", "x'6220'", "x'62'", "'b'", "0x", "CAST('a' AS BINARY)", "'A '"},
	"c":  {"'1.5abc'", "1e0", "'0'", "'-1e-3'", "0x01", "1.4999", "1.5000", "'1.50'", "-0.0", "TRUE", "2147483648"},
	"dt": {"'2024-01-02'", "20240102", "'2024-1-2 3:4:5'", "'20240102030405'", "'2024-01-02T03:04:05'", "'2024-01-02 03:04:05.0'", "'24-01-02 03:04:05'", "20240102030405.678", "DATE '2024-02-29'", "'2024-01-02 03:04:05.6784'"},
	"y":  {"'2024-02-29 00:00:00'", "'2024-02-29 10:00:00'", "240229", "'24-2-29'", "20240229", "'20240305'", "TIMESTAMP '2024-03-05 00:00:00'", "20240305000000", "'2024-03-05T00:00:00'"},
	"ts": {"'2024-01-02'", "20240102030405", "'2024-01-02 03:04:05.670'", "TIMESTAMP '2024-01-02 03:04:05'", "'2024-02-29 00:00:00'"},
	"b":  {"'18446744073709551615'", "'-1'", "1e0", "3.0", "2.5", "0x03", "b'100'", "'3abc'", "TRUE", "-0"},
	"a":  {"'2'", "'2.0'", "2.0", "2.4", "1e0", "0x03", "' 4'", "'4x'", "TRUE", "-(1)", "4294967298"},
	"f":  {"'2'", "2.0", "300", "-300", "TRUE", "0x05"},
}
