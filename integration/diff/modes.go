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

var escaped = []string{`'q\"'`, `'it\'s'`, `'\\b'`, `'\A'`, "_utf8mb4'u'", "'😀'", "'é '", "'É'"}

// modes are taken in turn by the seed.
var modes = []mode{
	{quotes: true, strings: escaped},
	{set: []string{"SET sql_mode = ''"}, quotes: true, strings: escaped},
	{set: []string{"SET sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,STRICT_TRANS_TABLES'", "SET time_zone = '+05:30'"}, identifiers: true, pipes: true, strings: escaped},
	{quotes: true, strings: escaped, capabilities: []uint32{mysql.CLIENT_FOUND_ROWS}},
	{set: []string{"SET sql_mode = 'NO_BACKSLASH_ESCAPES,ONLY_FULL_GROUP_BY,STRICT_ALL_TABLES'", "SET time_zone = 'Europe/Berlin'"}, quotes: true, strings: []string{`'\'`, `'a\'''`, "'é'", "'😀'"}},
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
