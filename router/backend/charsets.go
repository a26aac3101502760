package backend

import "strings"

// The three variables that say in which character sets a client speaks.
const (
	clientCharset       = "character_set_client"
	resultsCharset      = "character_set_results"
	connectionCollation = "collation_connection"
)

// charsets is their literals. They go to a server together, by SET NAMES: set one by one, character_set_results takes its set's default
// collation, and that shows in the column definitions of every answer.
type charsets struct{ client, results, collation string }

func isCharset(name string) bool {
	return name == clientCharset || name == resultsCharset || name == connectionCollation
}

func charsetsOf(s *Settings) charsets {
	get := func(name string) string {
		if v, ok := s.Get(name); ok {
			return bare(v)
		}
		return initialValue(name)
	}
	return charsets{client: get(clientCharset), results: get(resultsCharset), collation: get(connectionCollation)}
}

// bare takes the quotes off a literal; no character set or collation has anything to escape.
func bare(literal string) string { return strings.Trim(literal, "'") }

// names is the part of a SET statement that puts them in force.
func (c charsets) names() string {
	charset, _, _ := strings.Cut(c.collation, "_")
	sql := "NAMES " + charset
	if charset != "binary" {
		sql += " COLLATE " + c.collation
	}
	if c.client != charset {
		sql += "," + clientCharset + "=" + c.client
	}
	if c.results != charset {
		sql += "," + resultsCharset + "=" + c.results
	}
	return sql
}
