package core

import (
	"regexp"
	"strconv"
	"strings"
)

// token is a piece of SQL text: [From, To) of the text. Word is the upper-case word, or the punctuation character; a quoted name keeps its
// quotes out of Name and has Word "".
type token struct {
	from, to int
	word     string
	name     string
	quoted   bool
	depth    int
}

// scan cuts a definition into tokens, skipping comments; the inside of executable comments (/*! … */) counts as text. ansi says whether
// double quotes hold names.
func scan(sql string, ansi bool) []token {
	var out []token
	depth := 0
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == '#', c == '-' && strings.HasPrefix(sql[i:], "--") && (i+2 >= len(sql) || sql[i+2] <= ' '):
			end := strings.IndexByte(sql[i:], '\n')
			if end < 0 {
				return out
			}
			i += end + 1
		case strings.HasPrefix(sql[i:], "/*!") || strings.HasPrefix(sql[i:], "/*M!"):
			i = skipDigits(sql, i+strings.IndexByte(sql[i:], '!')+1)
		case strings.HasPrefix(sql[i:], "*/"):
			i += 2
		case strings.HasPrefix(sql[i:], "/*"):
			end := strings.Index(sql[i+2:], "*/")
			if end < 0 {
				return out
			}
			i += end + 4
		case c == '\'' || c == '"' || c == '`':
			to := quotedEnd(sql, i)
			t := token{from: i, to: to, depth: depth, quoted: true}
			if c == '`' || c == '"' && ansi {
				t.name = strings.ReplaceAll(sql[i+1:max(i+1, to-1)], string([]byte{c, c}), string(c))
			}
			out = append(out, t)
			i = to
		case wordByte(c):
			to := i
			for to < len(sql) && wordByte(sql[to]) {
				to++
			}
			out = append(out, token{from: i, to: to, word: strings.ToUpper(sql[i:to]), name: sql[i:to], depth: depth})
			i = to
		default:
			if c == ')' {
				depth--
			}
			out = append(out, token{from: i, to: i + 1, word: string(c), depth: depth})
			if c == '(' {
				depth++
			}
			i++
		}
	}
	return out
}

func skipDigits(s string, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

func wordByte(c byte) bool {
	return c >= 0x80 || c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// quotedEnd gives the index behind a quoted piece that begins at i: quotes are doubled inside, or escaped by a backslash (not in `names`).
func quotedEnd(s string, i int) int {
	q := s[i]
	for i++; i < len(s); i++ {
		switch {
		case s[i] == '\\' && q != '`':
			i++
		case s[i] == q:
			if i+1 >= len(s) || s[i+1] != q {
				return i + 1
			}
			i++
		}
	}
	return len(s)
}

// RenameTarget gives the statement with the name of the table that it creates or alters replaced by to (quoted and qualified already).
// It knows CREATE [OR REPLACE] [TEMPORARY] TABLE [IF NOT EXISTS], ALTER [ONLINE|IGNORE] TABLE [IF EXISTS], CREATE … INDEX … ON, DROP INDEX … ON.
func RenameTarget(sql, to string, ansi bool) (string, bool) {
	tokens := scan(sql, ansi)
	at := -1
	if len(tokens) == 0 {
		return "", false
	}
	first := tokens[0].word
	for i, t := range tokens {
		if t.depth != 0 || t.quoted {
			continue
		}
		if t.word == "TABLE" && (first == "CREATE" || first == "ALTER") {
			at = i + 1
			break
		}
		if t.word == "ON" && (first == "CREATE" || first == "DROP") {
			at = i + 1
			break
		}
	}
	for at > 0 && at < len(tokens) && !tokens[at].quoted && (tokens[at].word == "IF" || tokens[at].word == "NOT" || tokens[at].word == "EXISTS") {
		at++
	}
	if at <= 0 || at >= len(tokens) || tokens[at].name == "" {
		return "", false
	}
	end := at
	if end+2 < len(tokens) && tokens[end+1].word == "." {
		end += 2
	}
	return sql[:tokens[at].from] + to + sql[tokens[end].to:], true
}

// SelectsRows says whether a CREATE TABLE takes its rows from a query, which can't be done node by node.
func SelectsRows(sql string, ansi bool) bool {
	for _, t := range scan(sql, ansi) {
		if !t.quoted && (t.word == "SELECT" || t.word == "AS" && t.depth == 0) {
			return true
		}
	}
	return false
}

var (
	definitionHead = regexp.MustCompile("^(CREATE (?:TEMPORARY )?TABLE) `(?:[^`]|``)*`")
	// charsetOfText: a collation says its character set; MySQL prints that only where a statement once named it.
	charsetOfText = regexp.MustCompile(` CHARACTER SET \w+( COLLATE )`)
	autoIncrement = regexp.MustCompile(`\) ENGINE=(\w+) AUTO_INCREMENT=\d+`)
)

// NormalizeDefinition takes out of SHOW CREATE TABLE what differs between nodes that have the same definition: the table's name, the
// AUTO_INCREMENT mark, the character set before a collation, and the schema before a referenced table of the same schema.
func NormalizeDefinition(text, schema string) string {
	text = definitionHead.ReplaceAllString(text, "$1")
	text = charsetOfText.ReplaceAllString(text, "$1")
	text = autoIncrement.ReplaceAllString(text, ") ENGINE=$1")
	return strings.ReplaceAll(text, "REFERENCES `"+strings.ReplaceAll(schema, "`", "``")+"`.", "REFERENCES ")
}

// NodeBound gives the word of an ALTER TABLE that works on a server's own files or swaps tables, which can't be done node by node; "" if there is none.
func NodeBound(sql string, ansi bool) string {
	for _, t := range scan(sql, ansi) {
		if !t.quoted && t.depth == 0 && (t.word == "TABLESPACE" || t.word == "EXCHANGE") {
			return t.word
		}
	}
	return ""
}

// BareAlter says whether an ALTER TABLE says nothing behind the table's name (its rule has been taken off already).
func BareAlter(sql string, ansi bool) bool {
	words := 0
	for _, t := range scan(sql, ansi) {
		if t.quoted || t.word != ";" && t.word != "." {
			words++
		}
		if !t.quoted && t.word == "." {
			words--
		}
	}
	return words <= 3
}

// OnlyRenames says whether an ALTER TABLE does nothing but rename the table.
func OnlyRenames(sql string, ansi bool) bool {
	tokens := scan(sql, ansi)
	for i, t := range tokens {
		if t.quoted || t.word != "RENAME" || t.depth != 0 {
			continue
		}
		for _, later := range tokens[i:] {
			if later.word == "," {
				return false
			}
		}
		for _, earlier := range tokens[:i] {
			if earlier.word == "," {
				return false
			}
		}
		return true
	}
	return false
}

// AutoIncrementOption finds the table option AUTO_INCREMENT = n of an ALTER TABLE.
func AutoIncrementOption(sql string, ansi bool) (uint64, bool) {
	tokens := scan(sql, ansi)
	for i, t := range tokens {
		if t.quoted || t.word != "AUTO_INCREMENT" || t.depth != 0 || i+1 >= len(tokens) {
			continue
		}
		at := i + 1
		if tokens[at].word == "=" {
			at++
		}
		if at < len(tokens) {
			if n, err := strconv.ParseUint(tokens[at].word, 10, 64); err == nil {
				return n, true
			}
		}
	}
	return 0, false
}
