package plan

import (
	"bytes"
	"fmt"

	"ballast/rules/failure"
)

// The failures of planning. Those with MySQL's own number use MySQL's own words and have no hint.
var (
	errSyntax        = failure.Define("BL2001", 1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your server version for the right syntax to use near '%s' at line %d", "")
	errEmpty         = failure.Define("BL2002", 1065, "42000", "Query was empty", "")
	errNoDB          = failure.Define("BL2003", 1046, "3D000", "No database selected", "")
	errUnknownDB     = failure.Define("BL2004", 1049, "42000", "Unknown database '%s'", "")
	errNoTable       = failure.Define("BL2005", 1146, "42S02", "Table '%s.%s' doesn't exist", "")
	errUnknownCol    = failure.Define("BL2006", 1054, "42S22", "Unknown column '%s' in '%s'", "")
	errColumnTwice   = failure.Define("BL2008", 1110, "42000", "Column '%s' specified twice", "")
	errValueCount    = failure.Define("BL2009", 1136, "21S01", "Column count doesn't match value count at row %d", "")
	errUnknownTarget = failure.Define("BL2010", 1109, "42S02", "Unknown table '%s' in MULTI DELETE", "")
	errParamCount    = failure.Define("BL2012", 1210, "HY000", "Incorrect arguments to EXECUTE", "")
	errNoParse       = failure.Define("BL2013", 1235, "42000", "Ballast cannot read this statement near '%s' at line %d", "it is either a syntax error or an extension of the server that is not supported through Ballast")
	errAccounts      = failure.Define("BL2060", 1235, "42000", "accounts are not managed by '%s'", "use rulectl user add, grant, revoke, password and drop; rulectl user --help shows how")
	errRefused       = failure.Define("BL2014", 1235, "42000", "This version of Ballast doesn't yet support '%s'", "rewrite it without the construct; docs/sql.md says what is supported")
	errManyNodes     = failure.Define("BL2015", 1235, "42000", "%s over several nodes is not supported", "name the balancing field with = in WHERE so that one node is concerned")
	errKeyChange     = failure.Define("BL2016", 1235, "42000", "changing balancing field '%s' of '%s' would move the row to another node", "DELETE the row and INSERT it with the new key")
	errKeyUnsure     = failure.Define("BL2017", 1235, "42000", "the value for balancing field '%s' of '%s' cannot be told before it is stored: %s", "write it as a plain literal of the column's type")
	errBadParam      = failure.Define("BL2018", 1210, "HY000", "parameter %d of the prepared statement is malformed: %s", "this is a fault of the client's driver, or of Ballast: please report it with the driver's version")
	errSingles       = failure.Define("BL2019", 1235, "42000", "tables '%s' and '%s' live whole on different nodes and cannot be used in one statement", "put single tables that are used together on one node")
	errSequence      = failure.Define("BL2021", 1467, "HY000", "Failed to read auto-increment value from storage engine", "")
	errMultiPart     = failure.Define("BL2023", 1235, "42000", "%s touches tables whose rows are on different nodes", "use tables of one balance group joined by their balancing fields, or global tables")
	errComplex       = failure.Define("BL2026", 1436, "HY000", "the statement has more %s than Ballast takes: %d", "split it into several statements")
	errInsertSelect  = failure.Define("BL2025", 1235, "42000", "%s … SELECT into '%s' is not supported", "SELECT the rows and INSERT them as values, or use single tables of one node")
	errNoNodes       = failure.Define("BL2024", 1105, "HY000", "no node takes statements now", "SHOW BALLAST NODES lists the nodes; add one by rulectl node add")
)

// syntaxNear words a syntax error as MySQL does: the rest of the text, cut at 80 bytes, and the line.
func syntaxNear(kind *failure.Kind, text []byte, at int) *failure.Error {
	at = min(max(at, 0), len(text))
	near := text[at:]
	if len(near) > 80 {
		near = near[:80]
	}
	return kind.New(fmt.Sprintf("%s", near), 1+bytes.Count(text[:at], []byte{'\n'}))
}
